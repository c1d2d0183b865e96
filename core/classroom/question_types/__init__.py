"""Questions to a class: their forms, their sources, and the computation of their answers."""
