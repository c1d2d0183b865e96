"""From a trace to frozen records of numpy arrays."""
