"""Charts from arrays and strings. Imports no other package of ours."""
