"""Live experiments of this room."""
