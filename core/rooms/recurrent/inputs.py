"""What the exhibits of the room look at: a recurrent model and a text."""

from collections.abc import Sequence

from core.exhibit import MAX_TRACES, Inputs, memoize
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import Unrolled

CELLS = {"rnn": "plain net", "lstm": "LSTM", "gru": "GRU"}


class Looked(Inputs):
    """A recurrent model and a text, at most 40 tokens of it: more columns cannot be read beside their words."""

    given: ModelAndText = model_and_text(most=40, kinds=("rnn",), model="stories-gru")


@memoize(MAX_TRACES)
def unrolled(given: ModelAndText) -> Unrolled:
    """All states and gates of the text."""
    return recurrent.unrolled(given.model, given.ids)


def numbered(tokens: Sequence[str], place: int) -> str:
    """A token as it is named in a text: “Tom” (0)."""
    return f"“{tokens[place].strip() or 'space'}” ({place})"
