"""Computations of the room: rounding, packing, the rounded model's output, and an outlier."""
