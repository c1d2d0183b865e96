"""The room of captions."""
