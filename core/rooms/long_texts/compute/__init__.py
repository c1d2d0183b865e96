"""Computations of the room, without Streamlit or charts."""
