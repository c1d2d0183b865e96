"""The family table."""
