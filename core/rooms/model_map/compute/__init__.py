"""Data for pictures of a model that the browser cannot run: pure, without Streamlit or charts."""
