"""The text unrolled: the state as a heat map over the tokens, the gates of one unit, and one step by hand."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import Control, Look, Result, content_key, segmented, slider
from core.nn.recurrent import GRUCell, LSTMCell, RNNCell
from core.rooms.recurrent import by_hand
from core.rooms.recurrent import inputs as room
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import MEANING, Step, Unrolled
from core.rooms.recurrent.inputs import CELLS, Looked, numbered

WARM_UP = True
CODE = (RNNCell.step, LSTMCell.step, GRUCell.step, recurrent.unrolled, recurrent.by_hand)
MOST_ROWS = 256
ORDER_OF_ROWS = ("i", "f", "g", "o", "c", "r", "z", "n", "h")
GATES = ("i", "f", "o", "r", "z")  # between 0 and 1


def rows(i: Any) -> list[str]:
    """Gates and states of the net, the state last."""
    return [name for name in ORDER_OF_ROWS if name in room.unrolled(i.given).parts]


def units(i: Any) -> list[int]:
    """The units of the picture, in its order."""
    seen = room.unrolled(i.given)
    in_order = {"slow": seen.by_slowness, "quick": seen.by_movement}.get(i.order)
    return (in_order(i.layer) if in_order else list(range(seen.shape[2])))[: i.units or MOST_ROWS]


def turn(i: Any) -> int:
    """Where the first unit moves most: a step at which something happens, to begin with."""
    states = room.unrolled(i.given).parts["h"][i.layer][:, units(i)[0]]
    return int(np.abs(np.diff(states, prepend=0)).argmax())


def named(names: list[str]) -> dict[str, str]:
    """What letters stand for."""
    return {name: f"{name}: {MEANING[name]}" for name in names}


def content(i: Any) -> str:
    """What the pictures show, in short."""
    shown = units(i)
    return content_key(str(i.given.key), i.given.encoded.ids_key, i.layer, len(shown), shown[0])[:12]


def follow_clicks(control: Control, i: Any) -> None:
    """A click in a picture moves token and unit; where other units are shown, both begin anew."""
    shown = units(i)
    if ui.picks.has_changed("unroll.first", f"{i.given.key} {i.given.encoded.ids_key} {i.layer} {shown[0]}"):
        ui.reset("unroll_unit", shown[0])
        ui.reset("unroll_token", turn(i))
    if pick := ui.picks.news("unroll.map", content(i)):
        _ = ui.put("unroll_unit", shown[pick["row"]]) and ui.put("unroll_token", pick["column"])
    if pick := ui.picks.news("unroll.unit", content(i)):
        ui.put("unroll_token", pick["column"])


class Inputs(Looked, prefix="unroll_"):
    part: str = segmented("Show", lambda i: named(rows(i)[::-1]), "h", when=lambda i: len(rows(i)) > 1, look=Look())
    order: str = segmented(
        "Order of the units",
        {"slow": "slowest first", "quick": "quickest first", "number": "by number"},
        "slow",
        help="Slow: varies over the text, but changes little from word to word. Quick: its changes from word to word "
        "add up to the most.",
    )
    units: int = segmented("How many units", {12: "12", 24: "24", 0: "all"}, 12)
    layer: int = slider(
        "Layer",
        0,
        lambda i: room.unrolled(i.given).shape[0] - 1,
        lambda i: room.unrolled(i.given).shape[0] - 1,
        when=lambda i: room.unrolled(i.given).shape[0] > 1,
    )
    token: int = slider("Token", 0, lambda i: i.given.n_token - 1, turn, before=f"{__name__}:follow_clicks")
    unit: int = slider("Unit", 0, lambda i: room.unrolled(i.given).shape[2] - 1, lambda i: units(i)[0])
    gate: str = segmented(
        "The products behind the sums of",
        lambda i: named(_gates(i)),
        lambda i: _gates(i)[-1],
        when=lambda i: len(_gates(i)) > 1 and ui.at_least("numbers"),
        look=Look(),
    )


def _gates(i: Any) -> list[str]:
    cells: Any = i.given.model.blocks
    return list(cells[0].gates or ("h",))


class UnitStep(Result):
    """The text through the net, and one unit's step by hand."""

    seen: Unrolled
    step: Step
    units: tuple[int, ...]  # those of the picture
    gate: str  # whose products are listed
    tokens: tuple[str, ...]  # (T,)
    formula: str  # the step's equations, in symbols and in numbers

    def table(self) -> dict[str, list[Any]]:
        """Every product of both sums of a gate."""
        return self.step.table(self.gate)


