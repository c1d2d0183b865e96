"""The room where strategies write side by side."""
