"""The alignment of the learner's own text: weights, energies and context, with their numbers."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control, selection_in_picture, text_input
from core.nn.recurrent import AdditiveAttention
from core.rooms.seq2seq.compute.alignment import (
    Alignment,
    AlignmentEnergies,
    alignment_energies,
    reversal_diagonal,
    weight_by_offset,
)
from core.rooms.seq2seq.inputs import NAMES, TASKS, open_task, picture_key
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = lambda i: TASKS[i.task].experiment  # noqa: E731
CODE = (AdditiveAttention.forward, AdditiveAttention.scores, alignment_energies, weight_by_offset)


class Inputs(Base, prefix="align_"):
    """A text for one of the two models, and a cell: output token and source token."""

    task: str = segmented_control(NAMES, "reversal")
    reversal: str = text_input(**TASKS["reversal"].field, when=lambda i: i.task == "reversal")
    dates: str = text_input(**TASKS["dates"].field, when=lambda i: i.task == "dates")
    cell: str = selection_in_picture(
        "align.cell",
        "",  # the strongest of a row in the middle
        text=lambda pick, i: f"{pick.get('row')}.{pick.get('column')}" if isinstance(pick, Mapping) else None,
        check=lambda text, i: None,
        content=picture_key,
    )


class AlignmentAnswer(Result):
    """An answer, with the arithmetic of its attention weights."""

    seen: Alignment
    energies: AlignmentEnergies
    cell: tuple[int, int]  # output token and source token whose energy is shown in detail
    names: list[str]  # the source tokens
    stripe: dict[int, float]  # distance from the letter to be written -> mean weight; {} if the answer is too short
    formula: str  # the cell's energy and weight, and the context, with their numbers

    def table(self) -> Table:
        """Return one row per source token, for the output token of the cell."""
        t = self.cell[0]
        energies, weights = self.seen.scores[t].tolist(), self.seen.weights[t].tolist()
        return {
            LABELS["table.source_token"]: self.names,
            LABELS("table.energy", t=t): energies,
            LABELS("table.weight", t=t): weights,
        }


def compute(inputs: Inputs, run: ExperimentRun) -> AlignmentAnswer:
    """Compute the model's answer, and the energies of its alignment term by term."""
    task, ids, model = open_task(inputs, run)
    seen = task.write(model, ids)
    middle = (len(seen.written) - 1) // 2
    cell = middle, int(seen.weights[middle].argmax())
    if re.fullmatch(r"\d{1,3}\.\d{1,3}", inputs.cell):
        t, s = map(int, inputs.cell.split("."))
        cell = (t, s) if t < len(seen.written) and s < len(ids) else cell
    parts, is_whole = alignment_energies(model, seen), len(seen.written) >= len(ids)
    return AlignmentAnswer(
        seen=seen,
        energies=parts,
        cell=cell,
        names=task.source(seen),
        stripe=weight_by_offset(seen.weights[: len(ids)]) if is_whole else {},
        formula=_formula(seen, parts, cell),
    )


def _formula(seen: Alignment, parts: AlignmentEnergies, cell: tuple[int, int]) -> str:
    (asked, read, v, terms), (t, s) = parts, cell
    scores, weights = seen.scores[t], seen.weights[t]

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


def draw(result: AlignmentAnswer, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the matrix; the browser shows the arithmetic of the cell under the pointer, and a click selects it."""
    task, seen, parts = TASKS[inputs.task], result.seen, result.energies
    label = LABELS["weights"]
    ui.add_template_values(**task.verdict(seen))
    rows, columns = task.tokens(seen), result.names
    rings = {"truth": reversal_diagonal(len(columns), len(rows))} if inputs.task == "reversal" else {}
    shown: dict[str, Any] = {"asked": parts.asked, "read": parts.read, "v": parts.v, "states": seen.states} | rings
    ui.mount_widget(
        "additive",
        key=ui.picks.picture_widget_key("align.cell", picture_key(inputs)),
        state=("pick",),
        weights=seen.weights,
        rows=rows,
        columns=columns,
        selected=list(result.cell),
        plain=not ui.depth_at_least("numbers"),
        truth_title=LABELS["right_letter"],
        label=label,
        takeaway=LABELS("weights_takeaway", label=label, n_row=len(rows), n_column=len(columns)),
        **shown,
    )
