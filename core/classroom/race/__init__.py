"""The race: the same text and the same amount of work, but everybody's own settings; every run really trains."""
