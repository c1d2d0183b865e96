"""Glassformer's engine: data, models, training, inspection and the exhibits that show them."""
