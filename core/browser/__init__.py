"""Everything that is sent to a browser, with or without Streamlit: messages to widgets, weights, standalone pages."""
