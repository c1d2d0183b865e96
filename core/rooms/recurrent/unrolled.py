"""The unrolled text: the state as a heat map over the tokens, the gates of one unit, and one step by hand."""

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import Label, module_labels
from core.exhibit import Control, Result, Table, ViewChoice, content_key, segmented_control, slider
from core.nn.recurrent import GRUCell, LSTMCell, RecurrentCell, RNNCell
from core.rooms.recurrent import inputs as room
from core.rooms.recurrent.compute import recurrent
from core.rooms.recurrent.compute.recurrent import LETTER_MEANINGS, GateTerms, UnitArithmetic, UnrolledText
from core.rooms.recurrent.inputs import CELL_NAMES, RecurrentInputs, token_label

LABELS = module_labels(__name__)

N_PRODUCT = 4  # products listed one by one; the others appear as one sum


def gate_markdown(step: UnitArithmetic, cell: str) -> str:
    """Return Markdown with a line for each gate, whose numbers can be added with a pocket calculator."""
    lines = []
    for one in step.shares:
        read = f"{_n(one.from_input)} (W x) {_n(one.bias)} (b)"
        recalled = f"{_n(one.from_state)} (U h) {_n(one.state_bias)} (b′)"
        if cell == "gru" and one.name == "n":
            recalled = f"+ r · [{recalled}]"
        line = LABELS(
            "gate_sum", name=one.name, meaning=LETTER_MEANINGS[one.name], read=read, recalled=recalled,
            total=_n(one.total), function=_function(one.name), value=_plain(one.value),
        )  # fmt: skip
        lines.append(f"- {line}")
    return "\n".join(lines)


def mixture_markdown(step: UnitArithmetic, cell: str) -> str:
    """Return Markdown with the numbers with which the gates form the new state."""
    v = {share.name: share.value for share in step.shares}
    h = f"**{_n(step.h_after)}**"
    if cell == "gru":
        return LABELS("mixture.gru", z=v["z"], n=_n(v["n"]), before=_n(step.h_before), h=h)
    if cell == "lstm":
        gates = {name: v[name] for name in ("f", "i", "o")}
        cells = {"before": _n(step.c_before), "after": _n(step.c_after), "tanh": _n(np.tanh(step.c_after))}
        return LABELS("mixture.lstm", g=_n(v["g"]), h=h, **gates, **cells)
    return LABELS("mixture.rnn", h=h)


def _describe_mixture(step: UnitArithmetic, cell: str) -> str:
    """Describe how the gates form the new state, without a formula."""
    v = {share.name: share.value for share in step.shares}
    before, h = _plain(step.h_before, 2), f"**{_plain(step.h_after, 2)}**"
    if cell == "gru":
        shares = {"kept": f"{v['z']:.0%}", "taken": f"{1 - v['z']:.0%}"}
        return LABELS("plain_mixture.gru", before=before, candidate=_plain(v["n"], 2), h=h, **shares)
    if cell == "lstm":
        cells = {"before": _plain(step.c_before, 2), "after": _plain(step.c_after, 2)}
        candidate = _plain(v["g"], 2)
        shares = {name: f"{v[gate]:.0%}" for name, gate in (("kept", "f"), ("added", "i"), ("shown", "o"))}
        return LABELS("plain_mixture.lstm", candidate=candidate, h=h, **shares, **cells)
    return LABELS("plain_mixture.rnn", h=h, before=before)


def product_markdown(share: GateTerms, step: UnitArithmetic) -> str:
    """Return Markdown with the largest products of both sums, and the total of all others."""
    return "  \n".join(
        f"{name} = {_product_text(row, vector)}"
        for name, row, vector in (("W x", share.w, step.x), ("U h", share.u, step.h))
    )


