"""The parts of a transformer, written to be read."""
