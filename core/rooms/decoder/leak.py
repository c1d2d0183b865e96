"""The leak test: change one token, and see whose logits notice; with the mask, and without it."""

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.loss import token_loss
from core.inspect.model_and_text import ModelAndText
from core.models.gpt import GPT
from core.rooms.decoder.compute import leak_test as future
from core.rooms.decoder.inputs import content, model_of, token
from core.ui.controls import controls, picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import power_of_ten
from core.ui.text import escape_markdown
from core.ui.widgets import widgets

if TYPE_CHECKING:
    from numpy.typing import NDArray


@memoize(MAX_TRACES)
def noticed(key: ModelKey, packed: str, replacement: int, masked: bool) -> "NDArray[Any]":
    """(T, T) by how much each position's logits change, for each changed token."""
    return future.changes(future.with_mask(model_of(key), masked), models.unpack(packed), replacement)


@memoize(MAX_TRACES)
def mean_loss(key: ModelKey, packed: str, masked: bool) -> float:
    """Mean loss of the text, nats per token."""
    return token_loss(future.with_mask(model_of(key), masked), models.unpack(packed)).mean


@exhibit(
    title="The leak test: take the mask away",
    look_for="the triangle left of the diagonal: the positions before the changed token. With the mask everything "
    "there is exactly 0.0; without it, the future leaks in.",
    try_this=[
        (
            "Move the changed token along the text.",
            "With the mask only that token and those after it get a color. What the model says at a position is the "
            "same whether the text goes on or not, so all positions can be trained at once.",
        ),
        (
            "Compare the two losses under the pictures.",
            "Same weights, but no mask. This model was trained with it, so it doesn't know how to cheat and only gets "
            "confused. A model trained without it learns to cheat: see below.",
        ),
        (
            "Put another token in its place.",
            "The numbers change, the zeros don't.",
        ),
    ],
    code=(future.changes, future.with_mask, GPT.mask),
    formula=r"\Delta_{ts} = \max_v \big| z_s(v) - z_s^{(t)}(v) \big| = 0 \quad \text{for } s < t",
)
def leak_test(looked: ModelAndText) -> Shown:
    """Both matrices, and the row of the chosen token as a text."""
    key, packed, ids, tokens = looked.key, looked.encoded.packed, looked.encoded.ids, looked.encoded.tokens
    last = len(ids) - 1
    for name in ("masked", "unmasked"):
        pick = picks.news(f"leak.{name}", content(looked))
        if pick is not None:
            controls.put("leak_place", pick["row"])
    left, right = st.columns(2, gap="medium")
    with left:
        place = int(controls.slider("leak_place", "Token that is changed", 0, last, last // 2, step=1))
    with right:
        text = controls.text_input("leak_into", "Put in its place", tokens[0].strip(), max_chars=40)
    models.show_notes(models.encode(key, text), key, "leak_into", text)
    replacement = _first_token(key, text, ids[0])
    tables = {masked: noticed(key, packed, replacement, masked) for masked in (True, False)}
    high = float(max(table.max() for table in tables.values())) or 1.0
    unit, what = depth.unit("nats"), "logits" if depth.at_least("numbers") else "prediction"
    for side, (masked, table) in zip(layout.pair("leak-maps"), tables.items(), strict=True):
        name = "masked" if masked else "unmasked"
        leaked = future.before(table)
        with side:
            widgets.matrix(
                table,
                rows=tokens,
                columns=tokens,
                key=picks.key(f"leak.{name}", content(looked), {"row": place}),
                kind="value",
                limits=(0.0, high),
                row_title="changed (token that is changed)",
                column_title=f"position (whose {what})",
                value_title=f"change of the {what}",
                selected=(place, place),
                height=380,
                label="With the causal mask" if masked else "The same weights without the mask",
                takeaway=f"Largest change before a changed token: {_exact(leaked)}.",
            )
            here = float(table[place][:place].max(initial=0.0))
            st.markdown(
                f"Largest change at a position before “{escape_markdown(tokens[place].strip())}”: **{_exact(here)}**; "
                f"before any token, when that one is changed: **{_exact(leaked)}**. "
                f"Mean loss of the text: {mean_loss(key, packed, masked):.3f}{unit}."
            )
    row = tables[True][place], tables[False][place]
    put_in = token(
        key, replacement if replacement != ids[place] else (replacement + 1) % model_of(key).config.vocab_size
    )
    st.markdown(
        f"“{escape_markdown(tokens[place].strip())}” becomes “{escape_markdown(put_in.strip())}”. "
        f"Of the {place} positions before it, **{int((row[0][:place] > 0).sum())}** notice with the mask, and "
        f"**{int((row[1][:place] > 0).sum())}** without."
    )
    st.markdown(
        "Why the zeros matter: without a mask, a model can read the very token it should predict, so in training it "
        "only has to copy its right neighbor. Its loss falls to almost nothing, but that's no achievement: when it "
        "writes, there's no right neighbor yet. In the room “Masks” two models are trained to show this."
    )
    return Shown(
        numbers=lambda: future.leak_table(tables[True], tables[False]),
        arrays={"masked": tables[True], "unmasked": tables[False]},
        formula=rf"\max_{{s < {place}}} \Delta_{{{place} s}} = {_exact(float(np.max(row[0][:place], initial=0)))}"
        rf"\ \text{{with}},\quad {float(np.max(row[1][:place], initial=0)):.3f}\ \text{{without}}",
        script=lambda: _script(looked, replacement),
    )


def _script(looked: ModelAndText, replacement: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import leak_test as future
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        ids = $ids

        # Each token in turn becomes another one. Whose logits change, with the causal mask and without?
        masked, unmasked = (future.with_mask(found.model, causal) for causal in (True, False))
        other = $replacement  # $named
        print_table(future.leak_table(future.changes(masked, ids, other), future.changes(unmasked, ids, other)))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        replacement=replacement,
        named=scripts.Code(repr(token(looked.key, replacement))),
    )


def _first_token(key: ModelKey, text: str, otherwise: int) -> int:
    """The first token of what was typed, a lone space left out."""
    found = models.encode(key, text)
    return next((i for i, one in zip(found.ids, found.tokens, strict=True) if one.strip()), otherwise)


def _exact(value: float) -> str:
    """0.0 is said only where it is so."""
    return "0.0" if value == 0 else f"{value:.3g}" if value >= 1e-3 else power_of_ten(value, 2)
