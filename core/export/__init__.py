"""What one takes home: a model or an exhibit as one HTML file, from the command line."""
