"""Published encoders of text: one table of names for each family."""
