"""Each module is one experiment: its options, its task, its variants."""
