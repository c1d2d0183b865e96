"""What the exhibits of the room look at: a recurrent model and a text."""

from collections.abc import Sequence

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import Unrolled
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs

KINDS = ("rnn",)
MOST_TOKENS = 40  # more columns cannot be read beside their words
CELLS = {"rnn": "plain net", "lstm": "LSTM", "gru": "GRU"}


def look_here() -> ModelAndText | None:
    """The bar of the room: a recurrent model and a text, at most 40 tokens of it."""
    return pick_inputs(most=MOST_TOKENS, kinds=KINDS)


@memoize(MAX_TRACES)
def unrolled(key: ModelKey, packed: str) -> Unrolled:
    """All states and gates of the text."""
    return recurrent.unrolled(models.load(key).model, models.unpack(packed))


def numbered(tokens: Sequence[str], place: int) -> str:
    """A token as it is named in a text: “Tom” (0)."""
    return f"“{tokens[place].strip() or 'space'}” ({place})"
