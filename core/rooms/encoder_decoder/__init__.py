"""The room of the encoder-decoder."""