def compute(inputs: Inputs) -> UnitStep:
    """One unit of the state at one token, computed anew from the weights."""
    given, seen = inputs.given, room.unrolled(inputs.given)
    step = recurrent.by_hand(given.model, seen, inputs.layer, inputs.token, inputs.unit)
    return UnitStep(
        seen=seen,
        step=step,
        units=tuple(units(inputs)),
        gate=inputs.gate,
        tokens=given.tokens,
        formula=by_hand.equation(step, seen.cell),
    )


def draw(result: UnitStep, inputs: Inputs) -> None:
    """The heat map of all units, the rows of one unit, and its arithmetic at one token."""
    _map(result, inputs)
    step, cell, token = result.step, result.seen.cell, inputs.token
    reads = f"**Unit {inputs.unit} reads {ui.escape_markdown(numbered(result.tokens, token))}.**"
    sums = [by_hand.products(share, step) for share in step.shares]
    shares = result.seen.probabilities[token]
    by_gate = [{"sums": one} for one in sums]
    ui.facts(
        ui.along(by_gate, inputs.gate) if len(sums) > 1 else by_gate[0],
        said=f"{reads} {by_hand.in_short(step, cell)}",
        word=inputs.given.vocabulary[int(shares.argmax())].strip() or "space",
        share=float(shares.max()),
    )
    if ui.at_least("numbers"):
        _gates_of_the_unit(result, inputs)
        before = "the start, all zeros" if token == 0 else numbered(result.tokens, token - 1)
        ui.write(
            f"{reads} {ui.words('reads', before=before)}\n\n{by_hand.gate_lines(step, cell)}\n\n"
            f"{by_hand.mixture(step, cell)}"
        )


def _map(result: UnitStep, inputs: Inputs) -> None:
    """One gate or state of many units over the tokens."""
    shown, given, seen = list(result.units), inputs.given, result.seen
    n_unit = seen.shape[2]
    row = shown.index(inputs.unit) if inputs.unit in shown else None
    pick = None if row is None else {"row": row, "column": inputs.token}
    many = f"{f'{len(shown)} of' if len(shown) < n_unit else 'all'} {n_unit} units"
    part = ui.each(str, inputs.part) if len(rows(inputs)) > 1 else inputs.part
    whole = ui.over(lambda part: seen.parts[part][inputs.layer], part)  # (T, units)
    values = ui.over(lambda one: one[:, shown].T, whole)

    def badge(part: str, whole: NDArray[Any]) -> "ui.Badge":
        name = f"blocks.{inputs.layer}.{part}"
        return ui.badges.of_key(given.key, given.encoded.ids_key, name, ("column", "row"), whole, rows=result.units)

    ui.matrix(
        ui.stacked(values),
        rows=[f"{unit}" for unit in shown],
        columns=result.tokens,
        key=ui.picks.key("unroll.map", content(inputs), pick),
        kind=ui.over(lambda part: "probability" if part in GATES else "signed", part),
        limits=ui.over(_limits, values, part),
        row_title="unit",
        column_title="after the token",
        value_title=part,
        selected=None if row is None else (row, inputs.token),
        height=370,
        badge=ui.over(badge, part, whole),
        label=ui.over(lambda part: f"{MEANING[part].capitalize()} {part} of {many}", part),
        takeaway=ui.over(
            lambda part: (
                f"{MEANING[part]} of {ui.plural(len(shown), 'unit')} over {ui.plural(len(result.tokens), 'token')}."
            ),
            part,
        ),
    )


def _limits(values: NDArray[Any], part: str) -> tuple[float, float]:
    """0..1 for gates, −1..1 for what a tanh gives; a cell state may grow, so its range follows it."""
    if part in GATES:
        return 0.0, 1.0
    most = max(1.0, float(np.abs(values).max())) if part == "c" else 1.0
    return -most, most


def _gates_of_the_unit(result: UnitStep, inputs: Inputs) -> None:
    """All gates and states of one unit as rows."""
    names, unit = rows(inputs), inputs.unit
    if len(names) == 1:
        return
    values = np.stack([result.seen.parts[name][inputs.layer][:, unit] for name in names])  # (gates, T)
    ui.matrix(
        values,
        rows=names,
        columns=result.tokens,
        key=ui.picks.key("unroll.unit", f"{content(inputs)}.{unit}"),
        kind="signed",
        limits=_limits(values, "c"),
        row_title="row",
        column_title="after the token",
        value_title=f"unit {unit}",
        selected=(len(names) - 1, inputs.token),
        height=300,
        label=f"Unit {unit} of the {CELLS[result.seen.cell]}: {', '.join(f'{n} {MEANING[n]}' for n in names)}",
        takeaway=f"Gates and states of unit {unit} over {ui.plural(len(result.tokens), 'token')}.",
    )
