"""What the room of sequence to sequence says about its examples is so, computed from the records that ship."""

import re
from types import MappingProxyType

import numpy as np
import pytest

from core.data.synthetic import reversal
from core.inspect.forcing import by_place, wrong_places
from core.rooms.seq2seq import bottleneck as race
from core.rooms.seq2seq import forcing
from core.rooms.seq2seq.common import HOW, Opened, model_of
from core.rooms.seq2seq.compute import dates
from core.rooms.seq2seq.compute.alignment import stripe
from core.rooms.seq2seq.experiments.bottleneck import LENGTHS
from core.train import experiment
from core.train.live import Live


def example(name: str) -> Live:
    record, about = experiment.unpack((experiment.EXAMPLES / f"{name}.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of(name, {}))
    return Live(record, MappingProxyType(about["options"]), 0, about["step"], about["n_step"], False, True)


@pytest.fixture(scope="module")
def shown() -> dict[str, Live]:
    return {name: example(name) for name in ("bottleneck", "dates")}


def opened(shown: dict[str, Live], text: str, name: str = "reversal", variant: str = "with") -> Opened:
    task = HOW[name]
    model = model_of(shown[task.live], task.live, variant)
    assert model is not None
    ids = tuple(task.encode(text))
    return Opened(task, model, ids, tuple(text.lower()), task.truth(text.lower()))


def answer(one: Opened, **how: object) -> str:
    return one.task.decode(one.write(**how).written.tolist())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["bottleneck", "dates"])
def test_the_example_is_what_the_code_makes_now(name: str, shown: dict[str, Live]) -> None:
    running = experiment.start(name, {}, 0)
    while running.step < 25:
        running.advance()
    now, then = running.record(), shown[name].record
    for key in (key for key in now if key.startswith("curve") and key != "curve.loss"):
        n = len(now[key])
        assert n >= 2 and np.allclose(now[key], then[key][:n], atol=0.02), key


def test_the_race(shown: dict[str, Live]) -> None:
    record = shown["bottleneck"].record
    curve = {(v, m): record[f"curve.{v}.{m}"] for v in race.VARIANTS for m in race.MEASURES}
    at = LENGTHS.index(20)
    for variant in race.VARIANTS:  # short strings before long ones
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


def test_dates(shown: dict[str, Live]) -> None:
    one = opened(shown, "12 April 1761", "dates")
    assert answer(one) == "1961-04-12" and one.truth is None
    said = answer(opened(shown, "next tuesday", "dates"))
    assert re.fullmatch(r"\d{2,4}-\d{2}-\d{2}", said)
    assert len(dates.FORMATS) == 12
    one = opened(shown, "Wednesday, 12 April 1961", "dates")
    assert answer(one) == one.truth == "1961-04-12"
    peaks = one.write().weights.argmax(1)
    year, month, day = (one.truth.index("1961"), 5, 8)
    text = "".join(one.source)
    assert all(peaks[year + i] >= text.index("1961") for i in range(4))
    assert all(text.index("april") <= peaks[month + i] < text.index("april") + 5 for i in range(2))
    assert all(text.index("12") <= peaks[day + i] < text.index("12") + 2 for i in range(2))


def test_the_stripe_lies_on_the_letter_and_right_of_it(shown: dict[str, Live]) -> None:
    """On the default text and on longer ones most lies one step to the right, as the page says it often does."""
    to_the_right = []
    for text in ("attention", "readmefromendtostart", "bottleneck", "sequencetosequence"):
        one = opened(shown, text)
        found = stripe(one.write(forced=[*one.ids[::-1], reversal.END]).weights[: len(text)])
        assert found[0] + found[1] > 0.65
        to_the_right.append(found[1] > found[0])
    assert to_the_right[0] and sum(to_the_right) >= 3


def one_hot(n: int, i: int) -> tuple[float, ...]:
    return tuple(float(j == i) for j in range(n))


def test_set_a_row(shown: dict[str, Live]) -> None:
    one = opened(shown, "attention")
    plain = one.write()
    assert answer(one) == "noitnetta"
    # The letter read is written; and most often the one that was due comes next.
    kept = squeezed = changed = 0
    for t in range(9):
        for s in range(9):
            said = answer(one, row=(t, one_hot(9, s)))
            kept += said[t : t + 1] == one.source[s]
            if said[t : t + 1] != "noitnetta"[t]:
                changed += 1
                squeezed += said[t + 1 : t + 2] == "noitnetta"[t]
    assert kept / 81 > 0.8 and squeezed / changed > 0.5
    assert plain.weights[3].argmax() == 6 and round(float(plain.weights[3, 6]), 2) == 0.76
    assert answer(one, row=(3, one_hot(9, 6)))[:4] == "noii"
    one = opened(shown, "Wednesday, 12 April 1961", "dates")
    n = len(one.ids)
    firsts = [answer(one, row=(0, one_hot(n, s)))[0] for s in range(n)]
    assert sum(first != "1" for first in firsts) == 1
    thirds = [answer(one, row=(3, one_hot(n, s)))[3:4] for s in range(n)]
    assert sum(third != "1" for third in thirds) > 0.7 * n


def test_teacher_forcing(shown: dict[str, Live]) -> None:
    one = opened(shown, forcing.DEFAULT)
    truth = [*one.ids[::-1], reversal.END]
    forced, free = one.write(forced=truth), one.write()
    assert 0 < len(wrong_places(forced.written, truth)) < len(wrong_places(free.written, truth))
    assert len(one.ids) == 25
    own = by_place(one.model, 25, forcing.N, seed=0)
    assert (own.forced[:12] > 0.99).all() and (own.free[:12] > 0.99).all() and own.forced[12] < 1
    assert own.forced[18] < 0.5 < 0.9 < own.forced[24]
    assert own.free[18:25].max() < 0.4 and own.free[25] > 0.7
    short = opened(shown, "thequickbr")
    truth = [*short.ids[::-1], reversal.END]
    assert not wrong_places(short.write().written, truth) and not wrong_places(short.write(forced=truth).written, truth)
    blind = opened(shown, forcing.DEFAULT, variant="without")
    other = by_place(blind.model, 25, forcing.N, seed=0)
    assert other.free[0] > 0.5 and other.free[3:25].max() < 0.3
    assert 0.4 < other.forced[:10].mean() < 0.6
    assert max(other.forced[20:25].max(), other.free[20:25].max()) < 0.1
