"""Inputs shared by the room's exhibits: a recurrent model and a text."""

from collections.abc import Sequence

from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Inputs, memoize
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import UnrolledText

LABELS = module_labels(__name__)

CELL_NAMES = {"rnn": LABELS["cell.rnn"], "lstm": "LSTM", "gru": "GRU"}


class RecurrentInputs(Inputs):
    """A recurrent model and at most 40 tokens of text, because more columns leave no room for readable words."""

    given: ModelAndText = model_and_text_input(most=40, kinds=("rnn",), model="stories-gru")


@memoize(MAX_TRACES)
def unroll_model_text(given: ModelAndText) -> UnrolledText:
    """Return all states and gates of the text."""
    return recurrent.unroll_text(given.model, given.ids)


def token_label(tokens: Sequence[str], place: int) -> str:
    """Return a token with its position in a text: “Tom” (0)."""
    token = tokens[place].strip() or LABELS["space"]
    return f"“{token}” ({place})"
