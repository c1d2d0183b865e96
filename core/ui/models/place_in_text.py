"""Which token of a text a model is asked to predict, and what it expects there."""

from typing import TYPE_CHECKING

import numpy as np

from core.cache import MAX_TRACES, content_key, memoize
from core.generate.cache import CachedModel
from core.inspect import loss as token_losses
from core.inspect.model_and_text import ModelAndText
from core.inspect.model_key import ModelKey
from core.ui.controls import controls, picks
from core.ui.models import models

if TYPE_CHECKING:
    from core.inspect.loss import TokenLoss


@memoize(MAX_TRACES)
def losses_of(key: ModelKey, packed: str) -> "TokenLoss":
    """Loss, probability and rank of each token of a text."""
    return token_losses.token_loss(models.load(key).model, models.unpack(packed))


@memoize(MAX_TRACES)
def next_logits(key: ModelKey, packed: str) -> np.ndarray:
    """(V,) the model's logits for what follows these tokens; it reads at most its context."""
    logits = CachedModel(models.load(key).model, cached=False).next_logits([models.unpack(packed)])
    return np.asarray(logits[0].numpy())


def shown_text(looked: ModelAndText) -> str:
    """A short name of model and text, for the keys of pictures."""
    return content_key(looked.key, looked.encoded.packed)[:12]


def choose_place(looked: ModelAndText) -> int:
    """The slider for the token to predict, 1..T; T is the one that follows the text. Clicks in the text move it."""
    n_token, first = len(looked.encoded.ids), first_place(looked)
    if picks.has_changed("next.place", looked.encoded.packed):
        controls.reset("place", first)
    pick = picks.news("next.text", shown_text(looked))
    if pick is not None:
        controls.put("place", max(1, pick))
    return int(
        controls.slider(
            "place",
            "Token to predict",
            1,
            n_token,
            first,
            step=1,
            help="Tokens are counted from 0: token 1 is predicted from token 0 only. The last position is the token "
            "after the text. The model's own text opens where it is least sure.",
        )
    )


def first_place(looked: ModelAndText) -> int:
    """What follows a person's text; in the model's own text, where it is least sure and so the sliders show most."""
    if looked.encoded.text != models.about(looked.key).sample or len(looked.encoded.ids) < 2:
        return len(looked.encoded.ids)
    # A model whose training went wrong gives nan everywhere.
    unsure = np.nan_to_num(losses_of(looked.key, looked.encoded.packed).entropy)
    return max(1, int(unsure.argmax()))
