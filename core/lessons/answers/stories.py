"""The model of little stories and the text that it opens with: what many questions are about."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.ui.models.models import ModelKey


class Stories(NamedTuple):
    """The model's key, and a text as its ids, packed, and its tokens."""

    key: "ModelKey"
    packed: str
    tokens: tuple[str, ...]


def stories(text: str = "", most: int = 128) -> Stories:
    """The model with its own text, or with another one, cut at `most` tokens."""
    from core.ui.models import models

    key = models.shipped_key()
    encoded = models.encode(key, text or models.about(key).sample, most)
    return Stories(key, encoded.packed, tuple(encoded.tokens))
