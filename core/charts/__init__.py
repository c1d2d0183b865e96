"""Arrays and strings to figures; a leaf that imports nothing of ours."""
