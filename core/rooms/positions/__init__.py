"""The exhibits of the room of positions."""
