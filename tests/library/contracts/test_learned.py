"""Whatever the seed, an experiment ends as it declares in `learned`."""

import operator
import re

import numpy as np
import pytest

from core.train import experiment
from core.train.experiment import Record
from tests.counts import SEEDS
from tests.library.learning.once import trained

COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
TAKEN = {
    "first": lambda curve: curve[0],
    "min": np.min,
    "max": np.max,
    "": lambda curve: curve[-1] if curve.ndim else curve,
}
TERM = re.compile(
    r"(?:(?P<factor>[\d.]+) \* )?(?:(?P<taken>first|min|max) )?(?P<name>[a-z][\w.+-]*)(?: (?P<shift>[+-] [\d.]+))?"
)
DECLARED = {name: found for name in experiment.EXPERIMENTS if (found := experiment._experiment_class(name).learned)}


def value(term: str, record: Record) -> np.ndarray:
    """A number, or what a record has under a name: a curve's last value unless a word says otherwise."""
    if re.fullmatch(r"-?[\d.]+", term):
        return np.array(float(term))
    found = TERM.fullmatch(term)
    assert found, f"{term!r} is neither a number nor a value of a curve"
    taken = np.float64(TAKEN[found["taken"] or ""](record[found["name"]]))
    return np.asarray(float(found["factor"] or 1) * taken + float((found["shift"] or "0").replace(" ", "")))


def broken(declared: str, record: Record) -> list[str]:
    """The comparisons of a chain such as "0.8 < curve.text.chance < 0.9" that do not hold, with both sides."""
    left, *rest = re.split(r" (<=|>=|<|>) ", declared)
    found = []
    for sign, right in zip(rest[::2], rest[1::2], strict=True):
        one, other = value(left, record), value(right, record)
        if not np.all(COMPARED[sign](one, other)):
            found.append(f"{left} = {one}, and that is not {sign} {right} = {other}")
        left = right
    return found


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.full] * (seed > 0)) for seed in SEEDS])
@pytest.mark.parametrize("name", DECLARED)
def test_an_experiment_ends_as_it_declares(name: str, seed: int) -> None:
    record = trained(name, seed)
    assert [one for declared in DECLARED[name] for one in broken(declared, record)] == []


def test_what_does_not_hold_is_found() -> None:
    record = {"curve.a": np.array([3.0, 1.0, 2.0]), "curve.b": np.array([[1.0, 2.0], [0.5, 0.6]])}
    holds = ["curve.a < 2.1", "first curve.a > max curve.b", "0.4 < curve.b < 0.7", "curve.a <= 2 * min curve.a + 0"]
    assert not [one for declared in holds for one in broken(declared, record)]
    for declared in ("curve.a < 2", "0.4 < curve.b < 0.6", "max curve.a >= first curve.a + 0.1", "min curve.a > 1 < 2"):
        assert len(broken(declared, record)) == 1
    with pytest.raises(AssertionError, match="neither"):
        broken("curve.a - curve.b < 1", record)
