"""The exhibits of the room in which attention is computed step by step."""
