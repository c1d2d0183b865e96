"""The exhibits of the room of the block."""
