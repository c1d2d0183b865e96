"""The room of patches."""
