"""What the texts of the room Pixels say is true of the example that ships, and of the photographs."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from core.data import images
from core.inspect.model_inputs.input_pictures import load_photograph
from core.rooms.pixels import complete, orders, probe, quantise, training
from core.rooms.pixels.experiments import pixels as task
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return run_experiment("pixels")


@pytest.fixture(scope="module")
def both(run: ExperimentRun) -> orders.OrderComparison:
    return orders.compute(orders.Inputs(guess="none"), run)


def completed(run: ExperimentRun, **inputs: Any) -> complete.CompletedPicture:
    return complete.compute(complete.Inputs(**inputs), run)


def test_imagegpt_pays_less_than_counting_and_the_table_less_than_any_ngram(
    run: ExperimentRun, both: orders.OrderComparison
) -> None:
    result = training.compute(training.Inputs(), run)
    grams = min(float(some.min()) for some in result.grams.values())
    assert max(both.own.values()) < 0.75 * min(grams, result.by_place)
    for order, value in both.own.items():
        assert value == pytest.approx(result.now[order], abs=2e-3)  # weights in half precision
    assert result.by_place < grams  # "a table that knows only where"
    assert task.Options().n_step == 1_200  # as the text beside the button says


def test_the_order_matters_to_the_2_gram(both: orders.OrderComparison) -> None:
    raster, column = both.grams["raster"], both.grams["column"]
    assert raster[1] - column[1] > 0.1
    assert orders.order_dependence(*both.apart) == "ngram"
    assert abs(raster[8] - raster[6]) < 0.05  # "longer ones help little", although the pixel above is reached
    assert [orders.order_dependence(*two) for two in ((0.01, 0.02), (0.3, 0.1), (0.1, 0.1))] == [
        "none",
        "model",
        "both",
    ]


def test_what_is_written_first_costs_more(both: orders.OrderComparison) -> None:
    by_row, by_column = both.maps
    assert by_row[0].sum() > 1.05 * by_column[0].sum() and by_column[:, 1].sum() > 1.05 * by_row[:, 1].sum()
    assert max(one[:, [0, 7]].max() for one in (by_row, by_column)) < 0.5  # next to none at the edges


def test_completions_are_recognised_in_more_than_four_fifths(run: ExperimentRun) -> None:
    result = completed(run)
    assert result.share is not None and result.share.right.mean() > 0.8 and result.share.whole.mean() > 0.97
    two = np.sort(result.made.used, -1)[..., -2:].sum(-1)
    assert (two > 0.9).mean() > 0.5  # most pixels are nearly decided
    assert len(result.counts) >= 2  # and few are open: the pictures part
    ids = completed(run, temperature=0.0).made.ids
    assert (ids == ids[0]).all()
    assert len(completed(run, rows=1).counts) >= 3 and len(completed(run, rows=6).counts) <= 2


@pytest.mark.measured("14-pixels-and-captions", "How many digits can a linear")
def test_the_probe(run: ExperimentRun) -> None:
    result = probe.compute(probe.Inputs(), run)
    trained, control, raw = result.trained, result.untrained, result.raw.held_out
    held = [one.held_out for one in trained.values()]
    assert held[1] - held[0] > 0.5 * (max(held) - held[0])  # "the first block does most of the work"
    assert 0.7 < control["final"].held_out < 0.8  # "three quarters"
    assert all(control[tap].held_out < trained[tap].held_out - 0.1 for tap in list(trained)[1:])
    assert trained["embed"].held_out == pytest.approx(control["embed"].held_out, abs=0.03)  # how often each gray is
    assert raw == pytest.approx(max(held), abs=0.03)  # "about where the best layer is"
    assert result.vit.held_out > raw + 0.01  # "what can be reached"


def rounded(name: str, n_color: int = 16) -> quantise.FewColors:
    return quantise.compute(quantise.Inputs(picture=load_photograph(name), n_color=n_color))


def test_colors_and_errors() -> None:
    for name in images.PHOTOGRAPHS:
        roots = rounded(name).roots
        taken = [1 - after / before for before, after in pairwise(roots[quantise.OWN])]  # by each doubling
        assert taken[0] > 1 / 3  # "more than a third of the error at first"
        assert all(0.22 < one < 0.28 for one in taken[-4:])  # "later about a quarter"
        own, both, other, evenly = (roots[source][-1] for source in quantise.PALETTE_LABELS)  # 512 colors
        assert own < both < 1.35 * own  # "comes close"
        assert evenly > 3 * both
        assert other > 1.3 * evenly  # "worse than colors that know nothing"


def test_the_red_of_the_columns_has_to_make_do_with_brown() -> None:
    few, many = rounded("china"), rounded("china", 512)
    before = few.small.pixels.astype(int)
    redness = before[..., 0] - before[..., 1:].max(-1)
    reddest = redness > 60
    assert reddest.mean() < 0.03

    def left(result: quantise.FewColors) -> float:
        after = result.chosen.pixels.astype(int)[reddest]
        return float((after[:, 0] - after[:, 1:].max(-1)).mean() / redness[reddest].mean())

    assert left(few) < 0.8 < 0.97 < left(many)
