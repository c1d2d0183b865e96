"""Experiments of the room."""
