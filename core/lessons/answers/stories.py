"""The model of little stories and the text that it opens with: what many questions are about."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.inspect.reading.model_and_text import ModelAndText
    from core.inspect.reading.model_key import ModelKey


class Stories(NamedTuple):
    """The model's key, a text as its ids, packed, and its tokens; and both as exhibits take them."""

    key: "ModelKey"
    packed: str
    tokens: tuple[str, ...]
    given: "ModelAndText"


def stories(text: str = "", most: int = 128) -> Stories:
    """The model with its own text, or with another one, cut at `most` tokens."""
    from core.inspect.reading.model_and_text import ModelAndText
    from core.ui.models import models

    key = models.shipped_key()
    encoded = models.encode(key, text or models.about(key).sample, most)
    return Stories(key, encoded.packed, encoded.tokens, ModelAndText(key, encoded))
