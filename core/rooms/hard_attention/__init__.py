"""The room of soft and hard attention."""
