"""The room of pretrained models."""
