"""The text unrolled: the state as a heat map over the tokens, the gates of one unit, and one step by hand."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import content_key
from core.inspect.model_and_text import ModelAndText
from core.nn.recurrent import GRUCell, LSTMCell, RNNCell
from core.rooms.recurrent import by_hand, inputs
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import MEANING, Unrolled
from core.rooms.recurrent.inputs import CELLS, numbered
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.numbers import power_of_ten
from core.ui.text import escape_markdown, percent, plural
from core.ui.widgets import badges, widgets

ORDERS = {"slow": "slowest first", "quick": "quickest first", "number": "by number"}
SHOWN = (12, 24, 0)  # units in the picture; 0: all
MOST_ROWS = 256
ORDER_OF_ROWS = ("i", "f", "g", "o", "c", "r", "z", "n", "h")


def warm_up() -> None:
    """Look at the room's model once: torch imports hundreds of modules only when it is first used."""
    key = models.shipped_key("stories-gru")
    inputs.unrolled(key, models.encode(key, models.SENTENCES[models.DEFAULT], inputs.MOST_TOKENS).packed)


@exhibit(
    title="The state, token by token",
    look_for="rows that stay the same over many words, and where they turn. Each row is one number of the state (a "
    "**unit**); each column is all the net knows after that word.",
    try_this=[
        (
            "Click a cell, then check the line “New state” with a pocket calculator.",
            "It's all there: two sums of products, two biases, a squashing function, and a mixture of new and old. "
            "Nothing else happens in the net, at any word.",
            "numbers",
        ),
        (
            "Look at the row z of the slowest unit, then choose “quickest first” and the unit on top.",
            "z is the gate that says how much of the old state stays. The slow unit has z near 1 at most words and "
            "stays as it was. The quick one has z near 0 and is made anew.",
        ),
        (
            "Choose the LSTM or the plain recurrent net in the list of models.",
            "The LSTM has three gates (i, f and o), a candidate g (what could be written), and a second state c, whose "
            "values go beyond 1. The plain net has no gates: its whole state is made anew at every word.",
        ),
    ],
    code=(RNNCell.step, LSTMCell.step, GRUCell.step, recurrent.unrolled, recurrent.by_hand),
)
def unrolled(looked: ModelAndText) -> Shown:
    """Controls, the heat map of all units, the rows of one unit, and its arithmetic at one token."""
    seen = inputs.unrolled(looked.key, looked.encoded.packed)
    tokens = looked.encoded.tokens
    part, layer, units = _ask_what(seen)
    turn = _turn(seen.parts["h"][layer][:, units[0]])
    if picks.has_changed("unroll.first", f"{looked.key} {looked.encoded.packed} {layer} {units[0]}"):
        controls.reset("unroll_unit", units[0])  # what was looked at is no longer the first: begin anew
        controls.reset("unroll_token", turn)
    content = content_key(str(looked.key), looked.encoded.packed, layer, part, len(units), units[0])[:12]
    if pick := picks.news("unroll.map", content):
        _ = controls.put("unroll_unit", units[pick["row"]]) and controls.put("unroll_token", pick["column"])
    if pick := picks.news("unroll.unit", content):
        controls.put("unroll_token", pick["column"])
    left, right = st.columns(2, gap="medium")
    with left:
        token = int(controls.slider("unroll_token", "Token", 0, len(tokens) - 1, turn, step=1))
    with right:
        unit = int(controls.slider("unroll_unit", "Unit", 0, seen.shape[2] - 1, units[0], step=1))
    _map(looked, seen, part, layer, units, (token, unit), content)
    _gates_of(seen, tokens, layer, unit, token, content)
    step = recurrent.by_hand(models.load(looked.key).model, seen, layer, token, unit)
    gate = _arithmetic(step, seen, tokens, token, unit)
    _what_follows(looked, seen, token)
    return Shown(
        numbers=lambda: step.table(gate),
        script=lambda: _script(looked, layer, token, unit, gate),
        arrays=dict(seen.parts) | {"inputs": seen.inputs},
        formula=by_hand.equation(step, seen.cell),
    )


def _script(looked: ModelAndText, layer: int, token: int, unit: int, gate: str) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.recurrent.compute import recurrent
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # One unit of the state at one token, computed anew from the weights: every product of one gate.
        seen = recurrent.unrolled(model, ids)
        step = recurrent.by_hand(model, seen, layer=$layer, token=$token, unit=$unit)
        print_table(step.table($gate))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        token=token,
        unit=unit,
        gate=gate,
    )


def _ask_what(seen: Unrolled) -> tuple[str, int, list[int]]:
    """Which gate or state, which layer, and which units in which order."""
    names = [name for name in ORDER_OF_ROWS if name in seen.parts]
    labels = {name: f"{name}: {MEANING[name]}" for name in names}
    part = names[-1]
    if len(names) > 1:
        part = controls.segmented("unroll_part", "Show", names[::-1], "h", labels=labels)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        order = controls.segmented(
            "unroll_order",
            "Order of the units",
            list(ORDERS),
            "slow",
            labels=ORDERS,
            help="Slow: varies over the text, but changes little from word to word. Quick: its changes from word to "
            "word add up to the most.",
        )
    with right:
        labels_of = {n: "all" if n == 0 else f"{n}" for n in SHOWN}
        n_shown = controls.segmented("unroll_units", "How many units", list(SHOWN), 12, labels=labels_of)
    layer = 0
    if seen.shape[0] > 1:
        layer = int(controls.slider("unroll_layer", "Layer", 0, seen.shape[0] - 1, seen.shape[0] - 1, step=1))
    in_order = {"slow": seen.by_slowness, "quick": seen.by_movement}.get(order)
    units = in_order(layer) if in_order else list(range(seen.shape[2]))
    return part, layer, units[: n_shown or MOST_ROWS]


