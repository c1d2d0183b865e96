"""Lessons: guided tours through the exhibits, each one a Markdown file."""
