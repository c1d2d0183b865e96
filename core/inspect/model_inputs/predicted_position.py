"""A position in a text and a model's prediction there, for the rooms about a single prediction."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import MAX_TRACES, content_key, memoize, slider
from core.generate.cache import CachedModel
from core.inspect.attention_record import as_batch
from core.inspect.loss import TokenLoss, token_loss
from core.inspect.model_inputs.model_and_text import ModelAndText, load_text_model, parse_ids_key, sample_text_of
from core.inspect.model_inputs.model_key import ModelKey

LABELS = module_labels(__name__)


@memoize(MAX_TRACES)
def text_token_losses(key: ModelKey, ids_key: str) -> TokenLoss:
    """Return the loss, probability and rank of each token of a text."""
    return token_loss(load_text_model(key).model, parse_ids_key(ids_key))


@memoize(MAX_TRACES)
def text_logits(key: ModelKey, ids_key: str) -> NDArray[np.float32]:
    """Return the model's logits (T, V) for the token after each token of a text, from a single pass."""
    model = load_text_model(key).model
    with torch.inference_mode():
        return np.asarray(model(as_batch(model, parse_ids_key(ids_key)))[0].float().cpu().numpy())


@memoize(MAX_TRACES)
def text_next_logits(key: ModelKey, ids_key: str) -> NDArray[np.float32]:
    """Return the model's logits (V,) for the next token; it reads at most its context."""
    logits = CachedModel(load_text_model(key).model, cached=False).next_logits([parse_ids_key(ids_key)])
    return np.asarray(logits[0].numpy())


def initial_position(given: ModelAndText) -> int:
    """Return the position after a user's text, or the most uncertain one (where sliders do most) in the model's own."""
    if given.encoded.text != sample_text_of(given.key) or given.n_token < 2:
        return given.n_token
    # A model whose training diverged gives NaN everywhere.
    unsure = np.nan_to_num(text_token_losses(given.key, given.encoded.ids_key).entropy)
    return max(1, int(unsure.argmax()))


def input_text_hash(inputs: Any) -> str:
    """Return a key of the text, so that a position in one text is reset in another."""
    return content_key(inputs.given.encoded.ids_key)[:8]


def token_position_slider(**how: Any) -> int:
    """Create an input of `core.exhibit`: the token to predict, 1..T; T is the token that follows the text."""
    if how.get("view") is None:
        how["before_render"] = "core.ui.models.pick_inputs:reset_token_position"
    return slider(
        1,
        lambda i: i.given.n_token,
        lambda i: initial_position(i.given),
        help=LABELS["place.help"],
        **how,
        label=LABELS["place"],
    )


def text_before(given: ModelAndText, place: int) -> str:
    """Return the end of the text before a position, on one line."""
    return " ".join("".join(given.tokens[max(0, place - 8) : place]).split())
