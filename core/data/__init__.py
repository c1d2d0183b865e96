"""Text, tokenizers and corpora."""
