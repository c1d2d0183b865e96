"""Who reads whom: the attention of the three families on the same question, in one layout."""

import numpy as np
import streamlit as st

from core.cache import memoize
from core.rooms.families.common import NAME, ask_walk, three_of
from core.rooms.families.compute import family_attention as inside
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_attention import Reading
from core.rooms.families.compute.walks import Walk
from core.rooms.families.same_question import ASKED
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets import badges, widgets
from core.ui.widgets.badge import Badge, Place

# A number is a head of the last layer: the decoder and the encoder have two layers, the others one.
HEADS = {
    "best": "★ reads right",
    "mean": "mean of all",
    **{str(i): f"last layer, head {i}" for i in range(4)},
}
TITLES = {
    "decoder": "Decoder: walk, question and answer in one text",
    "encoder": "Encoder: everything reads everything",
    "source": "Encoder-decoder: its encoder reads the source",
    "target": "Encoder-decoder: its decoder reads its answer",
    "cross": "Encoder-decoder: answer (rows) reads source (columns)",
}


@memoize(MAX_RESULTS)
def readings(models: Trained, things: tuple[str, ...], task: str) -> dict[str, Reading]:
    """All attention of the three on one question."""
    three = three_of(models)
    return inside.readings(
        three.decoder.model, three.encoder.models[task], three.encoder_decoder.model, Walk(things), task
    )


@exhibit(
    title="Who reads whom",
    look_for="the shapes: the decoder has one map with an empty corner, the encoder a full one, the encoder-decoder "
    "three. Rings mark what the next word of the answer comes from; tokens such as “<back?>” are the question.",
    try_this=[
        (
            "Compare the ringed rows of the decoder with those of the answer in the encoder-decoder.",
            "The same job in two places: the answer looks up the next thing in the walk, from last to first. The "
            "decoder does it inside one text, the encoder-decoder across two.",
        ),
        (
            "Choose “Round again: which 3 things come next?”.",
            "The rings move to the first three things, and other heads get the star. In the encoder they're in the "
            "last three rows: these were masks, and two of them are filled by now.",
        ),
        (
            "Choose “mean of all”.",
            "The rings fade in every map: the other heads look elsewhere.",
        ),
    ],
    code=(inside.decoder_reading, inside.encoder_reading, inside.encoder_decoder_readings),
)
def who_reads() -> Shown | None:
    """Five maps of three models on one walk."""
    shown = live.current(NAME)
    if shown is None:
        st.info("There are no trained models yet. Train them in “Same question, three architectures”.")
        return None
    one, two, three = st.columns([4, 4, 3], gap="small", vertical_alignment="bottom")
    with one:
        walk = ask_walk("reads_walk")
    with two:
        task = controls.select("reads_task", "Question", list(walks.TASKS), "translate", labels=ASKED)
    with three:
        head = controls.select("reads_head", "Layer and head", list(HEADS), "best", labels=HEADS)
    if walk is None:
        return None
    found = readings(trained(shown), walk.things, task)
    if task == "classify" and head == "best":
        st.caption(
            "This answer isn't at any one position, so no head can be said to read right: each map shows head 0."
        )
    for names in (("decoder", "encoder"), ("cross", "source")):
        for place, name in zip(layout.pair(f"reads-{names[0]}"), names, strict=True):
            with place:
                _map(shown, name, found, head, task)
    with layout.pair("reads-target")[0]:
        _map(shown, "target", found, head, task)
    return Shown(
        numbers=lambda: inside.table(found),
        arrays={f"weights.{name}": one.weights for name, one in found.items()},
        script=lambda: _script(shown, walk, task),
    )


def _script(shown: Live, walk: Walk, task: str) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.families.compute.walks import Walk
        from core.rooms.families.compute import family_attention
        from core.train.experiment import record_of
        from core.rooms.families.compute import family_models

        three = family_models.rebuilt($record)
        walk, task = Walk($things), $task

        # Each of the three answers the question; all of its attention is recorded on the way.
        found = family_attention.readings(
            three.decoder.model, three.encoder.models[task], three.encoder_decoder.model, walk, task
        )
        print_table(family_attention.table(found))
        """,
        record=scripts.record(NAME, shown),
        things=walk.things,
        task=task,
    )


def _map(shown: Live, name: str, found: dict[str, Reading], head: str, task: str) -> None:
    one = found[name]
    weights, told = chosen(one, head)
    rings = one.truth if one.truth.any() else None
    share = float(np.where(one.truth, weights, 0).sum() / max(1, int(one.truth.any(-1).sum())))
    said = f" On the rings: {percent(share)} of a row's weight, on average." if rings is not None else ""
    widgets.matrix(
        weights,
        rows=one.rows,
        columns=one.columns,
        key=f"reads-{name}-{task}-{head}-{len(one.rows)}-{len(one.columns)}",
        mask=one.mask,
        truth=rings,
        truth_title="what the answer comes from",
        label=f"{TITLES[name]} ({told})",
        takeaway=f"{TITLES[name]}, {told}: {int(one.mask.sum())} of {one.mask.size} cells may be read.{said}",
        height=330,
        badge=_badge(shown, found, name, head, task),
    )
    if said:
        st.caption(said.strip())


def _badge(shown: Live, found: dict[str, Reading], name: str, head: str, task: str) -> Badge | None:
    """Which tensor of which of the three a map is; None for a mean, which is no tensor of a model."""
    if head == "mean":
        return None
    one, three = found[name], three_of(trained(shown))
    layer, number = place_of(one, head)
    index: tuple[Place, ...] = (number, "row", "column")
    if name in ("decoder", "encoder"):
        model = three.decoder.model if name == "decoder" else three.encoder.models[task]
        return badges.of_live(
            shown, model, f"blocks.{layer}.attn.weights", index, one.weights[layer],
            f"the {name} trained in this room", ids=walks.encode(one.rows),
        )  # fmt: skip
    tensor = {"source": "encoder.blocks.{}.attn", "target": "decoder.blocks.{}.attn"}.get(
        name, "decoder.blocks.{}.cross_attn"
    )
    return badges.of_live(
        shown, three.encoder_decoder.model, f"{tensor.format(layer)}.weights", index, one.weights[layer],
        "the encoder-decoder trained in this room", source=walks.encode(found["source"].rows),
        target_in=walks.encode(found["target"].rows),
    )  # fmt: skip


def chosen(one: Reading, head: str) -> tuple[np.ndarray, str]:
    """(T, S) of the chosen head, and its name. A number is a head of the last layer."""
    if head == "mean":
        return one.weights.mean((0, 1)), "mean of all heads"
    layer, number = place_of(one, head)
    return one.weights[layer, number], f"{'★ ' if head == 'best' and one.truth.any() else ''}head {layer}.{number}"


def place_of(one: Reading, head: str) -> tuple[int, int]:
    """(layer, head) of the choice: the one that reads right; else, or where no head can, of the last layer."""
    if head == "best" and one.truth.any():
        return one.best
    return one.weights.shape[0] - 1, 0 if head == "best" else int(head)
