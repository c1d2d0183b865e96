"""Homework: a lesson with a deadline, a receipt of the work, and the computation that verifies a receipt."""
