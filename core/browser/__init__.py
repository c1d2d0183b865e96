"""What a browser is sent, with or without Streamlit: messages to widgets, weights, and an exhibit as one HTML file."""
