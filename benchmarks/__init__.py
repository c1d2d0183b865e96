"""Measurements side by side with peers; timings are reported, never asserted."""
