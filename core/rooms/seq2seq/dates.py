"""Dates as people write them, learned in seconds, and the answer to a text that isn't a date."""

import calendar
from datetime import date

import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, seed, text_input
from core.generate.seq2seq import greedy_decode
from core.models.recurrent_seq2seq import RecurrentSeq2Seq
from core.rooms.seq2seq.compute import dates as data
from core.rooms.seq2seq.experiments import dates as task
from core.rooms.seq2seq.inputs import TASKS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "dates"
N_DECADE = 10
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
    decades_followed: int  # of the ten decades "190_" to "199_", how many it writes in the century of their third digit
    shared: tuple[int, int] | None  # rows of the film that look most at one digit, the decade's, and its place

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
    model, most = task.trained_date_model(run), data.TARGET_LENGTH + 5
    followed, shared = count_decades_followed(model), find_shared_decade(run)
    if not ids:
        return DatesResult(run=run, exact=exact, answer=None, truth=None, decades_followed=followed, shared=shared)
    written = greedy_decode(model, torch.tensor([ids]), start_id=data.START, end_id=data.END, max_new_tokens=most)
    truth = data.parse_date("".join(data.CHARACTERS[i] for i in ids))
    return DatesResult(
        run=run,
        exact=exact,
        answer=data.decode(written[0].tolist()),
        truth=truth,
        decades_followed=followed,
        shared=shared,
    )


def count_decades_followed(model: RecurrentSeq2Seq) -> int:
    """Count the decades, of ten, whose century the model takes from their digit: 19 from 5 on, else 20.

    It reads the film's date with each digit in the place of its decade, always after 19.
    """
    text, place = task.PROBE[0], _decade_place()
    ids = torch.tensor([data.encode(f"{text[:place]}{digit}{text[place + 1 :]}") for digit in range(10)])
    written = greedy_decode(
        model, ids, start_id=data.START, end_id=data.END, max_new_tokens=data.TARGET_LENGTH
    ).tolist()
    return sum(data.decode(row)[:2] == ("19" if digit >= 5 else "20") for digit, row in enumerate(written))


def find_shared_decade(run: ExperimentRun) -> tuple[int, int] | None:
    """Return 3 and the decade's place if century and decade are written looking most at it; None if they aren't."""
    if "frames.weights" not in run.record:
        return None
    peaks = run.record["frames.weights"][-1].argmax(-1)  # (T,)
    return (3, _decade_place()) if (peaks[:3] == _decade_place()).all() else None


def _decade_place() -> int:
    return task.PROBE[0].index(task.PROBE[1][:4]) + 2


def _parts() -> list[dict[str, object]]:
    """Return year, month and day: the rows and the letters of the film that they are in, as half-open ranges."""
    text, answer = task.PROBE
    year, month, day = answer.split("-")
    words = {"year": year, "month": calendar.month_name[int(month)].lower(), "day": str(int(day))}
    rows = {"year": (0, 4), "month": (5, 7), "day": (8, 10)}
    return [
        {"name": LABELS[name], "rows": rows[name], "columns": (text.index(word), text.index(word) + len(word))}
        for name, word in words.items()
    ]


def draw(result: DatesResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the film of the alignment, the learner's date, and the training curve."""
    record = run.record
    exact, signs = record["curve.exact"], record["curve.signs"]
    has_film = "frames.weights" in record
    if has_film:
        decade = task.PROBE[1][2]
        ui.mount_widget(
            "date_reading",
            frames=record["frames.weights"],
            steps=record["step"].tolist(),
            rows=data.tokens(data.encode_target_date(task.PROBE[1])),
            columns=list(task.PROBE[0]),
            parts=_parts(),
            shared=result.shared if result.decades_followed == N_DECADE else None,
            notes=[LABELS("share_right", share=share) for share in exact],
            key="dates-film",
            label="",
            sentence=LABELS("sentence_shared", decade=decade, first=data.FIRST.year, last=data.LAST.year)
            if result.shared and result.decades_followed == N_DECADE
            else LABELS["sentence"],
            takeaway=ui.section_text("film"),
            height=420,
            is_compressed=True,
        )
    ui.add_template_values(
        n=task.N_HELD,
        decade=task.PROBE[1][2],
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
