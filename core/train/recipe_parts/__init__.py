"""The parts of a model and of its training: each with its paper, and the fields that it sets in a recipe."""
