"""The exhibits of the room of embeddings."""
