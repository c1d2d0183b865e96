"""Benchmarks, partly against peers; timings are reported, never asserted."""
