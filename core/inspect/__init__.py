"""Analyses of a model's forward pass, which turn traces into frozen records of NumPy arrays."""
