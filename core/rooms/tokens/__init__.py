"""The exhibits of the room of tokens."""
