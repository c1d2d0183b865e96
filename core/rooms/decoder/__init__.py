"""The room of the decoder."""
