"""Sweeps: the same training with many settings, of which the better ones may be promoted."""
