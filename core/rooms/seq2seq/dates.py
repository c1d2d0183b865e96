"""Dates as people write them, learned in seconds, and the answer to a text that isn't a date."""

from datetime import date

import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, seed, text_input
from core.generate.seq2seq import greedy_decode
from core.rooms.seq2seq.compute import dates as data
from core.rooms.seq2seq.experiments import dates as task
from core.rooms.seq2seq.inputs import TASKS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "dates"
EXAMPLES = {3: date(1976, 2, 29), 7: date(2033, 10, 4), 9: date(1960, 12, 6)}  # format -> day
CODE = (data.write_date, task.Dates, greedy_decode)


class Inputs(Base, prefix="dates_"):
    seed: int = seed()
    attention: str = task.Options.control("attention")
    text: str = text_input(task.PROBE[0], max_chars=data.MAX_DATE_CHARACTERS, notes=TASKS["dates"].tell)


class DatesResult(Result):
    """The run in its current state."""

    run: ExperimentRun
    exact: float  # share of new dates that are right now
    answer: str | None  # the model's answer to the learner's date; None if there is nothing to read
    truth: str | None  # the right answer, if the text is a date of the task

    def table(self) -> dict[str, list[float]]:
        """Return the accuracies on held-out days, one row per evaluation."""
        names = {
            LABELS["table.step"]: "step",
            LABELS["table.exact"]: "curve.exact",
            LABELS["table.signs"]: "curve.signs",
        }
        return {name: self.run.record[key].tolist() for name, key in names.items()}


def compute(inputs: Inputs, run: ExperimentRun) -> DatesResult:
    """Read the record, and let the model translate the learner's date."""
    ids, exact = data.encode(inputs.text), float(run.record["curve.exact"][-1])
    if not ids:
        return DatesResult(run=run, exact=exact, answer=None, truth=None)
    model, most = task.trained_date_model(run), data.TARGET_LENGTH + 5
    written = greedy_decode(model, torch.tensor([ids]), start_id=data.START, end_id=data.END, max_new_tokens=most)
    truth = data.parse_date("".join(data.CHARACTERS[i] for i in ids))
    return DatesResult(run=run, exact=exact, answer=data.decode(written[0].tolist()), truth=truth)


def draw(result: DatesResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the film of the alignment, the learner's date, and the training curve."""
    record = run.record
    exact, signs = record["curve.exact"], record["curve.signs"]
    has_film = "frames.weights" in record
    if has_film:
        ui.matrix_film(
            record["frames.weights"],
            steps=record["step"].tolist(),
            rows=data.tokens(data.encode_target_date(task.PROBE[1])),
            columns=list(task.PROBE[0]),
            notes=[LABELS("share_right", share=share) for share in exact],
            key="dates-film",
            label="",
            sentence=LABELS("sentence", date=task.PROBE[1]),
            takeaway=ui.section_text("film"),
        )
    ui.add_template_values(
        n=task.N_HELD,
        attention=task.ATTENTION[str(run.options["attention"])],
        n_format=len(data.FORMATS),
        examples=[data.write_date(day, data.FORMATS[i]) for i, day in EXAMPLES.items()],
    )
    if ui.depth_at_least("numbers") or not has_film:
        ui.curves(
            {LABELS["whole_dates"]: (record["step"], exact), LABELS["single_characters"]: (record["step"], signs)},
            n_step=run.n_step,
            y=ui.Axis(LABELS["share_axis"], (0, 1.05)),
            height=240,
        )
