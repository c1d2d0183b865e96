"""A class: who is in it, what it is shown and asked, and the pages of teacher, learners and projector."""
