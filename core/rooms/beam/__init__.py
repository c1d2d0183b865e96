"""The room of beam search."""
