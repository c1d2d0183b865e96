"""What the room computes; no Streamlit and no chart."""
