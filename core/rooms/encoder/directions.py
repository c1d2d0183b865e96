"""Both directions or one: an encoder and a decoder before the same gap."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.grouped import grouped
from core.inspect import gaps as inspect_gaps
from core.nn.masks import causal as causal_mask
from core.rooms.encoder.common import (
    MAX_MODELS,
    NAME,
    Text,
    ask_text,
    current,
    held_stories,
    models_in_script,
    pair,
    top_words,
)
from core.rooms.encoder.compute import directions as inspect_directions
from core.rooms.encoder.compute.directions import WHO, Maps, Measured
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import Pair
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown, percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Place

DEFAULT = "Mia hid under the tree. Tom looked in the box. No Mia!"
PLACE = 3  # "under"
KINDS = {
    "place": "hid [under] the tree",
    "article": "wanted [an] apple",
    "animal": "A small [dog] lived",
}


@memoize(MAX_RESULTS)
def measured(models: Trained) -> dict[str, Measured]:
    """All kinds of gaps, asked of the encoder, of the encoder with its right side hidden, and of the decoder."""
    opened = pair(models)
    return inspect_directions.measure(opened.bert, opened.twin, opened.words, held_stories(), task.LENGTH)


@memoize(8 * MAX_MODELS)
def maps_of(models: Trained, ids: tuple[int, ...], gap: int, is_causal: bool) -> Maps:
    """The attention of both on a text."""
    opened = pair(models)
    return inspect_directions.maps(opened.bert, opened.twin, ids, gap, opened.words.mask_id, is_causal)


@memoize(8 * MAX_MODELS)
def answers(models: Trained, ids: tuple[int, ...], gap: int) -> dict[str, NDArray[np.float64]]:
    """Who -> (V,) what stands in the gap: each of `WHO`, and the decoder that tries all words."""
    opened = pair(models)
    asked = inspect_directions.one(ids, gap)
    mask_id = opened.words.mask_id
    return {
        WHO[0]: inspect_gaps.fill(opened.bert, ids, [gap], mask_id)[gap].astype(np.float64),
        WHO[1]: inspect_directions.encoder_says(opened.bert, asked, mask_id, is_causal=True)[0].astype(np.float64),
        WHO[2]: inspect_directions.decoder_says(opened.twin, asked)[0].astype(np.float64),
        "decoder, every word tried": inspect_directions.decoder_tries(opened.twin, ids, gap, opened.words.n_plain),
    }


@exhibit(
    title="Both directions, or one",
    look_for="the row of the gap. The encoder may read the whole row, left and right of the gap; the decoder has "
    "nothing above the diagonal and guesses only from the left.",
    try_this=[
        (
            "Move the gap to “No”, at position 13, then to the last sign.",
            "Here the left side tells nearly everything, and the decoder is about as good as the encoder: it learned "
            "from every word of its rows, the encoder from 15% of them.",
        ),
        (
            "Switch the causal mask on.",
            "The mask hides everything to the right, and the map becomes a triangle. The encoder now does no better "
            "than the decoder, mostly worse: it never learned to do without the right side.",
        ),
        (
            "Look at the bars below: which animal lived there?",
            "None of them knows. The encoder could read it, as the next sentence names the animal again, but it "
            "didn't learn to copy over that distance in these few seconds. Being allowed to read a word doesn't mean "
            "using it.",
        ),
    ],
    code=(
        inspect_directions.encoder_says, inspect_directions.decoder_says, inspect_directions.decoder_tries,
        inspect_directions.blinders, causal_mask,
    ),
    formula=r"\text{encoder: } P(x_i \mid x_{1 \dots i-1},\, x_{i+1 \dots n}) \qquad "
    r"\text{decoder: } P(x_i \mid x_{1 \dots i-1})",
)  # fmt: skip
def directions() -> Shown | None:
    """One gap, both maps, both answers; then many gaps of the held-out stories."""
    models = current()
    if models is None:
        return None
    opened = pair(models)
    text = ask_text("dir_text", opened.words, DEFAULT)
    if text is None:
        return None
    last = len(text.ids) - 1
    one, two = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        gap = int(controls.slider("dir_gap", "Gap at position", 1, last, min(PLACE, last), step=1))
    with two:
        heads = [f"{layer}.{head}" for layer in range(2) for head in range(2)]
        which = controls.segmented("dir_head", "Layer and head", heads, "1.1")
    is_causal = controls.toggle("dir_causal", "Give the encoder a causal mask")
    layer, head = map(int, which.split("."))
    seen = maps_of(models, text.ids, gap, is_causal)
    _maps(opened, text, gap, seen, layer, head, is_causal)
    said = answers(models, text.ids, gap)
    _answers(opened, text, gap, said)
    spec = _many(measured(models))
    return Shown(
        numbers=lambda: inspect_directions.measured_table(measured(models)),
        arrays={"encoder": seen.encoder, "decoder": seen.decoder, **{f"gap.{n}": v for n, v in said.items()}},
        figure=spec,
        script=_script,
    )


def _script() -> str:
    return scripts.script(
        """
        from core.data.synthetic import gap_stories
        from core.data.csv_table import print_table
        from core.rooms.encoder.compute import directions
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import masked

        $models
        # Gaps that only a later word can tell, in stories that neither model was trained on.
        _, held = gap_stories.texts()
        found = directions.measure(models.bert, models.twin, models.words, held, masked.LENGTH)
        print_table(directions.measured_table(found))
        """,
        models=models_in_script(),
    )


def _maps(opened: Pair, text: Text, gap: int, seen: Maps, layer: int, head: int, is_causal: bool) -> None:
    """The same head's place in both models; the row that answers is marked."""
    n = len(text.ids)
    masked = [*text.labels[:gap], "<mask>", *text.labels[gap + 1 :]]
    triangle = causal_mask(n).numpy()
    shown, tensor = live.current(NAME), f"blocks.{layer}.attn.weights"
    index: tuple[Place, ...] = (head, "row", "column")
    ids = list(text.ids)
    hidden = [*ids[:gap], opened.words.mask_id, *ids[gap + 1 :]]
    encoder_side, decoder_side = layout.pair("dir-maps")
    weights = seen.encoder[layer, head]
    with encoder_side:
        widgets.matrix(
            weights,
            rows=masked,
            columns=masked,
            mask=triangle if is_causal else None,
            key="dir-encoder",
            selected=(gap, int(weights[gap].argmax())),
            label=f"The encoder reads {'only to the left' if is_causal else 'in both directions'}",
            takeaway=f"Attention of the encoder. The gap reads most from {masked[int(weights[gap].argmax())]}.",
            height=460,
            badge=None
            if shown is None
            else badges.of_live(
                shown,
                opened.bert,
                tensor,
                index,
                seen.encoder[layer],
                "the encoder trained in this room",
                ids=hidden,
                mask=triangle if is_causal else None,
            ),
        )
    weights = seen.decoder[layer, head]
    with decoder_side:
        widgets.matrix(
            weights,
            rows=text.labels,
            columns=text.labels,
            mask=triangle,
            key="dir-decoder",
            selected=(gap - 1, int(weights[gap - 1].argmax())),
            label="The decoder reads only to the left",
            takeaway="Attention of the decoder. The row before the gap, which says what comes next, reads most from "
            f"{text.labels[int(weights[gap - 1].argmax())]}.",
            height=460,
            badge=None
            if shown is None
            else badges.of_live(
                shown, opened.twin, tensor, index, seen.decoder[layer], "the decoder trained in this room", ids=ids
            ),
        )
    share = float(seen.encoder[:, :, gap, gap + 1 :].sum(-1).mean())
    st.caption(
        f"The encoder answers in the row of the gap, the decoder in the row before it. Averaged over the encoder's "
        f"heads, the gap's row reads {percent(share)} from positions right of the gap."
    )


