"""What the texts of training, completing and the two orders say is true of the example that ships."""

from typing import Any

import numpy as np
import pytest

from core.rooms.pixels import complete, orders, training
from core.rooms.pixels.experiments import pixels as task
from core.train.experiment import run_of
from core.train.experiments.live import Live


@pytest.fixture(scope="module")
def run() -> Live:
    return run_of("pixels")


@pytest.fixture(scope="module")
def both(run: Live) -> orders.Result:
    return orders.compute(orders.Inputs(guess="none"), run)


def completed(run: Live, **inputs: Any) -> complete.Completed:
    return complete.compute(complete.Inputs(**inputs), run)


def test_imagegpt_pays_less_than_counting_and_the_table_less_than_any_ngram(run: Live, both: orders.Result) -> None:
    result = training.compute(training.Inputs(), run)
    grams = min(float(some.min()) for some in result.grams.values())
    assert max(both.own.values()) < 0.75 * min(grams, result.by_place)
    for order, value in both.own.items():
        assert value == pytest.approx(result.now[order], abs=2e-3)  # weights in half precision
    assert result.by_place < grams  # "a table that knows only where"
    assert task.Options().n_step == 1_200  # as the text beside the button says


def test_the_order_matters_to_the_2_gram(both: orders.Result) -> None:
    raster, column = both.grams["raster"], both.grams["column"]
    assert raster[1] - column[1] > 0.1
    assert orders.who_depends(*both.apart) == "ngram"
    assert abs(raster[8] - raster[6]) < 0.05  # "longer ones help little", although the pixel above is reached
    assert [orders.who_depends(*two) for two in ((0.01, 0.02), (0.3, 0.1), (0.1, 0.1))] == ["none", "model", "both"]


def test_what_is_written_first_costs_more(both: orders.Result) -> None:
    by_row, by_column = both.maps
    assert by_row[0].sum() > 1.05 * by_column[0].sum() and by_column[:, 1].sum() > 1.05 * by_row[:, 1].sum()
    assert max(one[:, [0, 7]].max() for one in (by_row, by_column)) < 0.5  # next to none at the edges


def test_completions_are_recognised_in_more_than_four_fifths(run: Live) -> None:
    result = completed(run)
    assert result.share is not None and result.share.right.mean() > 0.8 and result.share.whole.mean() > 0.97
    two = np.sort(result.made.used, -1)[..., -2:].sum(-1)
    assert (two > 0.9).mean() > 0.5  # most pixels are nearly decided
    assert len(result.counts) >= 2  # and few are open: the pictures part


def test_at_temperature_0_all_are_the_same_and_with_few_rows_they_differ(run: Live) -> None:
    ids = completed(run, temperature=0.0).made.ids
    assert (ids == ids[0]).all()
    assert len(completed(run, rows=1).counts) >= 3 and len(completed(run, rows=6).counts) <= 2