def step_latex(step: UnitArithmetic, cell: str) -> str:
    """Return LaTeX of the cell's equations, in symbols and with this step's numbers, in rows that fit on a phone."""
    v = {share.name: share.value for share in step.shares}
    rows = []
    for one in step.shares:
        read, recalled = (
            f"{one.from_input:+.3f} {one.bias:+.3f}",
            f"{one.from_state:+.3f} {one.state_bias:+.3f}",
        )
        if one.name == "n":
            rows += [r"n_t &= \tanh(W x_t + b", r"&\quad + r\,(U h_{t-1} + b'))"]
            rows += [rf"&= \tanh({read}", rf"&\quad + {v['r']:.3f}\,({recalled}))"]
        else:
            rows += [rf"{one.name}_t &= {_latex(one.name)}(W x_t + b + U h_{{t-1}} + b')"]
            rows += [rf"&= {_latex(one.name)}({read}", rf"&\quad {recalled})"]
        rows.append(f"&= {one.value:.4f}")
    if cell == "gru":
        rows += [r"h_t &= (1 - z)\, n + z\, h_{t-1}", rf"&= (1 - {v['z']:.3f}) \cdot ({v['n']:.3f})"]
        rows += [rf"&\quad + {v['z']:.3f} \cdot ({step.h_before:.3f})"]
    if cell == "lstm":
        rows += [r"c_t &= f\, c_{t-1} + i\, g", rf"&= {v['f']:.3f} \cdot ({step.c_before:.3f})"]
        rows += [rf"&\quad + {v['i']:.3f} \cdot ({v['g']:.3f})", f"&= {step.c_after:.4f}"]
        rows += [rf"h_t &= o \tanh(c_t) = {v['o']:.3f} \cdot \tanh({step.c_after:.3f})"]
    if cell != "rnn":
        rows.append(f"&= {step.h_after:.4f}")
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def _product_text(row: NDArray[np.floating], vector: NDArray[np.floating]) -> str:
    terms = row * vector
    first: Sequence[int] = np.argsort(-np.abs(terms), kind="stable")[:N_PRODUCT].tolist()
    told = " ".join(f"{_n(row[i], 3)}·({_n(vector[i], 3)})" for i in first)
    rest = terms.sum() - terms[first].sum()
    n_other = len(terms) - len(first)
    total = _n(terms.sum())
    if not n_other:
        return f"{told} = **{total}**"
    return LABELS("products", told=told, rest=_n(rest), n_other=n_other, total=total)


