"""What the room of sequence to sequence says about its examples is so, computed from the records that ship."""

import re
from typing import Any

import numpy as np
import pytest

from core.inspect.teacher_forcing import wrong_positions
from core.rooms.seq2seq import alignment, dates as dates_exhibit, forcing, override
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import Alignment
from core.rooms.seq2seq.experiments import dates as task
from core.rooms.seq2seq.experiments.bottleneck import LENGTHS, MEASURES, VARIANTS
from core.rooms.seq2seq.inputs import TASKS
from core.train.experiment import experiment_record, run_experiment
from tests.library.learning.once import remade

DATE = "Wednesday, 12 April 1961"


def seen(text: str, task: str = "reversal") -> alignment.AlignmentAnswer:
    return alignment.compute(alignment.Inputs(task=task, **{task: text}), run_experiment(TASKS[task].experiment))


def set_row(step: int, letter: int, task: str = "reversal") -> str:
    inputs = override.Inputs(task=task)
    inputs = override.Inputs(
        task=task, row=override.format_row(step, np.eye(len(override.source_characters(inputs)))[letter])
    )
    return answer(task, override.compute(inputs, run_experiment(TASKS[task].experiment)).after)


def answer(task: str, written: Alignment) -> str:
    return str(TASKS[task].verdict(written)["answer"])


def forced(**inputs: Any) -> forcing.ForcingComparison:
    return forcing.compute(forcing.Inputs(**inputs), run_experiment("bottleneck"))


@pytest.mark.parametrize("name", ["bottleneck", "dates"])
def test_the_example_is_what_the_code_makes_now(name: str) -> None:
    remade(name, 25)


def test_the_race() -> None:
    record = experiment_record("bottleneck")
    curve = {(v, m): record[f"curve.{v}.{m}"] for v in VARIANTS for m in MEASURES}
    at = LENGTHS.index(20)
    for variant in VARIANTS:  # short strings before long ones
        early = curve[variant, "forced"][4]
        assert early[:3].mean() > early[3:6].mean() > early[6 : at + 1].mean() and early[at] < early[0] - 0.3
    gap = (curve["with", "forced"] - curve["without", "forced"])[-1]
    assert gap[at] > 0.6 and (np.diff(gap[: at + 1]) > -0.05).all()
    without, own = curve["without", "exact"][-1], curve["with", "exact"][-1]
    assert (without[LENGTHS.index(8) :] == 0).all() and without[0] > 0
    assert (own[: at + 1] > 0.5).all() and own[-1] == 0
    frames = record["frames.with.weights"] / 255
    assert frames[0].max() < 0.06 and frames[0].min() > 0.04
    assert frames[-1][0, -2:].sum() > 0.8  # the first output letter reads the end of the source
    assert sum(a.size for k, a in record.items() if k.startswith("model.without.")) == 50_928


def test_dates() -> None:
    another, no_date = seen("tuesday, 23 june 1927", "dates"), seen("next tuesday", "dates")
    assert TASKS["dates"].verdict(another.seen) == {"answer": "2027-06-23", "right": None}
    assert re.fullmatch(r"\d{2,4}-\d{2}-\d{2}", answer("dates", no_date.seen))
    assert len(dates.FORMATS) == 12
    found = seen(DATE, "dates")
    assert set(TASKS["dates"].verdict(found.seen).values()) == {"1961-04-12"}
    peaks, text = found.seen.weights.argmax(1), DATE.lower()
    for first, last, part in ((0, 3, "1961"), (5, 6, "april"), (8, 9, "12")):
        start = text.index(part)
        assert all(start <= peak < start + len(part) + (part == "1961") for peak in peaks[first : last + 1]), part


def test_the_century_is_read_from_the_decade() -> None:
    """The first picture says that it looks at the 8 for 1, 9 and 8 of 1987, and why; each digit is put there here."""
    run = run_experiment("dates")
    found = dates_exhibit.compute(dates_exhibit.Inputs(), run)
    text, (n_row, place) = task.PROBE[0], found.shared or (0, 0)
    assert (n_row, text[place], found.answer, found.decades_followed) == (3, "8", "1987-06-23", 10)
    for digit in range(10):
        written = answer("dates", seen(f"{text[:place]}{digit}{text[place + 1 :]}", "dates").seen)
        assert written == f"{19 if digit >= 5 else 20}{digit}7-06-23"
    letters = {part["name"]: "".join(text[slice(*part["columns"])]) for part in dates_exhibit._parts()}  # type: ignore[misc]
    assert letters == {"year": "1987", "month": "june", "day": "23"}


def test_the_stripe_lies_on_the_letter_and_right_of_it() -> None:
    """On the default text and on longer ones most lies one step to the right, as the page says it often does."""
    stripes = [seen(text).stripe for text in ("attention", "readmefromendtostart", "bottleneck", "sequencetosequence")]
    assert all(stripe[0] + stripe[1] > 0.65 for stripe in stripes)
    to_the_right = [stripe[1] > stripe[0] for stripe in stripes]
    assert to_the_right[0] and sum(to_the_right) >= 3


def test_the_energies_of_a_cell_are_its_score() -> None:
    found = seen("attention")
    t, s = found.cell
    assert (t, s) == (4, found.seen.weights[4].argmax())
    assert found.energies.terms[t, s].sum() == pytest.approx(found.seen.scores[t, s], abs=1e-5)
    moved = alignment.compute(alignment.Inputs(cell="3.6"), run_experiment("bottleneck"))
    assert moved.cell == (3, 6) and "energy for output 3" in moved.table()


def test_set_a_row() -> None:
    """The letter read is written; and most often the one that was due comes next."""
    due, source = "noitnetta", "attention"
    plain = seen(source)
    assert answer("reversal", plain.seen) == due
    kept = squeezed = changed = 0
    for t in range(9):
        for s in range(9):
            said = set_row(t, s)
            kept += said[t : t + 1] == source[s]
            if said[t : t + 1] != due[t]:
                changed += 1
                squeezed += said[t + 1 : t + 2] == due[t]
    assert kept / 81 > 0.8 and squeezed / changed > 0.5
    assert plain.seen.weights[3].argmax() == 6 and round(float(plain.seen.weights[3, 6]), 2) == 0.76
    assert set_row(3, 6)[:4] == "noii"
    assert set_row(2, 0) == "noaitnetta"
    assert sum(set_row(0, s, "dates")[0] != "1" for s in range(len(DATE))) == 1
    assert sum(set_row(3, s, "dates")[3:4] != "1" for s in range(len(DATE))) > 0.7 * len(DATE)


def test_teacher_forcing() -> None:
    found = forced()
    assert (
        0
        < len(wrong_positions(found.forced.written, found.truth))
        < len(wrong_positions(found.free.written, found.truth))
    )
    assert len(found.truth) == 26
    own = found.shares
    assert (own.forced[:12] > 0.99).all() and (own.free[:12] > 0.99).all() and own.forced[12] < 1
    assert own.forced[18] < 0.5 < 0.9 < own.forced[24]
    assert own.free[18:25].max() < 0.4 and own.free[25] > 0.7
    short = forced(reversal="thequickbr")
    assert not wrong_positions(short.free.written, short.truth) and not wrong_positions(
        short.forced.written, short.truth
    )
    other = forced(model="without").shares
    assert other.free[0] > 0.5 and other.free[3:25].max() < 0.3
    assert 0.4 < other.forced[:10].mean() < 0.6
    assert max(other.forced[20:25].max(), other.free[20:25].max()) < 0.1
