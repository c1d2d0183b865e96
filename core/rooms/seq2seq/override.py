"""Set the weights of one output step by hand; the decoder continues from there."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    Control,
    Inputs as Base,
    Result,
    Table,
    segmented_control,
    select,
    selection_in_picture,
    slider,
    text_input,
)
from core.nn.recurrent import AdditiveAttention
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import Alignment, align, reversal_diagonal
from core.rooms.seq2seq.inputs import NAMES, TASKS, open_task, picture_key, source_characters
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = lambda i: TASKS[i.task].experiment  # noqa: E731
CODE = (align, AdditiveAttention.forward)
WeightRow = tuple[int, tuple[float, ...]]  # a step and its weights
_ROW = re.compile(r"(\d{1,3}):([0-9.,e-]{1,400})")


def _last_step(inputs: "Inputs") -> int:
    """Return the step at which the right answer ends."""
    return dates.TARGET_LENGTH - 1 if inputs.task == "dates" else len(source_characters(inputs))


def format_row(step: int, weights: Any) -> str:
    """Format a row for the address."""
    return f"{step}:{','.join(f'{weight:.4g}' for weight in weights)}"


def _parse_row(text: str, inputs: Any) -> WeightRow | None:
    """Parse a row from the address, weights unchanged; None for "". Raises ValueError with a message for the user."""
    if not text:
        return None
    found = _ROW.fullmatch(text)
    try:
        weights = tuple(map(float, found[2].split(","))) if found else ()
    except ValueError:
        weights = ()
    fits = len(weights) == len(source_characters(inputs)) and all(0 <= weight <= 1 for weight in weights)
    if found is None or not fits or int(found[1]) > _last_step(inputs):
        raise ValueError(LABELS["row_unfit"])
    if not sum(weights) > 0:
        raise ValueError(LABELS["row_empty"])
    return int(found[1]), weights


def follow_click(control: Control, inputs: "Inputs") -> None:
    """Move the step to the row that was clicked."""
    pick = ui.picks.new_pick("over.cell", picture_key(inputs))
    if isinstance(pick, Mapping) and pick["row"] <= control.options["high"]:
        ui.set_control(control, pick["row"])


class Inputs(Base, prefix="over_"):
    """A text for one of the two models, a row of weights, and the step to look at."""

    task: str = segmented_control(NAMES, "reversal")
    reversal: str = text_input(**TASKS["reversal"].field, when=lambda i: i.task == "reversal")
    dates: str = text_input(**TASKS["dates"].field, when=lambda i: i.task == "dates")
    row: str = selection_in_picture(
        "over.cell",
        "",
        text=lambda edit, i: format_row(edit["row"], edit["weights"]) if isinstance(edit, Mapping) else None,
        check=_parse_row,
        content=picture_key,
        part="edit",
    )
    step: int = slider(
        0,
        _last_step,
        lambda i: (_parse_row(i.row, i) or (3,))[0],
        before_render="core.rooms.seq2seq.override:follow_click",
    )
    source: int = select(
        lambda i: {n: f"{n}: {'·' if sign == ' ' else sign}" for n, sign in enumerate(source_characters(i) or " ")},
        0,
    )


class OverrideResult(Result):
    """An answer before and after an edit."""

    before: Alignment
    after: Alignment
    names: list[str]  # the source tokens
    row: WeightRow | None  # the edited row, its weights as shares of 1
    total: float  # sum of its weights as set
    step: int  # to look at
    has_ended: bool  # True if the answer after the edit ends before the step
    changed: list[int]  # output tokens that differ after the edit

    def table(self) -> Table:
        """Return the weights of the step, one row per source token; nan if the answer has ended before."""
        before = self.before.weights[self.step]
        after = np.full_like(before, np.nan) if self.has_ended else self.after.weights[self.step]
        return {
            LABELS["table.source_token"]: self.names,
            LABELS["table.weight_before"]: before.tolist(),
            LABELS["table.weight_after"]: after.tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> OverrideResult:
    """Compute the model's answer, and its answer with the edited row instead of its own weights."""
    task, ids, model = open_task(inputs, run)
    before, row, total = task.write(model, ids), _parse_row(inputs.row, inputs), 1.0
    after, last = before, len(before.written) - 1
    if row is not None and row[0] > last:
        row = None
    if row is not None:
        total = sum(row[1])
        row = row[0], tuple(weight / total for weight in row[1])
        after = task.write(model, ids, rows={row[0]: row[1]})
    was, now, step = before.written.tolist(), after.written.tolist(), min(inputs.step, last)
    return OverrideResult(
        before=before,
        after=after,
        names=task.source(before),
        row=row,
        total=total,
        step=step,
        has_ended=step >= len(now),
        changed=[t for t in range(max(len(was), len(now))) if was[t : t + 1] != now[t : t + 1]],
    )


def draw(result: OverrideResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the buttons that set a row without a mouse, the editable matrix, and the answer before and after."""
    task, before, after, row, step = TASKS[inputs.task], result.before, result.after, result.row, result.step
    names, at = result.names, min(result.step, len(result.after.written) - 1)
    p_before, p_after = before.probabilities[step], after.probabilities[at]
    _buttons(inputs, len(names))
    answers = [(LABELS["answer.own"], task.verdict(before)), (LABELS["answer.row"], task.verdict(after))]
    ui.add_template_values(
        answers=answers if row else answers[:1],
        was=task.tokens(before)[step],
        now=task.tokens(after)[at],
        p_was=p_before.max(),
        p_now=p_after.max(),
    )
    badge = ui.badges.run_tensor_badge(
        run, task.model(run), "decoder.attn.weights", ("row", "column"), before.weights,
        LABELS["decoder"], source=before.source.tolist(), target_in=before.fed.tolist(),
    )  # fmt: skip
    ui.matrix(
        after.weights,
        rows=task.tokens(after),
        columns=names,
        row_title=LABELS["writes"],
        column_title=LABELS["reads"],
        truth=reversal_diagonal(len(names), len(after.written)) if inputs.task == "reversal" else None,
        truth_title=LABELS["right_letter"],
        key=ui.picks.picture_widget_key("over.cell", picture_key(inputs)),
        edited=ui.EditedMatrix(row is not None, after.weights, row=row and row[0]),
        selected=(at, int(after.weights[at].argmax())),
        editable=True,
        height=190,
        label=LABELS["weights"],
        badge=badge,
    )
    if not result.has_ended and ui.depth_at_least("numbers"):
        likely = ui.top_ids_before_or_after(p_before, p_after)
        both = (p[likely].tolist() for p in (p_before, p_after))
        ui.before_after_bars(task.data.tokens(likely), *both, key="over-bars", label=LABELS("output_token", step=step))


def _buttons(inputs: Inputs, n: int) -> None:
    def button(label: str, text: str | None, **how: Any) -> None:
        ui.st.button(label, key=f"over-{label}", on_click=ui.picks.set_address_value, args=("over_row", text), **how)

    with ui.st.container(horizontal=True):
        button(LABELS["set"], format_row(inputs.step, np.eye(n)[inputs.source]), type="primary")
        button(LABELS["evenly"], format_row(inputs.step, [1 / n] * n))
        button(LABELS["undo"], None, icon=":material/undo:", disabled=not inputs.row)