def _n(value: float, digits: int = 4) -> str:
    """Format a term of a sum, with its sign and a true minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def _plain(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _function(name: str) -> str:
    return "tanh" if name in ("h", "g", "n") else "sigmoid"


def _latex(name: str) -> str:
    return r"\tanh" if name in ("h", "g", "n") else r"\sigma"


WARM_UP = True
CODE = (RNNCell.step, LSTMCell.step, GRUCell.step, recurrent.unroll_text, recurrent.compute_by_hand)
MOST_ROWS = 256
ORDER_OF_ROWS = ("i", "f", "g", "o", "c", "r", "z", "n", "h")
GATES = ("i", "f", "o", "r", "z")  # between 0 and 1


def _gate_names(i: "Inputs") -> list[str]:
    """Return the gates and states of the net, the state last."""
    return [name for name in ORDER_OF_ROWS if name in room.unroll_model_text(i.given).parts]


def _shown_units(i: "Inputs") -> list[int]:
    """Return the units in the picture, in its order."""
    seen = room.unroll_model_text(i.given)
    in_order = {"slow": seen.by_slowness, "quick": seen.by_movement}.get(i.order)
    return (in_order(i.layer) if in_order else list(range(seen.shape[2])))[: i.units or MOST_ROWS]


def _busiest_token(i: "Inputs") -> int:
    """Return the token at which the first unit moves most, as an interesting default."""
    states = room.unroll_model_text(i.given).parts["h"][i.layer][:, _shown_units(i)[0]]
    return int(np.abs(np.diff(states, prepend=0)).argmax())


def _letter_labels(names: list[str]) -> dict[str, str]:
    """Return each letter with its meaning."""
    return {name: f"{name}: {LETTER_MEANINGS[name]}" for name in names}


def _picture_key(i: "Inputs") -> str:
    """Return a short key for the content of the pictures."""
    shown = _shown_units(i)
    return content_key(str(i.given.key), i.given.encoded.ids_key, i.layer, len(shown), shown[0])[:12]


def follow_clicks(control: Control, i: "Inputs") -> None:
    """Select the clicked token and unit; reset both if other units are shown."""
    shown, unit, token = _shown_units(i), Inputs.control("unit"), Inputs.control("token")
    if ui.picks.has_content_changed("unroll.first", f"{i.given.key} {i.given.encoded.ids_key} {i.layer} {shown[0]}"):
        ui.set_control_silently(unit, shown[0])
        ui.set_control_silently(token, _busiest_token(i))
    if pick := ui.picks.new_pick("unroll.map", _picture_key(i)):
        _ = ui.set_control(unit, shown[pick["row"]]) and ui.set_control(token, pick["column"])
    if pick := ui.picks.new_pick("unroll.unit", _picture_key(i)):
        ui.set_control(token, pick["column"])


class Inputs(RecurrentInputs, prefix="unroll_"):
    part: str = segmented_control(
        lambda i: _letter_labels(_gate_names(i)[::-1]),
        "h",
        when=lambda i: len(_gate_names(i)) > 1,
        view=ViewChoice(),
    )
    order: str = segmented_control(
        ("slow", "quick", "number"),
        "slow",
    )
    units: int = segmented_control({12: "12", 24: "24", 0: LABELS["every_unit"]}, 12)
    layer: int = slider(
        0,
        lambda i: room.unroll_model_text(i.given).shape[0] - 1,
        lambda i: room.unroll_model_text(i.given).shape[0] - 1,
        when=lambda i: room.unroll_model_text(i.given).shape[0] > 1,
    )
    token: int = slider(0, lambda i: i.given.n_token - 1, _busiest_token, before_render=f"{__name__}:follow_clicks")
    unit: int = slider(0, lambda i: room.unroll_model_text(i.given).shape[2] - 1, lambda i: _shown_units(i)[0])
    gate: str = segmented_control(
        lambda i: _letter_labels(_gates(i)),
        lambda i: _gates(i)[-1],
        when=lambda i: len(_gates(i)) > 1 and ui.depth_at_least("numbers"),
        view=ViewChoice(),
    )


def _gates(i: Inputs) -> list[str]:
    cells = cast(Sequence[RecurrentCell], i.given.model.blocks)
    return list(cells[0].gates or ("h",))


class UnitStep(Result):
    """The text through the net, and one unit's step by hand."""

    seen: UnrolledText
    step: UnitArithmetic
    units: tuple[int, ...]  # those in the picture
    gate: str  # whose products are listed
    tokens: tuple[str, ...]  # (T,)
    formula: str  # the step's equations, in symbols and in numbers

    def table(self) -> Table:
        """Return one row per product in both sums of a gate."""
        return self.step.table(self.gate)


def compute(inputs: Inputs) -> UnitStep:
    """Recompute one unit of the state at one token from the weights."""
    given, seen = inputs.given, room.unroll_model_text(inputs.given)
    step = recurrent.compute_by_hand(given.model, seen, inputs.layer, inputs.token, inputs.unit)
    return UnitStep(
        seen=seen,
        step=step,
        units=tuple(_shown_units(inputs)),
        gate=inputs.gate,
        tokens=given.tokens,
        formula=step_latex(step, seen.cell),
    )


def draw(result: UnitStep, inputs: Inputs) -> None:
    """Draw the heat map of all units, the rows of one unit, and its arithmetic at one token."""
    _map(result, inputs)
    step, cell, token = result.step, result.seen.cell, inputs.token
    reads = LABELS("reads", unit=inputs.unit, token=ui.escape_markdown(token_label(result.tokens, token)))
    sums = [product_markdown(share, step) for share in step.shares]
    shares = result.seen.probabilities[token]
    by_gate = [{"sums": one} for one in sums]
    ui.add_template_values(
        ui.select_by_choice(by_gate, inputs.gate) if len(sums) > 1 else by_gate[0],
        said=f"{reads} {_describe_mixture(step, cell)}",
        word=inputs.given.vocabulary[int(shares.argmax())].strip() or LABELS["space"],
        share=float(shares.max()),
    )
    if ui.depth_at_least("numbers"):
        _gates_of_the_unit(result, inputs)
        before = LABELS["start"] if token == 0 else token_label(result.tokens, token - 1)
        ui.show_markdown(
            f"{reads} {ui.section_text('reads', before=before)}\n\n{gate_markdown(step, cell)}\n\n"
            f"{mixture_markdown(step, cell)}"
        )


