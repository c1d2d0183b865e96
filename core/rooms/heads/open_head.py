"""Which head of the room is open: the sliders Layer and Head, and the click in the grid that moves them."""

from collections.abc import Mapping

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.ui.controls import controls, picks
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.opening_head import telling_head
from core.ui.models.pick_inputs import pick_inputs
from core.ui.text import escape_markdown, visible
from core.ui.widgets.mount import index

# At most so many tokens: 128 x 128 cells of a head can still be pointed at on a screen.
MOST_TOKENS = 128
EDITING = "Set a row of weights"  # the experiment that looks at the open head too


def shown_text(looked: ModelAndText) -> str:
    """A short name of model and text, for the keys of pictures."""
    return content_key(looked.key, looked.encoded.packed)[:12]


def look_here() -> ModelAndText | None:
    """Model and text."""
    return pick_inputs(most=MOST_TOKENS, kinds=models.READERS)


def look_at_head() -> tuple[ModelAndText, int, int] | None:
    """Model, text, layer and head."""
    looked = look_here()
    return None if looked is None else (looked, *choose_head(looked))


def look_and_measure() -> ModelAndText | None:
    """A model that predicts the next token, on which an effect can be measured, and a text."""
    looked = pick_inputs(most=MOST_TOKENS)
    return looked if looked is not None and can_measure(looked) else None


def look_and_measure_head() -> tuple[ModelAndText, int, int] | None:
    """The same, with layer and head."""
    looked = look_and_measure()
    return None if looked is None else (looked, *choose_head(looked))


def choose_head(looked: ModelAndText) -> tuple[int, int]:
    """The sliders `Layer` and `Head`; a click in the grid of all heads moves them too."""
    config = models.load(looked.key).config
    first = first_head(looked.key)
    pick = picks.news("heads.grid", shown_text(looked))
    at = [pick.get("layer"), pick.get("head")] if isinstance(pick, Mapping) else [None, None]
    clicked = index(at[0], config.n_layer), index(at[1], config.n_head)
    if clicked[0] is not None and clicked[1] is not None:
        _ = controls.put("layer", clicked[0]) and controls.put("head", clicked[1])
    left, right = st.columns(2, gap="medium")
    with left:
        layer = controls.slider("layer", "Layer", 0, config.n_layer - 1, first[0], step=1)
    with right:
        head = controls.slider("head", "Head", 0, config.n_head - 1, first[1], step=1)
    return int(layer), int(head)


def open_head(looked: ModelAndText) -> tuple[int, int]:
    """Which head is open: where the sliders stand."""
    config, (layer, head) = models.load(looked.key).config, first_head(looked.key)
    return (
        min(int(st.session_state.get("layer", layer)), config.n_layer - 1),
        min(int(st.session_state.get("head", head)), config.n_head - 1),
    )


def can_measure(looked: ModelAndText) -> bool:
    """Whether there is a next token to see an effect on; says in plain words why there is none."""
    told = {
        "here": "This model reads the whole text at once and predicts no next token, so there is none to watch here. "
        "The room “Encoder” shows how it fills a gap, and from what.",
        "nothing": "This model only reads. It gives no token a probability, so there is no prediction to watch here.",
    }.get(models.predicts(looked.key))
    if told and models.reader(looked.key) is not models.load(looked.key).model:
        told = (
            "This is the reading half of a model. It gives no token a probability, so there is no prediction to watch "
            "here. The room “Encoder-decoder” shows attention in the half that writes."
        )
    if told:
        st.info(told, icon=":material/info:")
    return told is None


@memoize(MAX_TRACES)
def first_head(key: ModelKey) -> tuple[int, int]:
    """The head to open when a link names none. It must not depend on the text: a link without it says "the same"."""
    if key.is_run or models.predicts(key) != "next":
        return int(models.load(key).config.n_layer) // 2, 0
    sample = models.encode(key, models.about(key).sample, MOST_TOKENS)
    return telling_head(models.attention(key, sample.packed))


def quoted(token: str) -> str:
    """A token for Markdown, its line ends and a lonely space in sight."""
    return f"“{escape_markdown(token.strip() or visible(token))}”"
