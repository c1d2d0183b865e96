"""Fix the lecture's code: a class with mistakes, its repairs as switches, and what each version learns and reads."""

from contextlib import nullcontext
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    guess_control,
    seed,
    slider,
    text_input,
    toggle,
)
from core.inspect.tap_lines import find_tap_line
from core.rooms.hard_attention.compute import lecture as look
from core.rooms.hard_attention.compute.lecture import CodeLine, LectureReading, lines_to_text, resolve_switches
from core.rooms.hard_attention.compute.lecture_attention import NEEDED_CHANGES, PRINTED_CODE, LectureAttention, Repairs
from core.rooms.hard_attention.experiments import lecture as task
from core.rooms.hard_attention.experiments.lecture import CHANCE_ACCURACY, LETTERS, VERSION_NAMES
from core.rooms.hard_attention.three_ways import draw_variant_curves
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "lecture"
EXAMPLE_STRINGS = ("headache", "cabbage", "badge")  # of these letters alone
EQUAL_WITHIN = 0.05  # accuracies this close count as the same
CODE = (LectureAttention, look.record_lecture_attention, task.trained_version, task.Lecture)


class Inputs(Base, prefix="lecture_"):
    longest: int = task.Options.control("longest")
    seed: int = seed()
    guess: str = guess_control(("blind", "some", "same"))
    encoder: bool = toggle(
        name="fix_encoder",
        heading=LABELS["repairs_heading"],
    )
    axis: bool = toggle(
        name="fix_axis",
    )
    mask: bool = toggle(name="fix_mask")
    sizes: bool = toggle(name="fix_sizes")
    text: str = text_input(
        "headache",
        max_chars=task.MAX_LENGTH,
        heading="",
        notes=lambda name, typed, _: ui.warn_unknown_letters(name, typed, LETTERS, LABELS["letters"], EXAMPLE_STRINGS),
    )
    padding: int = slider(0, 4, 2)

    @property
    def repairs(self) -> Repairs:
        return Repairs(**{one.name: getattr(self, one.name) for one in fields(Repairs)})


class RepairResult(Result):
    """All versions at the newest step of their training, and one of them at work on the learner's string."""

    run: ExperimentRun
    outcome: GuessOutcome | None  # for the class as written, once the run is finished
    hidden: tuple[str, ...]  # versions that are hidden before the guess
    final: dict[str, float]  # version -> newest fraction of letters that are right
    variant: str | None  # the version with the repairs that are on; None if they don't run together
    version: str  # its name
    complaint: str  # torch's error message; "" if it runs
    elsewhere: str  # the same with different widths
    ids: tuple[int, ...]  # (T,) the letters of the string
    letters: list[str]
    reading: LectureReading | None = (
        None  # while the string is reversed; None without a string or without a version that runs
    )
    change: float = 0.0  # largest change of the logits caused by padding
    written: str = ""  # the version's free-running output

    def table(self) -> Table:
        curves = {
            LABELS("letters_right_of", version=name): self.run.record[f"curve.{v}.accuracy"]
            for v, name in VERSION_NAMES.items()
        }
        return {LABELS["step"]: self.run.record["step"]} | curves


def compute(inputs: Inputs, run: ExperimentRun) -> RepairResult:
    """Run the version with these repairs, if they run together, while it reverses the string."""
    repairs, variant = inputs.repairs, task.trained_version(inputs.repairs)
    complaint, elsewhere = (look.try_forward(repairs, widths) for widths in (task.WIDTHS, look.UNEQUAL_WIDTHS))
    ids = tuple(LETTERS.index(sign) for sign in inputs.text.lower() if sign in LETTERS)
    final = {version: float(run.record[f"curve.{version}.accuracy"][-1]) for version in VERSION_NAMES}
    found: dict[str, Any] = {
        "run": run,
        "outcome": GuessOutcome(_accuracy_outcome(final), f"{final['written']:.2f}") if run.is_done else None,
        "hidden": tuple(v for v in VERSION_NAMES if v not in ("none", "all")) if inputs.guess == NOT_YET else (),
        "final": final,
        "variant": variant,
        "version": VERSION_NAMES[variant or "written"],
        "complaint": complaint,
        "elsewhere": elsewhere,
        "ids": ids,
        "letters": [LETTERS[i] for i in ids],
    }
    if variant is None or not ids:
        return RepairResult(**found)
    model, n = task.model_of(run.record, variant), len(ids)

    def strings(n_padding: int) -> task.Strings:
        return task.reverse_strings(torch.tensor([[*ids, *[task.PADDING_ID] * n_padding]]), torch.tensor([[n]]))

    def read(n_padding: int) -> LectureReading:
        one = strings(n_padding)
        return look.record_lecture_attention(model, one.source[0], one.target_in[0, :n], one.mask[0])

    reading = read(inputs.padding)
    change = float(np.abs(reading.logits - read(0).logits).max())
    written = "".join(LETTERS[i] for i in task.write_strings(model, strings(inputs.padding))[0, :n])
    return RepairResult(**found, reading=reading, change=change, written=written)