def _answers(opened: Pair, text: Text, gap: int, said: dict[str, NDArray[np.float64]]) -> None:
    """What each puts into the gap."""
    truth = text.ids[gap]
    lines = [f"| model | its guesses | “{_cell(text.labels[gap])}” |", "|---|---|---:|"]
    for who, chances in said.items():
        words = ", ".join(f"“{_cell(word)}” {percent(p)}" for word, p in top_words(opened.words, chances, 3))
        lines.append(f"| {who} | {words} | **{100 * (chances[truth] if truth < len(chances) else 0):.1f}%** |")
    st.markdown("\n".join(lines))
    st.caption(
        f"The last row is fair to the decoder: it puts each of the {opened.words.n_plain} words into the gap and reads "
        "the whole text with it. That way it can use the right side after all. It takes "
        f"{opened.words.n_plain} passes; the encoder needs one."
    )


def _cell(word: str) -> str:
    """A word for a Markdown table."""
    return escape_markdown(word).replace("|", "\\|")


def _many(found: dict[str, Measured]) -> dict[str, Any]:
    """Bars over all gaps of each kind."""
    spec = grouped(
        list(KINDS.values()),
        {who: [found[name].chances[i] for name in KINDS] for i, who in enumerate(WHO)},
        [found[name].from_the_left for name in KINDS],
        x_title="probability of the true word",
        mark_title="the best from the left side",
        mode=layout.color_mode(),
    )
    counts = ", ".join(str(found[name].n) for name in KINDS)
    st.markdown(f"**The same three on all gaps of these kinds, in stories not trained on ({counts})**")
    alt = " ".join(
        f"{title} " + ", ".join(f"{who} {p:.2f}" for who, p in zip(WHO, found[name].chances, strict=True)) + "."
        for name, title in KINDS.items()
    )
    st.vega_lite_chart(spec, width="stretch", alt=alt, key="dir-many")
    st.caption(
        "Average probability of the word in brackets, which only later words give away. The stroke is the best that "
        "the left side allows: knowing how often each answer occurs, and nothing more."
    )
    return spec
