"""Classes: their learners, questions and races, and the pages of teacher, learners and projector."""