def _accuracy_outcome(final: dict[str, float]) -> str:
    """Return the right guess: how well the class as written has learned."""
    written, best = final["written"], max(final["all"], final["encoder-axis"])
    return "same" if written > best - EQUAL_WITHIN else "blind" if written < CHANCE_ACCURACY + EQUAL_WITHIN else "some"


def draw(result: RepairResult, inputs: Inputs, run: ExperimentRun) -> None:
    if ui.depth_at_least("numbers"):
        with ui.st.expander(LABELS["printed_class"], icon=":material/description:"):
            ui.show_code_block(PRINTED_CODE, language="python")
            ui.show_markdown(ui.section_text("to-run", changes=NEEDED_CHANGES))
    with (
        nullcontext()
        if ui.depth_at_least("numbers")
        else ui.st.expander(LABELS["running_lines"], icon=":material/code:")
    ):
        # A phone can't scroll it by keyboard.
        ui.show_code_block(_lines(inputs.repairs), language="diff")
        ui.show_markdown(ui.section_text("marks"), "caption")
    # A lesson that hides the question asks it later.
    ui.add_template_values(
        is_asked=not ui.is_hidden(inputs.guess), names=VERSION_NAMES, n_held=task.N_HELD, blind=CHANCE_ACCURACY
    )
    if result.reading is not None:
        _at_work(result, result.reading)
    elif result.ids:
        ui.st.warning(ui.section_text("apart"), icon=":material/info:")
    if ui.depth_at_least("numbers") or result.reading is None:
        title, blind = LABELS["letters_right"], {LABELS["blind_guess"]: CHANCE_ACCURACY}
        draw_variant_curves(run, VERSION_NAMES, "accuracy", blind, title=title, hidden=result.hidden, height=260)


def _at_work(result: RepairResult, reading: LectureReading) -> None:
    run, variant, letters, name = result.run, str(result.variant), result.letters, "decoder.attn.weights"
    n_padding = reading.weights.shape[1] - len(letters)
    needed = np.pad(np.eye(len(letters), dtype=bool)[:, ::-1], ((0, 0), (0, n_padding)))  # the last letter first
    ui.matrix(
        reading.weights,
        rows=letters[::-1],
        columns=letters + ["pad"] * n_padding,
        key=f"lecture-map.{variant}.{''.join(letters)}.{n_padding}",
        truth=needed,
        truth_title=LABELS["needed_letter"],
        row_title=LABELS["to_be_written"],
        column_title=LABELS["source"],
        height=190,
        label=LABELS("weights", version=result.version),
        badge=ui.ProvenanceBadge(
            tensor=name,
            index=("row", "column"),
            shape=reading.weights.shape,
            model=LABELS("lectures_class", version=result.version),
            step=run.step,
            seed=run.seed,
            source=find_tap_line(task.model_of(run.record, variant), name),
            identity=f"{variant} {run.digest} {result.ids} {n_padding}",
            why_unchecked=ui.badges.NO_PASS,
        ),
    )


def _lines(repairs: Repairs) -> str:
    """Return the class from the first line that matters, in both of its functions, with these repairs."""
    made = resolve_switches(LectureAttention.__init__, [name for name in repairs.on if name == "sizes"])
    ran = resolve_switches(LectureAttention.forward, [name for name in repairs.on if name != "sizes"])
    return f"  def __init__(self, …):\n{_from('enc_hidden', made)}\n\n  def forward(self, …):\n{_from('enc_attn', ran)}"


def _from(first: str, lines: list[CodeLine]) -> str:
    start = next(i for i, line in enumerate(lines) if line.text.lstrip().startswith(first))
    return lines_to_text(lines[start:])
