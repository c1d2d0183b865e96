"""Minus infinity before the softmax, zero before, zero after, zero after and renormalised: two are right."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.inspect.tap_lines import line_of
from core.rooms.masks.compute import mask_placement
from core.rooms.masks.compute.mask_placement import FourWays
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import power_of_ten
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Badge

LETTERS = ("A", "B", "C", "D")
# The line that makes each.
_LINES = (
    (mask_placement.minus_infinity_before, "return"),
    (mask_placement.zero_before, "return"),
    (mask_placement.zero_after, "return"),
    (mask_placement.zero_after_renormalised, "return"),
)
NAMES = ("minus infinity before softmax", "0 before softmax", "0 after softmax", "0 after, divided by the sum")


@memoize(MAX_TRACES)
def four_ways(key: ModelKey, packed: str, layer: int, head: int) -> FourWays:
    """The scores of one head under the model's own mask, masked in four ways."""
    record = models.attention(key, packed)
    return mask_placement.four_ways(record.scores[layer, head], record.mask)


@exhibit(
    title="Where the mask belongs",
    look_for="rows that don't sum to 1, and color right of the diagonal: weight that went to the future. Lecture notes "
    "often say “multiply by the mask” or “set to zero”. Whether that works depends on where you do it.",
    try_this=[
        (
            "Look at the first row of B, whose token should read only itself.",
            "A score of 0 isn't “nothing”: the softmax counts it like any middling score. Here more than nine tenths "
            "of the row go to later tokens. That's a leak: in training the model could simply read the answer.",
        ),
        (
            "Look at the row sums of C.",
            "No weight goes to the future, but the future had already taken its share: early rows keep a fraction of "
            "1, and how much is missing depends on tokens they mustn't know.",
        ),
        (
            "Compare A and D, here and for other heads.",
            "They agree to the last digits the machine keeps. Dividing by the row's sum removes the blocked tokens "
            "from the softmax afterwards; minus infinity does it at once.",
        ),
    ],
    code=(
        mask_placement.minus_infinity_before,
        mask_placement.zero_before,
        mask_placement.zero_after,
        mask_placement.zero_after_renormalised,
        mask_placement.four_ways,
    ),
)
def where_the_mask_belongs(looked: ModelAndText, layer: int, head: int) -> Shown:
    """Four matrices, their row sums and leaks."""
    record = models.attention(looked.key, looked.encoded.packed)
    if record.mask.all():
        told = (
            "This model reads in both directions and masks nothing. Choose a decoder (GPT) to see this exhibit at work."
            if len(looked.encoded.ids) > 1
            else "A single token has nothing to mask. Type a longer text."
        )
        st.info(told, icon=":material/info:")
        return Shown()
    found = four_ways(looked.key, looked.encoded.packed, layer, head)
    tokens, content = looked.encoded.tokens, content_key(*looked.encoded.tokens)[:12]
    st.markdown(_table(found))
    st.caption(
        "Leak: the largest weight any row leaves on the future. Swayed: the largest change of an open cell's weight "
        "when all blocked scores flip their sign. 0 is exactly 0."
    )
    places = [place for name in ("places-top", "places-bottom") for place in layout.pair(name)]
    for place, letter, name, weights in zip(places, LETTERS, NAMES, found.weights, strict=True):
        with place:
            widgets.matrix(
                weights,
                rows=tokens,
                columns=tokens,
                key=f"places.{letter}:{content}",
                height=340,
                mask=record.mask | (weights > 0),
                label=f"{letter} · {name}",
                badge=_badge(looked, found, layer, head, LETTERS.index(letter)),
            )
    st.markdown(
        f"A and D differ by at most **{power_of_ten(found.difference)}** with 32-bit numbers and by "
        f"{power_of_ten(found.difference_64)} with 64-bit numbers: only rounding."
        if depth.at_least("numbers")
        else "A and D differ only by rounding."
    )
    sums, future = layout.pair("places-sums")
    for place, key, values, label in (
        (sums, "sums", found.row_sums, "Sum of each row: should be 1"),
        (future, "leaks", found.leaks, "Weight on the future: should be 0"),
    ):
        with place:
            widgets.matrix(
                values.T,
                rows=tokens,
                columns=LETTERS,
                key=f"places.{key}:{content}",
                column_title="way",
                value_title=label.split(":")[0].lower(),
                limits=(0, 1),
                height=440,
                label=label,
            )
    return Shown(
        numbers=lambda: found.table(tokens),
        arrays={"weights": found.weights, "row_sums": found.row_sums, "leaks": found.leaks, "mask": record.mask},
        formula=_with_numbers(record.scores[layer, head], found),
        script=lambda: _script(looked, layer, head),
    )


def _badge(looked: ModelAndText, found: FourWays, layer: int, head: int, way: int) -> Badge:
    """The scores are the model's own, and a second pass knows them; what is masked where is done with them here."""
    name, mask = f"blocks.{layer}.attn.scores", models.attention(looked.key, looked.encoded.packed).mask
    made = badges.Derived(
        line_of(*_LINES[way]),
        lambda taps: mask_placement.four_ways(taps[name][head], mask).weights.astype(np.float64),
        option=f"{layer}.{head}",
    )
    at = (looked.key, looked.encoded.packed)
    return badges.of_key(*at, "four_ways", (way, "row", "column"), found.weights, derived=made)


def _script(looked: ModelAndText, layer: int, head: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.masks.compute import mask_placement
        from core.inspect import trace
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # The scores of one head, and the mask that the model itself uses.
        record = trace.attention(model, ids)
        ways = mask_placement.four_ways(record.scores[$layer, $head], record.mask)
        print_table(ways.table(tokenizer.tokens(ids)))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        head=head,
    )


def _table(found: FourWays) -> str:
    lines = ["| | row sums | leak | swayed |", "|---|---|---|---|"]
    for i, (letter, name) in enumerate(zip(LETTERS, NAMES, strict=True)):
        sums, leak, swayed = found.row_sums[i], float(found.leaks[i].max()), float(found.swayed[i])
        is_one = bool(np.allclose(sums, 1, atol=1e-4))
        lines.append(
            f"| **{letter}** {name} | {'1' if is_one else f'**{sums.min():.3f} to {sums.max():.3f}**'} "
            f"| {'0' if leak == 0 else f'**{leak:.3f}**'} | {_size(swayed)} |"
        )
    return "\n".join(lines)


def _size(swayed: float) -> str:
    if swayed == 0 or swayed >= 1e-5:
        return f"**{swayed:.3f}**" if swayed else "0"
    return power_of_ten(swayed) if depth.at_least("numbers") else "rounding"


def _with_numbers(scores: NDArray[np.floating], found: FourWays) -> str:
    """Row 0, which may read itself alone: what zero before the softmax makes of it."""
    own, n_key = float(scores[0, 0]), scores.shape[1]
    return (
        rf"\text{{row 0: A}}\;\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{-\infty}}}}"
        rf" = {found.weights[0, 0, 0]:.3f}\qquad \text{{B}}\;"
        rf"\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{0}}}} = {found.weights[1, 0, 0]:.3f},"
        rf"\ \text{{so}}\ {found.leaks[1, 0]:.3f}\ \text{{goes to the future}}"
    )
