"""Questions to a class: their forms, where they come from, and what computes their answers."""
