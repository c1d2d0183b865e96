"""What the room computes: rounding, packing, what a model then says, an outlier, and times."""
