"""The exhibits of the room of masks."""
