"""What a class is asked: the forms of questions, where they come from, and what computes their answers."""
