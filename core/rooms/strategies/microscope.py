"""One step under a microscope: what each knob does to the logits of one place, and how a number picks the token."""

from typing import Any

import numpy as np
import streamlit as st

from core.cache import content_key
from core.generate import decode, filters
from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies import microscope_widget as widget
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.compute.sampling_sweeps import stage_table
from core.rooms.strategies.place import before, in_script
from core.rooms.strategies.spelling import LETTER_OF
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.place_in_text import next_logits
from core.ui.text import escape_markdown

N_DRAW = 100
NAME = "knobs"
DEFAULT = "t2p0.9"


@exhibit(
    title="One step under a microscope",
    look_for="which column cuts a token, and how the tokens that are left share the line from 0 to 1. There they come "
    "in vocabulary order, each as wide as its probability.",
    try_this=[
        (
            "Press “All knobs off”, then pull the temperature to 10.",
            "The bars even out, but “tokens left” still counts the whole vocabulary: temperature cuts nothing.",
        ),
        (
            "Set the temperature to 1 and press “Draw again” a few times. Then set top-k to 1.",
            "Likely tokens take up more of the line, so they are hit often. With top-k 1 one token fills it all, and "
            "the number drawn no longer matters.",
        ),
        (
            "Open “More knobs” and set “no repeated n-gram” to 1.",
            "Every token that is already in the text is cut, however likely it is.",
            "numbers",
        ),
    ],
    code=(columns.filter_rows, filters.temperature, filters.top_k, filters.top_p, decode.inverse_cdf),
    formula=r"p(w) = \frac{e^{z_w / T}}{\sum_{v\ \text{kept}} e^{z_v / T}} \quad\text{for the kept tokens, else } 0",
)
def one_step(looked: ModelAndText, place: int) -> Shown:
    """The stages of one place as a table, and the line on which the number falls."""
    ids = looked.encoded.ids
    content = content_key(looked.key, looked.encoded.packed)[:12]
    new = picks.news("strategies.step", content, NAME)
    if isinstance(new, dict) and isinstance(new.get("text"), str):
        picks.remember(NAME, new["text"][: widget.MAX_TEXT] or "softmax")
    strategy = _asked()
    with st.columns([2, 5])[0]:
        seed = controls.seed(name="step_seed", label="Seed of the draws")
    vocabulary = models.vocabulary(looked.key)
    logits = next_logits(looked.key, ",".join(map(str, ids[:place])))
    widget.microscope(
        logits,
        tokens=vocabulary,
        ids=ids[:place],
        knobs={LETTER_OF[name]: value for name, value in strategy.knobs},
        draws=uniform(seed).tolist(),
        seed=seed,
        key=picks.key("strategies.step", content),
        label=f"After “…{before(looked, place)}”",
    )
    return Shown(
        numbers=lambda: stage_table(logits, strategy, ids[:place], vocabulary),
        arrays={"logits": logits, "draws": uniform(seed)},
        script=lambda: _script(looked, place, strategy),
    )


def uniform(seed: int) -> np.ndarray:
    """(N,) the numbers that a column with this seed draws, one after the other."""
    draws = decode.Draws([seed])
    return np.array([float(draws.next()) for _ in range(N_DRAW)])


def _asked() -> Strategy:
    text: Any = picks.remembered(NAME)
    if text is None:
        text = DEFAULT
    try:
        found = spelling.parse_column(text[: spelling.MAX_CHARS]).strategy
        if found.kind == "sample":
            return found
        problem = "only a strategy that draws has these steps."
    except ValueError as error:
        problem = str(error)
    st.warning(f"Knobs: {escape_markdown(problem)} The default is used.")
    return spelling.parse_column(DEFAULT).strategy


def _script(looked: ModelAndText, place: int, strategy: Strategy) -> str:
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.strategies.compute.columns import Strategy
        from core.rooms.strategies.compute import sampling_sweeps
        from core.models.pretrained import load

        $logits

        # Each knob of the strategy in turn, and the softmax of what is left.
        strategy = $strategy
        print_table(sampling_sweeps.stage_table(logits, strategy, ids, found.vocabulary))
        """,
        logits=in_script(looked, place),
        strategy=spelling.as_code(strategy),
    )
