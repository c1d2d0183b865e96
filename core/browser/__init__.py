"""Data for the browser, with or without Streamlit: messages to widgets, weights, and standalone pages."""
