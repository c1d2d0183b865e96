"""Models that read or write pictures."""
