"""What a model and its training are made of, part by part: each with its paper, and what it sets in a recipe."""
