"""One unit's step as a reader checks it: a line for each gate, the products behind a sum, the equation in numbers."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.rooms.recurrent.compute.recurrent import MEANING, Share, Step

N_PRODUCT = 4  # products told one by one; the others as one sum


def gate_lines(step: Step, cell: str) -> str:
    """Markdown: a line for each gate, whose numbers can be added up with a pocket calculator."""
    lines = []
    for one in step.shares:
        read = f"{_n(one.from_input)} (W x) {_n(one.bias)} (b)"
        recalled = f"{_n(one.from_state)} (U h) {_n(one.state_bias)} (b′)"
        if cell == "gru" and one.name == "n":
            recalled = f"+ r · [{recalled}]"
        total = f"{_n(one.total)}; {_function(one.name)} of that: **{_plain(one.value)}**"
        lines.append(f"- **{one.name}**, {MEANING[one.name]}: {read} {recalled} = {total}")
    return "\n".join(lines)


def mixture(step: Step, cell: str) -> str:
    """Markdown: how the gates make the new state, in numbers."""
    v = {share.name: share.value for share in step.shares}
    h = f"**{_n(step.h_after)}**"
    if cell == "gru":
        return (
            f"New state: (1 − z) · n + z · h before = (1 − {v['z']:.4f}) · ({_n(v['n'])}) + {v['z']:.4f} · "
            f"({_n(step.h_before)}) = {h}"
        )
    if cell == "lstm":
        return (
            f"New cell state: f · c before + i · g = {v['f']:.4f} · ({_n(step.c_before)}) + {v['i']:.4f} · "
            f"({_n(v['g'])}) = **{_n(step.c_after)}**. New state: o · tanh(c) = {v['o']:.4f} · "
            f"{_n(np.tanh(step.c_after))} = {h}"
        )
    return f"That is the new state itself: {h}"


def in_short(step: Step, cell: str) -> str:
    """How the gates make the new state, for those who want no formula."""
    v = {share.name: share.value for share in step.shares}
    before, h = _plain(step.h_before, 2), f"**{_plain(step.h_after, 2)}**"
    if cell == "gru":
        return (
            f"New state: it keeps {v['z']:.0%} of the old value {before} and takes {1 - v['z']:.0%} of the candidate "
            f"{_plain(v['n'], 2)}, which makes {h}."
        )
    if cell == "lstm":
        return (
            f"Its cell state keeps {v['f']:.0%} of the old value {_plain(step.c_before, 2)} and adds {v['i']:.0%} of "
            f"the candidate {_plain(v['g'], 2)}, which makes {_plain(step.c_after, 2)}. New state: {v['o']:.0%} of "
            f"that, once it's squeezed to between −1 and 1: {h}."
        )
    return f"New state: {h}, made anew; it was {before}."


def products(share: Share, step: Step) -> str:
    """Markdown: the largest products of both sums, and what all the others add up to."""
    return "  \n".join(
        f"{name} = {_product_text(row, vector)}"
        for name, row, vector in (("W x", share.w, step.x), ("U h", share.u, step.h))
    )


def equation(step: Step, cell: str) -> str:
    """LaTeX: the cell's equations, in symbols and with the numbers of this step, in rows that fit on a phone."""
    v = {share.name: share.value for share in step.shares}
    rows = []
    for one in step.shares:
        read, recalled = f"{one.from_input:+.3f} {one.bias:+.3f}", f"{one.from_state:+.3f} {one.state_bias:+.3f}"
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
    others = f" {_n(rest)} (the other {n_other} products together)" if n_other else ""
    return f"{told}{others} = **{_n(terms.sum())}**"


def _n(value: float, digits: int = 4) -> str:
    """A term of a sum: with its sign, and a true minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def _plain(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _function(name: str) -> str:
    return "tanh" if name in ("h", "g", "n") else "sigmoid"


def _latex(name: str) -> str:
    return r"\tanh" if name in ("h", "g", "n") else r"\sigma"
