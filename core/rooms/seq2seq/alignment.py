"""The alignment of the learner's own text: weights, energies and context, with their numbers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.browser.message import pack
from core.exhibit import Inputs as Base
from core.exhibit import picked, segmented, text_input
from core.nn.recurrent import AdditiveAttention
from core.rooms.seq2seq.compute.alignment import Alignment, Energies, energies, ring, stripe
from core.rooms.seq2seq.inputs import NAMES, TASKS, Task, content, opened
from core.train.experiments.live import Live
from core.ui.widgets.mount import mount

TRAINED = lambda i: TASKS[i.task].experiment  # noqa: E731
CODE = (AdditiveAttention.forward, AdditiveAttention.scores, energies, stripe)


class Inputs(Base, prefix="align_"):
    """A text for one of the two models, and a cell: output token and source token."""

    task: str = segmented("Task", NAMES, "reversal")
    reversal: str = text_input(**TASKS["reversal"].field, when=lambda i: i.task == "reversal")
    dates: str = text_input(**TASKS["dates"].field, when=lambda i: i.task == "dates")
    cell: str = picked(
        "align.cell",
        "",  # the strongest of a row in the middle
        text=lambda pick, i: f"{pick.get('row')}.{pick.get('column')}" if isinstance(pick, Mapping) else None,
        check=lambda text, i: None,
        content=content,
    )


@dataclass(frozen=True)
class Result:
    """An answer, and how its weights came about."""

    task: Task
    seen: Alignment
    energies: Energies
    cell: tuple[int, int]  # output token and source token whose energy is taken apart

    def table(self) -> dict[str, list[Any]]:
        """One line for each source token, for the output token of the cell."""
        seen, t = self.seen, self.cell[0]
        energies, weights, names = seen.scores[t].tolist(), seen.weights[t].tolist(), self.task.source(seen)
        return {"source token": names, f"energy for output {t}": energies, f"weight for output {t}": weights}

    @property
    def formula(self) -> str:
        """The cell's energy and weight, and the context, with their numbers."""
        (asked, read, v, terms), (t, s) = self.energies, self.cell
        scores, weights = self.seen.scores[t], self.seen.weights[t]

        def unit(h: int) -> str:
            sign, plus = "-" if v[h] < 0 else "+", "-" if read[s, h] < 0 else "+"
            return rf"{sign} {abs(v[h]):.2f}\tanh({asked[t, h]:.2f} {plus} {abs(read[s, h]):.2f})"

        one, other = (unit(h) for h in np.argsort(-np.abs(terms[t, s]), kind="stable")[:2])
        mixed = " + ".join(rf"{weights[i]:.3f}\, h_{{{i}}}" for i in np.argsort(-weights, kind="stable")[:2])
        total = np.exp(scores - scores.max()).sum()
        lines = (  # short ones, for a phone
            rf"e_{{{t},{s}}} &= {one.removeprefix('+ ')}",
            rf"&\quad {other} + \dots",
            rf"&= {scores[s]:.3f}",
            rf"\alpha_{{{t},{s}}} &= e^{{{scores[s]:.2f} - {scores.max():.2f}}} \big/ {total:.3f}",
            rf"&= {weights[s]:.3f}",
            rf"c_{{{t}}} &= {mixed}" + (r" + \dots" if len(weights) > 2 else ""),
        )
        return r"\begin{aligned} " + r" \\ ".join(lines) + r" \end{aligned}"

    @property
    def stripe(self) -> dict[int, float]:
        """Steps beside the letter to be written -> mean weight; empty where the answer is shorter than the source."""
        n = len(self.seen.source)
        return {} if len(self.seen.written) < n else stripe(self.seen.weights[:n])


def compute(inputs: Inputs, run: Live) -> Result:
    """The model's answer, and the energies of its alignment term by term."""
    task, ids, model = opened(inputs, run)
    seen = task.write(model, ids)
    middle = (len(seen.written) - 1) // 2
    cell = middle, int(seen.weights[middle].argmax())
    if re.fullmatch(r"\d{1,3}\.\d{1,3}", inputs.cell):
        t, s = map(int, inputs.cell.split("."))
        cell = (t, s) if t < len(seen.written) and s < len(ids) else cell
    return Result(task, seen, energies(model, seen), cell)


def additive(
    weights: ArrayLike,
    *,
    asked: ArrayLike,
    read: ArrayLike,
    v: ArrayLike,
    states: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int],
    key: str,
    plain: bool = False,
    truth: ArrayLike | None = None,
    label: str = "",
) -> None:
    """Draw the weights; the cell under the pointer is taken apart in the browser, and a click commits it.

    Args:
        weights: (T, S), rows sum to 1.
        asked: (T, H) W s of each output token; read: (S, H) U h of each source token; v: (H,).
        states: (S, D) what the weights mix.
        rows, columns: T output and S source tokens.
        selected: the cell taken apart while the pointer is elsewhere.
        plain: whether words stand for the symbols, and the sums are left out.
        truth: (T, S) booleans, drawn as rings: the letter to be written.
    """
    given = {"weights": weights, "asked": asked, "read": read, "v": v, "states": states}
    arrays: dict[str, NDArray[Any]] = {name: np.asarray(values, np.float32) for name, values in given.items()}
    if truth is not None:
        arrays["truth"] = np.asarray(truth).astype(np.uint8)
    header: dict[str, Any] = {
        "widget": "additive",
        "rows": list(rows),
        "columns": list(columns),
        "selected": list(selected),
        "plain": plain,
        "truth_title": "the letter to be written",
        "label": label,
        "takeaway": f"{label}: {len(rows)} output tokens, {len(columns)} source tokens.",
    }
    mount("additive", key, pack(header, arrays), pick=None)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The matrix with the arithmetic of the cell under the pointer."""
    task, seen, parts, is_reversal = result.task, result.seen, result.energies, inputs.task == "reversal"
    ui.say("answer", **task.verdict(seen))
    additive(
        seen.weights,
        asked=parts.asked,
        read=parts.read,
        v=parts.v,
        states=seen.states,
        rows=task.tokens(seen),
        columns=task.source(seen),
        selected=result.cell,
        truth=ring(len(seen.source), len(seen.written)) if is_reversal else None,
        key=ui.picks.key("align.cell", content(inputs)),
        plain=not ui.at_least("numbers"),
        label="Weights of the source, for each output token",
    )
    ui.say("energy")
    if is_reversal:
        ui.say("stripe")
