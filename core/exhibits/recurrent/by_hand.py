"""One unit's step as a reader checks it: a line for each gate, the products behind a sum, the equation in numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.inspect.recurrent import MEANING, Share, Step

N_PRODUCT = 4  # products told one by one; the others as one sum

SYMBOLS = {
    "rnn": r"h_t = \tanh(W x_t + b + U h_{t-1} + b')",
    "lstm": r"i, f, o = \sigma(W x_t + b + U h_{t-1} + b') \quad g = \tanh(\text{the same}) \quad "
    r"c_t = f c_{t-1} + i g \quad h_t = o \tanh(c_t)",
    "gru": r"r, z = \sigma(W x_t + b + U h_{t-1} + b') \quad n = \tanh(W x_t + b + r\,(U h_{t-1} + b')) \quad "
    r"h_t = (1 - z)\, n + z\, h_{t-1}",
}


def gate_table(step: Step, cell: str) -> str:
    """Markdown: a row for each gate, whose columns can be added up with a pocket calculator."""
    lines = ["| gate | W x | + b | + U h | + b′ | = sum | value |", "|---|--:|--:|--:|--:|--:|:--|"]
    for one in step.shares:
        is_scaled = cell == "gru" and one.name == "n"
        parts = [f"{v:+.4f}" for v in (one.from_input, one.bias, one.from_state, one.state_bias)]
        if is_scaled:
            parts[2], parts[3] = f"r · ({parts[2]}", f"{parts[3]})"
        value = f"{_function(one.name)}({one.total:+.4f}) = **{one.value:.4f}**"
        lines.append(f"| **{one.name}**, {MEANING[one.name]} | {' | '.join(parts)} | {one.total:+.4f} | {value} |")
    return "\n".join(lines)


def mixture(step: Step, cell: str) -> str:
    """Markdown: how the gates make the new state, in numbers."""
    v = {share.name: share.value for share in step.shares}
    h = f"**{step.h_after:+.4f}**"
    if cell == "gru":
        return (
            f"New state: (1 − z) · n + z · h before = (1 − {v['z']:.4f}) · ({v['n']:+.4f}) + {v['z']:.4f} · "
            f"({step.h_before:+.4f}) = {h}"
        )
    if cell == "lstm":
        return (
            f"New cell state: f · c before + i · g = {v['f']:.4f} · ({step.c_before:+.4f}) + {v['i']:.4f} · "
            f"({v['g']:+.4f}) = **{step.c_after:+.4f}**. New state: o · tanh(c) = {v['o']:.4f} · "
            f"{np.tanh(step.c_after):+.4f} = {h}"
        )
    return f"The only row is the new state itself: {h}"


def products(share: Share, step: Step) -> str:
    """Markdown: the largest products of both sums, and what all the others add up to."""
    return "  \n".join(
        f"{name} = {_told(row, vector)}" for name, row, vector in (("W x", share.w, step.x), ("U h", share.u, step.h))
    )


def product_table(share: Share, step: Step) -> dict[str, list[Any]]:
    """Every product of both sums, as columns."""
    return {
        "sum": ["W x"] * len(step.x) + ["U h"] * len(step.h),
        "entry": [*range(len(step.x)), *range(len(step.h))],
        "weight": [*share.w.tolist(), *share.u.tolist()],
        "times": [*step.x.tolist(), *step.h.tolist()],
        "product": [*(share.w * step.x).tolist(), *(share.u * step.h).tolist()],
    }


def equation(step: Step, cell: str) -> str:
    """LaTeX: the cell's equations with the numbers of this step."""

    def inside(one: Share) -> str:
        x, b, h, b2 = (f"{v:+.3f}" for v in (one.from_input, one.bias, one.from_state, one.state_bias))
        recalled = rf"{h} {b2}"
        if one.name == "n":
            recalled = rf"+ {step.share('r').value:.3f}\,({recalled})"
        return rf"{x} {b} {recalled}"

    v = {share.name: share.value for share in step.shares}
    rows = [
        rf"{one.name}_t &= {_latex(one.name)}({inside(one)}) = {one.value:.4f}"
        for one in step.shares
    ]  # fmt: skip
    if cell == "gru":
        rows.append(
            rf"h_t &= (1 - {v['z']:.4f}) \cdot ({v['n']:.4f}) + {v['z']:.4f} \cdot ({step.h_before:.4f})"
            rf" = {step.h_after:.4f}"
        )
    if cell == "lstm":
        rows.append(
            rf"c_t &= {v['f']:.4f} \cdot ({step.c_before:.4f}) + {v['i']:.4f} \cdot ({v['g']:.4f})"
            rf" = {step.c_after:.4f}"
        )
        rows.append(rf"h_t &= {v['o']:.4f} \cdot \tanh({step.c_after:.4f}) = {step.h_after:.4f}")
    return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def _told(row: NDArray[np.floating], vector: NDArray[np.floating]) -> str:
    terms = row * vector
    first: Sequence[int] = np.argsort(-np.abs(terms), kind="stable")[:N_PRODUCT].tolist()
    told = " ".join(f"{row[i]:+.3f}·({vector[i]:+.3f})" for i in first)
    rest = terms.sum() - terms[first].sum()
    n_other = len(terms) - len(first)
    others = f" {rest:+.4f} (the other {n_other} products together)" if n_other else ""
    return f"{told}{others} = **{terms.sum():+.4f}**"


def _function(name: str) -> str:
    return "tanh" if name in ("h", "g", "n") else "sigmoid"


def _latex(name: str) -> str:
    return r"\tanh" if name in ("h", "g", "n") else r"\sigma"
