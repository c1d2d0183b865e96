"""Objectives, optimizers and training runs."""
