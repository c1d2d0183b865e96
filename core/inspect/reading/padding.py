"""Padding for a model: which token fills a gap, and how much of it there is room for."""

from core.generate.cache import reading_limit
from core.inspect.reading.model_and_text import load
from core.inspect.reading.model_key import ModelKey

PADDING = "[pad]"


def pad_id(key: ModelKey) -> int:
    """The token that fills gaps: the model's own for padding or for everything unknown, else its first one. Any would
    do."""
    tokenizer = load(key).tokenizer
    candidates = (getattr(tokenizer, name, None) for name in ("pad_id", "unknown_id"))
    return next((int(i) for i in candidates if i is not None), 0)


def room_for_padding(key: ModelKey, n_token: int, most: int) -> int:
    """How many padding tokens fit behind so many real ones: `most`, or fewer where the model's context ends."""
    limit = reading_limit(load(key).model)
    return most if limit is None else max(0, min(most, limit - n_token))
