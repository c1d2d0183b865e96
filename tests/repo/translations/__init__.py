"""The check of translations (`structure.py`) and its tests."""
