"""What one takes home: a model as one HTML file, from the command line."""