def _map(result: UnitStep, inputs: Inputs) -> None:
    """Draw one gate or state of many units over the tokens."""
    shown, given, seen = list(result.units), inputs.given, result.seen
    n_unit = seen.shape[2]
    row = shown.index(inputs.unit) if inputs.unit in shown else None
    pick = None if row is None else {"row": row, "column": inputs.token}
    part = ui.for_each_option(str, inputs.part) if len(_gate_names(inputs)) > 1 else inputs.part
    whole = ui.map_choices(lambda part: seen.parts[part][inputs.layer], part)  # (T, units)
    values = ui.map_choices(lambda one: one[:, shown].T, whole)

    def badge(part: str, whole: NDArray[np.generic]) -> "ui.ProvenanceBadge":
        name = f"blocks.{inputs.layer}.{part}"
        return ui.badges.model_tensor_badge(
            given.key, given.encoded.ids_key, name, ("column", "row"), whole, rows=result.units
        )

    def title(part: str) -> str:
        told = {"meaning": LABELS.capitalize(LETTER_MEANINGS[part]), "part": part, "n_unit": n_unit}
        return LABELS("some_units", n_shown=len(shown), **told) if len(shown) < n_unit else LABELS("all_units", **told)

    ui.matrix(
        ui.pad_stack(values),
        rows=[f"{unit}" for unit in shown],
        columns=result.tokens,
        key=ui.picks.picture_widget_key("unroll.map", _picture_key(inputs), pick),
        kind=ui.map_choices(lambda part: "probability" if part in GATES else "signed", part),
        limits=ui.map_choices(_limits, values, part),
        row_title=LABELS["unit_axis"],
        column_title=LABELS["token_axis"],
        value_title=part,
        selected=None if row is None else (row, inputs.token),
        height=370,
        badge=ui.map_choices(badge, part, whole),
        label=ui.map_choices(title, part),
        takeaway=ui.map_choices(
            lambda part: LABELS("map_takeaway", meaning=LETTER_MEANINGS[part], n_unit=len(shown), n=len(result.tokens)),
            part,
        ),
    )


def _limits(values: NDArray[np.generic], part: str) -> tuple[float, float]:
    """Return the limits of the color range: 0..1 for gates, −1..1 after a tanh; a cell state sets its own range."""
    if part in GATES:
        return 0.0, 1.0
    most = max(1.0, float(np.abs(values).max())) if part == "c" else 1.0
    return -most, most


def _gates_of_the_unit(result: UnitStep, inputs: Inputs) -> None:
    """Draw all gates and states of one unit as rows."""
    names, unit = _gate_names(inputs), inputs.unit
    if len(names) == 1:
        return
    values = np.stack([result.seen.parts[name][inputs.layer][:, unit] for name in names])  # (gates, T)
    ui.matrix(
        values,
        rows=names,
        columns=result.tokens,
        key=ui.picks.picture_widget_key("unroll.unit", f"{_picture_key(inputs)}.{unit}"),
        kind="signed",
        limits=_limits(values, "c"),
        row_title=LABELS["row"],
        column_title=LABELS["token_axis"],
        value_title=LABELS("one_unit", unit=unit),
        selected=(len(names) - 1, inputs.token),
        height=300,
        label=LABELS(
            "gates_of_unit",
            unit=unit,
            cell=CELL_NAMES[result.seen.cell],
            gates=Label(", ".join(f"{name} {LETTER_MEANINGS[name]}" for name in names), " ".join(names)),
        ),
        takeaway=LABELS("gates_takeaway", unit=unit, n=len(result.tokens)),
    )
