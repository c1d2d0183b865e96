"""Training on tasks in place of texts: questions, exact answers, and the share of them that is right."""
