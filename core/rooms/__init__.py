"""The interactive pieces that pages and lessons both show."""
