"""Inputs shared by the room's exhibits: a recurrent model and a text."""

from collections.abc import Sequence

from core.exhibit import MAX_TRACES, Inputs, memoize
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import Unrolled

CELLS = {"rnn": "plain net", "lstm": "LSTM", "gru": "GRU"}


class Looked(Inputs):
    """A recurrent model and at most 40 tokens of text, because more columns leave no room for readable words."""

    given: ModelAndText = model_and_text(most=40, kinds=("rnn",), model="stories-gru")


@memoize(MAX_TRACES)
def unrolled(given: ModelAndText) -> Unrolled:
    """Return all states and gates of the text."""
    return recurrent.unrolled(given.model, given.ids)


def numbered(tokens: Sequence[str], place: int) -> str:
    """Return a token with its position in a text: “Tom” (0)."""
    return f"“{tokens[place].strip() or 'space'}” ({place})"
