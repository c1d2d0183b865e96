"""Pictures of a model that the browser cannot run: pure, no Streamlit and no chart."""
