"""The room of many scales."""
