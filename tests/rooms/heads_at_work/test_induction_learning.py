"""An induction head is born with two layers and not with one, whatever the seed."""

import pytest

from core.inspect import knockouts
from core.rooms.heads_at_work.compute.induction import induction_scores, previous_scores
from core.rooms.heads_at_work.experiments import induction
from core.rooms.heads_at_work.experiments.induction import Induction, Options
from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_two_layers_continue_what_was_there_and_one_does_not(seed: int) -> None:
    record = trained("induction", seed)
    assert record["curve.two.loss"][-1] < 0.5
    # One layer learns which tokens there are, and no more.
    assert record["curve.one.loss"][-1] > 1.5
    assert record["curve.one.loss"][-1] == pytest.approx(induction.bag_loss(induction.held_out(seed)[1]), abs=0.25)


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_both_scores_rise_while_the_loss_falls(seed: int) -> None:
    record = trained("induction", seed)
    weights = record["frames.two.weights"] / 255
    previous = previous_scores(weights, induction.N_PROBE)[:, 0].max(-1)
    reading = induction_scores(weights, induction.N_PROBE)[:, 1].max(-1)
    assert previous[0] < 0.3 and reading[0] < 0.3
    assert previous[-1] > 0.8 and reading[-1] > 0.9
    fell = int((record["curve.two.loss"] < 1.5).argmax())
    before, after = max(fell - 12, 0), fell + 12  # a fifth of the training on each side
    assert previous[before] < 0.5 and reading[before] < 0.5
    assert previous[after] > 0.75 and reading[after] > 0.75
    single = induction_scores(record["frames.one.weights"] / 255, induction.N_PROBE)
    assert single.max() < 0.4


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_returns_without_the_heads(seed: int) -> None:
    record = trained("induction", seed)
    model = experiment.rebuild(record, "two", induction.config(2, Options().n_head))
    ids, periods = induction.held_out(seed)

    def loss(heads: list[tuple[int, int]]) -> float:
        return float(induction.repeat_loss(knockouts.logits_without(model, ids, heads), ids, periods))

    writer = int(previous_scores(record["frames.two.weights"][-1, 0] / 255, induction.N_PROBE).argmax())
    assert loss([]) == pytest.approx(record["curve.two.loss"][-1], abs=1e-4)
    assert loss([(0, writer)]) > 3
    assert loss([(1, 0), (1, 1)]) > 3
    assert min(loss([(1, 0)]), loss([(1, 1)])) < 0.5  # the two readers stand in for each other


def test_the_largest_record_stays_below_a_megabyte() -> None:
    running = experiment.start("induction", {"n_step": 1000, "n_head": 4}, 0)
    assert isinstance(running, Induction)
    for name in ("one", "two"):
        frames = running.record()[f"frames.{name}.weights"]
        running.keep(f"frames.{name}.weights", *[frames[0]] * 60)
    assert sum(array.nbytes for array in running.record().values()) < 1_000_000
