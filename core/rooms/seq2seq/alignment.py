"""The alignment of the learner's own text: weights, energies and context, with their numbers."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from core.cache import content_key
from core.nn.recurrent import AdditiveAttention
from core.rooms.seq2seq.additive_widget import additive
from core.rooms.seq2seq.common import TASKS, Opened, open_text
from core.rooms.seq2seq.compute.alignment import Alignment, Energies, energies, stripe
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown


@exhibit(
    title="Alignment: where it reads while it writes",
    look_for="one row: what the decoder reads as it writes one token. A small net compares the decoder's state with "
    "each of the encoder's states and gives each an **energy**. The **softmax** turns the energies into weights that "
    "add up to 1, and the weighted mean of the states is the **context**.",
    try_this=[
        (
            "Point at the bright cell of a row, then at its neighbors.",
            "A bright cell has the highest energy of its row. The colored bars add up to the energy, one for each unit "
            "of the small net.",
        ),
        (
            "Point at one bar, then at others.",
            "The gray bars are W s + U h, one for each hidden unit; the colored ones are v times their tanh.",
            "numbers",
        ),
        (
            "Type a longer word and look at the rings.",
            "A ring marks the letter to be written. The weight lies on it and beside it, often more of it one step "
            "to the right, on the letter written before. So a bright cell isn't the answer itself.",
        ),
        (
            "Choose “a date”.",
            "It reads the year at the end of what you typed, the month at its name, the day at its numbers. The order "
            "is turned around, and it was never told how.",
        ),
    ],
    code=(AdditiveAttention.forward, AdditiveAttention.scores, energies, stripe),
    formula=r"\begin{aligned} e_{ts} &= v^\top \tanh(W s_{t-1} + U h_s) \\ \alpha_{ts} &= "
    r"e^{e_{ts}} \big/ \textstyle\sum_{s'} e^{e_{ts'}} \\ c_t &= \textstyle\sum_s \alpha_{ts}\, h_s \end{aligned}",
)
def alignment() -> Shown | None:
    """The matrix with the arithmetic of the cell under the pointer."""
    name = controls.segmented("align_task", "Task", list(TASKS), "reversal", labels=TASKS)
    opened = open_text(name, "align")
    if opened is None:
        return None
    seen = opened.write()
    parts = energies(opened.model, seen)
    rows = opened.task.tokens(seen.written.tolist())
    tell_answer(opened, seen)
    place = ("align.cell", content_key(name, *map(str, opened.ids))[:12])
    pick = picks.news(*place)
    if pick is not None:
        picks.remember("align_cell", f"{pick['row']}.{pick['column']}")
    cell = _cell(seen.weights)
    truth = ring(opened, len(rows)) if name == "reversal" else None
    additive(
        seen.weights,
        asked=parts.asked,
        read=parts.read,
        v=parts.v,
        states=seen.states,
        rows=rows,
        columns=opened.source,
        selected=cell,
        truth=truth,
        truth_title="the letter to be written",
        key=picks.key(*place),
        plain=not depth.at_least("numbers"),
        label="Weights of the source, for each output token",
    )
    st.markdown(_stripe_in_words(seen) if name == "reversal" else "")
    t, s = cell
    return Shown(
        numbers=lambda: parts.table(t, opened.source),
        script=lambda: _script(opened, t),
        arrays={
            "weights": seen.weights, "scores": seen.scores, "queries": seen.queries, "states": seen.states,
            "contexts": seen.contexts, "W_s": parts.asked, "U_h": parts.read, "v": parts.v,
        },
        formula=_with_numbers(parts, t, s),
    )  # fmt: skip


def _script(opened: Opened, t: int) -> str:
    return scripts.script(
        """
        from $package import $data
        from core.data.csv_table import print_table
        from core.rooms.seq2seq.compute.alignment import align, energies
        $imports

        $model
        source = $source
        # It writes its answer token by token; then the energies of every token are added up term by term.
        seen = align(
            model, $data.encode("".join(source)), start_id=$data.START, end_id=$data.END, max_new_tokens=$most
        )
        print_table(energies(model, seen).table($t, source))
        """,
        **opened.model_in_script(),
        **opened.text_in_script(),
        t=t,
    )


def tell_answer(opened: Opened, seen: Alignment, before: str = "It writes") -> None:
    """What came out, and whether it is right."""
    answer = opened.task.decode(seen.written.tolist())
    told = "" if opened.truth is None else " ✓ right" if answer == opened.truth else f" ✗ right is {opened.truth}"
    st.markdown(f"{before} **{escape_markdown(answer) or '(nothing)'}**{escape_markdown(told)}")


def ring(opened: Opened, n_row: int) -> np.ndarray:
    """(T, S) True where the letter stands that is to be written."""
    n = len(opened.ids)
    found = np.zeros((n_row, n), bool)
    t = np.arange(min(n, n_row))
    found[t, n - 1 - t] = True
    return found


def _cell(weights: np.ndarray) -> tuple[int, int]:
    """The cell that the address holds, or the strongest of a row in the middle."""
    kept = (picks.remembered("align_cell") or "").split(".")
    if len(kept) == 2 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in kept):
        t, s = int(kept[0]), int(kept[1])
        if t < weights.shape[0] and s < weights.shape[1]:
            return t, s
    t = (len(weights) - 1) // 2
    return t, int(weights[t].argmax())


def _stripe_in_words(seen: Alignment) -> str:
    """Where the weight lies, on average over the letters of this string."""
    n = seen.weights.shape[1]
    if len(seen.written) < n:
        return "The answer is shorter than the source, so its letters can't be compared one by one."
    found = stripe(seen.weights[:n])
    own, left, right = found[0], found[-1], found[1]
    best = max(found, key=lambda offset: found[offset])
    where = {0: "on the letter itself", 1: "**one step to the right of it**", -1: "**one step to the left of it**"}
    after = ": the letter written just before" if best == 1 else ""
    side = where.get(best, f"{abs(best)} steps beside it")
    return (
        f"On this string, the letter to be written gets **{own:.2f}** of the weight on average, its left neighbor "
        f"{left:.2f}, its right neighbor {right:.2f}. Most lies {side}{after}. The encoder read in both directions, so "
        "each state also carries something of its neighbors, and the decoder mixes several."
    )


def _with_numbers(parts: Energies, t: int, s: int) -> str:
    """The formula of the chosen cell with its own numbers."""
    order = np.argsort(-np.abs(parts.terms[t, s]), kind="stable")[:2]
    units = [_unit(parts, t, s, int(h)) for h in order]
    largest = float(parts.scores[t].max())
    powers = np.exp(parts.scores[t] - largest)
    sources = np.argsort(-parts.weights[t], kind="stable")[:2]
    mixed = _sum([f"{parts.weights[t, i]:.3f}\\, h_{{{i}}}" for i in sources], len(parts.weights[t]))
    lines = (  # short ones, for a phone
        rf"e_{{{t},{s}}} &= {units[0].removeprefix('+ ')}",
        rf"&\quad {units[1]} + \dots",
        rf"&= {parts.scores[t, s]:.3f}",
        rf"\alpha_{{{t},{s}}} &= e^{{{parts.scores[t, s]:.2f} - {largest:.2f}}} \big/ {powers.sum():.3f}",
        rf"&= {parts.weights[t, s]:.3f}",
        rf"c_{{{t}}} &= {mixed}",
    )
    return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"


def _unit(parts: Energies, t: int, s: int, h: int) -> str:
    v, asked, read = parts.v[h], parts.asked[t, h], parts.read[s, h]
    return rf"{'-' if v < 0 else '+'} {abs(v):.2f}\tanh({asked:.2f} {'-' if read < 0 else '+'} {abs(read):.2f})"


def _sum(terms: Sequence[str], n: int) -> str:
    return " + ".join(terms) + (r" + \dots" if n > len(terms) else "")
