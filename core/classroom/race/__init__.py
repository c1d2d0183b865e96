"""The race: the same text, the same counted work, everybody's own settings; every run is a real training."""
