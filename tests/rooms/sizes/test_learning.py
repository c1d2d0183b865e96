"""The small scaling law over seeds: the straight line says too little, the parabola's interval holds what comes."""

import pytest

from core.rooms.sizes.law import fit_law
from tests.library.learning.once import trained

pytestmark = pytest.mark.full


@pytest.mark.parametrize(("seed", "line_holds"), [(0, True), (1, False), (2, False)])
def test_the_next_width_lands_on_the_parabola(seed: int, line_holds: bool) -> None:
    record = trained("scaling", seed)
    losses = [float(record[f"curve.{width}"][-1]) for width in record["widths"]]
    assert losses[:-1] == sorted(losses[:-1], reverse=True)  # up to here, larger is better
    line, bend = (
        fit_law(record["parameters"][:-1], losses[:-1], degree).predict(record["parameters"][-1]) for degree in (1, 2)
    )
    assert line.value < losses[-1] and line.holds(losses[-1]) == line_holds
    assert bend.holds(losses[-1]) and abs(bend.value - losses[-1]) < abs(line.value - losses[-1])
