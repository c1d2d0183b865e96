"""What the room looks at: a model of blocks and a text; one of its blocks and one of its tokens."""

from typing import Any, ClassVar

from core import ui
from core.cache import content_key
from core.inputs import Inputs, slider
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import READERS

MOST_TOKENS = 128  # the colored text under the units stays readable
TEXT = "residual_stream.text"  # the picture in which a token can be clicked


class Looked(Inputs):
    """A model of blocks and a text."""

    given: ModelAndText = model_and_text(most=MOST_TOKENS, kinds=READERS)

    @property
    def content(self) -> str:
        """Names model and text, for the keys of pictures."""
        return content_key(str(self.given.key), self.given.encoded.packed)[:12]


class Place(Looked, prefix="way_"):
    """One token in one block."""

    stays: ClassVar = True
    layer: int = slider("Layer", 0, lambda i: i.given.config.n_layer - 1, lambda i: i.given.config.n_layer // 2)
    token: int = slider(
        "Token",
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.given.n_token - 1,
        before="core.rooms.block.inputs:follow_click",
    )


def follow_click(control: Any, above: Any) -> None:
    """A click in the colored text moves the token; another text starts it anew."""
    content = Looked(given=above.given).content
    if ui.picks.has_changed(TEXT, content):
        ui.reset(control.name, control.default)
    token = ui.picks.news(TEXT, content)
    if token is not None:
        ui.put(control.name, token)
