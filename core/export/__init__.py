"""Export: a model, an exhibit or a lesson as one HTML file, from the command line."""
