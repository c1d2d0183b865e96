"""Homework: a lesson with a deadline, a receipt of what was done in it, and the computation that verifies a receipt."""
