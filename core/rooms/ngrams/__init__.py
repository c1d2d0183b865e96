"""The room of n-grams."""
