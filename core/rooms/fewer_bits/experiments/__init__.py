"""What the room trains."""
