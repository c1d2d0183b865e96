"""Live trainings of this room."""
