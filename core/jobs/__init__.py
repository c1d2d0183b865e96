"""Training runs in worker processes."""
