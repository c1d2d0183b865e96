"""Inputs that the exhibits of the room share: a model that reads with attention, a text, and one of its heads."""

from typing import Any, ClassVar

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, Inputs, ViewChoice, content_key, memoize, slider
from core.inspect.head_scores import head_attending_to_prediction
from core.inspect.model_inputs.model_and_text import (
    ModelAndText,
    encode_text,
    load_text_model,
    model_and_text_input,
    model_prediction_kind,
    sample_text_of,
    text_attention,
)
from core.inspect.model_inputs.model_key import READER_KINDS, ModelKey

LABELS = module_labels(__name__)

# Limit of the text's tokens: the 128 x 128 cells of a head can still be pointed at on a screen.
MAX_TOKENS = 128
STRONGEST_KEY = -1  # as a key: the one with the query's largest weight
_READS = LABELS["reads_whole_text"]
_SILENT = LABELS["only_reads"]
_HALF = LABELS["reading_half"]


@memoize(MAX_TRACES)
def default_head(key: ModelKey) -> tuple[int, int]:
    """Return the head that a link without a head opens. It doesn't depend on the text, so it is always the same."""
    if key.is_run or model_prediction_kind(key) != "next":
        return int(load_text_model(key).config.n_layer) // 2, 0
    return head_attending_to_prediction(text_attention(key, encode_text(key, sample_text_of(key), MAX_TOKENS).ids_key))


class HeadsInputs(Inputs):
    """A model and a text."""

    given: ModelAndText = model_and_text_input(most=MAX_TOKENS, kinds=READER_KINDS)


def text_key(inputs: HeadsInputs) -> str:
    """Return a key of the text; choices made in one text are reset in a different one."""
    return content_key(inputs.given.encoded.ids_key)[:8]


def _numbers(inputs: HeadsInputs) -> int:
    """Count the weights of all heads."""
    given = inputs.given
    return int(given.config.n_layer * given.config.n_head) * int(given.n_token) ** 2


class HeadInputs(HeadsInputs):
    """The open head and the selected cell of it, which all pictures of the room share."""

    stays: ClassVar = True  # stays in view while you read the text that it opened (style.css)
    layer: int = slider(
        0,
        lambda i: i.given.config.n_layer - 1,
        lambda i: default_head(i.given.key)[0],
        view=ViewChoice(n_number=_numbers),
    )
    head: int = slider(
        0,
        lambda i: i.given.config.n_head - 1,
        lambda i: default_head(i.given.key)[1],
        view=ViewChoice(n_number=_numbers),
    )
    query: int = slider(
        0,
        lambda i: i.given.n_token - 1,
        lambda i: i.given.n_token - 1,
        view=ViewChoice(scope=text_key),
    )
    key: int = slider(
        STRONGEST_KEY,
        lambda i: i.given.n_token - 1,
        STRONGEST_KEY,
        view=ViewChoice(scope=text_key, parent="query", is_drawn=False),
    )


def selected_cell(inputs: HeadInputs) -> tuple[int, int]:
    """Return the selected cell: (query, key)."""
    row = inputs.given.attention.weights[inputs.layer, inputs.head, inputs.query]
    return inputs.query, int(row.argmax()) if inputs.key == STRONGEST_KEY else inputs.key


def selected_choices(inputs: HeadInputs) -> tuple[int, int]:
    """Return the selected cell for a picture, where it follows the choices of the page."""
    strongest = inputs.given.attention.weights.argmax(-1)
    instead = ui.select_by_choice(strongest, inputs.layer, inputs.head, inputs.query)
    return ui.choice_ref(inputs.query), ui.choice_ref(inputs.key, none_value=STRONGEST_KEY, fallback=instead)


def mask_choice(inputs: HeadInputs) -> Any:
    """Return the attention mask for a picture, one per layer if the layers differ."""
    record = inputs.given.attention
    return ui.select_by_choice(record.masks, inputs.layer) if record.layers_differ else record.mask


class PredictionInputs(HeadsInputs):
    """A model that predicts the next token, so that an effect can be measured, and a text."""

    given: ModelAndText = model_and_text_input(most=MAX_TOKENS)


class PredictionHeadInputs(HeadInputs):
    """A model that predicts the next token, a text, and a head."""

    given: ModelAndText = model_and_text_input(most=MAX_TOKENS)


def why_no_effect(given: ModelAndText) -> str:
    """Explain why there is no next token to measure an effect on; "" if there is one."""
    if model_prediction_kind(given.key) == "next":
        return ""
    if given.model is not load_text_model(given.key).model:
        return _HALF
    return _READS if model_prediction_kind(given.key) == "here" else _SILENT
