"""The room of pixels."""