def _turn(states: NDArray[Any]) -> int:
    """Where a unit (T,) moves most: a step at which something happens, to begin with."""
    return int(np.abs(np.diff(states, prepend=0)).argmax())


def _map(
    looked: ModelAndText,
    seen: Unrolled,
    part: str,
    layer: int,
    units: list[int],
    at: tuple[int, int],
    content: str,
) -> None:
    """One gate or state of many units over the tokens."""
    tokens = looked.encoded.tokens
    token, unit = at
    values = seen.parts[part][layer][:, units].T  # (units, T)
    row = units.index(unit) if unit in units else None
    widgets.matrix(
        values,
        rows=[f"{one}" for one in units],
        columns=tokens,
        key=picks.key("unroll.map", content, None if row is None else {"row": row, "column": token}),
        kind="probability" if part in ("i", "f", "o", "r", "z") else "signed",
        limits=_limits(values, part),
        row_title="unit",
        column_title="after the token",
        value_title=part,
        selected=None if row is None else (row, token),
        height=420,
        badge=badges.of_key(
            looked.key,
            looked.encoded.packed,
            f"blocks.{layer}.{part}",
            ("column", "row"),
            seen.parts[part][layer],
            rows=tuple(units),
        ),
        label=f"{MEANING[part].capitalize()} {part} of {len(units)} of {seen.shape[2]} units"
        if len(units) < seen.shape[2]
        else f"{MEANING[part].capitalize()} {part} of all {seen.shape[2]} units",
        takeaway=f"{MEANING[part]} of {plural(len(units), 'unit')} over {plural(len(tokens), 'token')}.",
    )


def _limits(values: NDArray[Any], part: str) -> tuple[float, float]:
    """0..1 for gates, −1..1 for what a tanh gives; a cell state may grow, so its range follows it."""
    if part in ("i", "f", "o", "r", "z"):
        return 0.0, 1.0
    most = max(1.0, float(np.abs(values).max())) if part == "c" else 1.0
    return -most, most


def _gates_of(seen: Unrolled, tokens: tuple[str, ...], layer: int, unit: int, token: int, content: str) -> None:
    """All gates and states of one unit as rows."""
    names = [name for name in ORDER_OF_ROWS if name in seen.parts]
    if len(names) == 1:
        st.caption(
            "A plain recurrent net has no gates, so there is no second picture: its state is made anew at each token."
        )
        return
    values = np.stack([seen.parts[name][layer][:, unit] for name in names])  # (gates, T)
    widgets.matrix(
        values,
        rows=names,
        columns=tokens,
        key=picks.key("unroll.unit", f"{content}.{unit}"),
        kind="signed",
        limits=_limits(values, "c"),
        row_title="row",
        column_title="after the token",
        value_title=f"unit {unit}",
        selected=(len(names) - 1, token),
        height=300,
        label=f"Unit {unit} of the {CELLS[seen.cell]}: {', '.join(f'{name} {MEANING[name]}' for name in names)}",
        takeaway=f"Gates and states of unit {unit} over {plural(len(tokens), 'token')}.",
    )


def _arithmetic(step: recurrent.Step, seen: Unrolled, tokens: tuple[str, ...], token: int, unit: int) -> str:
    """The step in numbers, or in a sentence; returns the gate whose products are open."""
    reads = f"**Unit {unit} reads {escape_markdown(numbered(tokens, token))}.**"
    if not depth.at_least("numbers"):
        st.markdown(f"{reads} {by_hand.in_short(step, seen.cell)}")
        return step.shares[0].name
    before = "the start, all zeros" if token == 0 else escape_markdown(numbered(tokens, token - 1))
    st.markdown(
        f"{reads} x is what it reads, {len(step.x)} numbers; h is the state after {before}.\n\n"
        f"{by_hand.gate_lines(step, seen.cell)}\n\n{by_hand.mixture(step, seen.cell)}"
    )
    names = [share.name for share in step.shares]
    gate = names[0]
    if len(names) > 1:
        labels = {name: f"{name}: {MEANING[name]}" for name in names}
        gate = controls.segmented("unroll_gate", "The products behind the sums of", names, names[-1], labels=labels)
    st.markdown(by_hand.products(step.share(gate), step))
    st.caption(
        f"The sigmoid squeezes any number to between 0 and 1, tanh to between −1 and 1. W x has {len(step.x)} "
        f"products, U h {len(step.h)}; the Numbers panel lists them all. Computed by hand, this step differs from the "
        f"model’s own numbers by {power_of_ten(step.error)} at most."
    )
    return gate


def _what_follows(looked: ModelAndText, seen: Unrolled, token: int) -> None:
    """What the whole column gives: the next token."""
    shares = seen.probabilities[token]
    said = models.vocabulary(looked.key)[int(shares.argmax())]
    st.caption(
        f"From all {seen.shape[2]} units of the highest layer, the net predicts what comes next: most likely "
        f"“{escape_markdown(said.strip() or 'space')}”, with {percent(float(shares.max()))}."
    )
