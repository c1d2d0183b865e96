"""The room of the key-value cache."""
