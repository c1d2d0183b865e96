"""Answers on what stands between a text and a block's output: tokens, positions, scores, masks, heads, the block."""
