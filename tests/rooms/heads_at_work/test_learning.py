"""Three switches on one sentence, an induction head is born, equal accuracy and other maps: whatever the seed."""

import numpy as np
import pytest

from core.data.synthetic import BottleAndCup, referents
from core.inspect import patch
from core.inspect.head_scores import induction_scores, previous_token_scores
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.experiments import induction, three_switches
from core.rooms.heads_at_work.experiments.explanation import MODELS
from core.rooms.heads_at_work.experiments.three_switches import VARIANT_CONFIGS
from core.rooms.heads_at_work.explanation import kendall_tau, total_variation
from core.train import experiment
from core.train.experiments.referent import config
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_head_of_the_second_layer_turns(seed: int) -> None:
    model = experiment.rebuild_model(trained("three-switches", seed), "full", VARIANT_CONFIGS["full"])
    looks = naming.measure_noun_attention(model, referents.bottle_and_cup_split(seed)[1])
    assert looks.best[0] == 1
    assert looks.right[looks.best] > 0.9 and looks.other[looks.best] < 0.1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_both_readings_are_one_to_the_causal_model(seed: int) -> None:
    model = experiment.rebuild_model(trained("three-switches", seed), "causal", VARIANT_CONFIGS["causal"])
    for sentence in referents.bottle_and_cup_split(seed)[1][::2]:  # full; the next one is its twin
        other = type(sentence)(sentence.first, sentence.second, "empty")
        one, two = naming.resolve_it(model, sentence), naming.resolve_it(model, other)
        np.testing.assert_array_equal(one.rows, two.rows)
        np.testing.assert_array_equal(one.nouns, two.nouns)


@pytest.mark.full
def test_a_single_layer_is_a_matter_of_luck(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    for seed in (0, 3):
        monkeypatch.setattr(three_switches, "VARIANT_CONFIGS", {"one_layer": VARIANT_CONFIGS["one_layer"]})
        ends.append(ran("three-switches", seed)["curve.one_layer.accuracy"][-1])
    assert ends[0] < 0.6 and ends[1] > 0.9


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_two_layers_continue_what_was_there_and_one_does_not(seed: int) -> None:
    record = trained("induction", seed)
    # One layer learns which tokens there are, and no more.
    assert record["curve.one.loss"][-1] == pytest.approx(
        induction.known_tokens_loss(induction.held_out_sequences(seed)[1]), abs=0.25
    )

    weights = record["frames.two.weights"] / 255
    previous = previous_token_scores(weights, induction.N_PROBE)[:, 0].max(-1)
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
    model = experiment.rebuild_model(record, "two", induction.config(2, induction.Options().n_head))
    ids, periods = induction.held_out_sequences(seed)

    def loss(heads: list[tuple[int, int]]) -> float:
        return float(induction.repeat_loss(patch.ablate_heads(model, ids, heads), ids, periods))

    writer = int(previous_token_scores(record["frames.two.weights"][-1, 0] / 255, induction.N_PROBE).argmax())
    assert loss([]) == pytest.approx(record["curve.two.loss"][-1], abs=1e-4)
    assert loss([(0, writer)]) > 3
    assert loss([(1, 0), (1, 1)]) > 3
    assert min(loss([(1, 0)]), loss([(1, 1)])) < 0.5  # the two readers stand in for each other


def test_the_largest_record_stays_below_a_megabyte() -> None:
    running = experiment.make_experiment("induction", {"n_step": 1000, "n_head": 4}, 0)
    assert isinstance(running, induction.Induction)
    for name in ("one", "two"):
        frames = running.record()[f"frames.{name}.weights"]
        running.keep(f"frames.{name}.weights", *[frames[0]] * 60)
    assert sum(array.nbytes for array in running.record().values()) < 1_000_000


def weighed(record: experiment.Record, name: str, n_head: int, seed: int) -> naming.HeadImportance:
    return naming.measure_head_importance(
        experiment.rebuild_model(record, name, config(n_head=n_head)), referents.bottle_and_cup_split(seed)[1]
    )


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_layers_look_elsewhere_and_the_second_ones_agree(seed: int) -> None:
    sentence = BottleAndCup("bottle", "cup", "full")
    models = [experiment.rebuild_model(trained("explanation", seed), name, config(n_head=4)) for name in MODELS]
    found = [naming.resolve_it(model, sentence).rows.mean(1) for model in models]
    apart = [
        np.mean([total_variation(found[i][layer], found[j][layer]) for i, j in ((0, 1), (0, 2), (1, 2))])
        for layer in range(2)
    ]
    assert apart[0] > 0.25
    assert apart[1] < apart[0] - 0.1


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_weight_does_not_tell_the_effect_and_yet_the_layer_is_needed(seed: int) -> None:
    measured = [weighed(trained("explanation", seed), name, 4, seed) for name in MODELS]
    right = np.concatenate([one.right.ravel() for one in measured])
    rise = np.concatenate([one.rise.ravel() for one in measured])
    assert abs(kendall_tau(right, rise)) < 0.5
    strong = right > 0.9
    assert strong.sum() >= 6  # of 24
    assert rise[strong].max() < 0.1  # none of the heads that point is missed alone
    assert rise.max() > 1
    assert int(rise.argmax()) % 8 < 4  # the one that is missed stands in layer 0
    assert all(one.accuracy_without_layer[1] < 0.5 for one in measured)


@pytest.mark.full
def test_a_head_without_a_twin_is_missed() -> None:
    record = ran("explanation", 0, n_head=1)
    for name in MODELS:
        one = weighed(record, name, 1, 0)
        assert one.right[1, 0] > 0.8
        assert one.rise[1, 0] > 1


def test_the_models_differ_and_share_their_task() -> None:
    running = experiment.make_experiment("explanation", {"n_step": 1}, 2)
    record = running.record()
    assert not np.array_equal(record["model.a.tok_emb.weight"], record["model.b.tok_emb.weight"])
    held = {tuple(sorted((s.first, s.second))) for s in referents.bottle_and_cup_split(2)[1]}
    assert len(held) == 7
