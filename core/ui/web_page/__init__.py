"""An exhibit as one HTML file: alive without a server, and without any request."""
