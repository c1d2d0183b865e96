"""The room of the encoder."""
