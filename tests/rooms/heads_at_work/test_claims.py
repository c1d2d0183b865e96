"""What the room of heads at work says about its examples is so, computed from the records that ship."""

import math
import re
from typing import Any

import numpy as np
import pytest

from core.data.synthetic import referents
from core.rooms.heads_at_work import explanation, induction, induction_off, three_switches
from core.rooms.heads_at_work.compute import rank_agreement
from core.rooms.heads_at_work.compute.induction import induction_scores, previous_scores
from core.rooms.heads_at_work.experiments import explanation as explaining
from core.rooms.heads_at_work.experiments import induction as repeating
from core.train import experiment
from core.ui.training.trained_models import Trained
from tests.rooms.heads_at_work.test_page import PAGE


def example(name: str) -> Trained:
    record, about = experiment.unpack((experiment.EXAMPLES / f"{name}.safetensors").read_bytes())
    assert about["options"] == vars(experiment.options_of(name, {}))
    return Trained(f"example {name}", record)


@pytest.fixture(scope="module")
def switches() -> Trained:
    return example("three-switches")


@pytest.fixture(scope="module")
def born() -> Trained:
    return example("induction")


@pytest.fixture(scope="module")
def three() -> dict[str, Any]:
    models = example("explanation")
    return {name: explanation.weighed(models, name, 4, 0) for name in explaining.MODELS}


@pytest.mark.parametrize("name", ["three-switches", "induction", "explanation"])
def test_the_example_is_what_the_code_makes_now(name: str) -> None:
    """Its first steps, retrained here, are on the curve that ships."""
    record = example(name).record
    running = experiment.start(name, {}, 0)
    for _ in range(10):
        running.advance()
    for key, values in running.record().items():
        if key.endswith((".accuracy", ".loss")):
            np.testing.assert_allclose(values, record[key][: len(values)], atol=0.08, err_msg=key)


def test_84_sentences_are_trained_on_and_28_held_out() -> None:
    train, held = referents.split(0)
    assert (len(train), len(held)) == (84, 28)
    with open(PAGE, encoding="utf-8") as source:
        assert f"{len(train)} sentences" in source.read()


def test_half_is_the_most_and_the_whole_model_is_right(switches: Trained) -> None:
    ends = {variant: float(switches.record[f"curve.{variant}.accuracy"][-1]) for variant in three_switches.VARIANTS}
    assert ends["full"] == 1
    assert max(ends["causal"], ends["no_positions"]) <= 0.5


def test_the_answer_and_the_starred_row_flip_with_the_ending(switches: Trained) -> None:
    best = three_switches.pointing_of(switches, "full", 0).best
    for ending, noun, place in (("full", "cup", referents.SECOND), ("empty", "bottle", referents.FIRST)):
        found = three_switches.named(switches, "full", "bottle", "cup", ending)
        assert found.said == noun
        assert int(found.rows[best].argmax()) == place


def test_with_the_causal_mask_nothing_moves_not_by_a_digit(switches: Trained) -> None:
    one, two = (three_switches.named(switches, "causal", "bottle", "cup", ending) for ending in referents.ENDINGS)
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.nouns, two.nouns)


def test_one_layer_cannot_change_its_choice_between_the_nouns(switches: Trained) -> None:
    one, two = (three_switches.named(switches, "one_layer", "bottle", "cup", ending) for ending in referents.ENDINGS)
    ratios = [found.rows[0, :, referents.FIRST] / found.rows[0, :, referents.SECOND] for found in (one, two)]
    np.testing.assert_allclose(*ratios, rtol=1e-3)


def test_blind_guessing_costs_the_logarithm_of_the_vocabulary() -> None:
    assert pytest.approx(math.log(32)) == induction_off.BLIND
    assert len(induction_off.SIGNS) == len(set(induction_off.SIGNS)) == repeating.VOCAB_SIZE


def test_two_heads_rise_and_one_layer_only_knows_which_tokens_there_are(born: Trained) -> None:
    weights = born.record["frames.two.weights"] / 255
    assert int(previous_scores(weights, 12)[-1, 0].argmax()) == 0  # "with the example: 0.0"
    assert previous_scores(weights, 12)[-1, 0].max() > 0.8
    assert induction_scores(weights, 12)[-1, 1].max() > 0.9
    assert born.record["curve.two.loss"][-1] < 0.1
    bag = repeating.bag_loss(repeating.held_out(0)[1])
    assert born.record["curve.one.loss"][-1] == pytest.approx(bag, abs=0.15)


def test_the_stripe_appears_with_the_fall(born: Trained) -> None:
    reading = induction_scores(born.record["frames.two.weights"] / 255, 12)[:, 1].max(-1)
    loss = born.record["curve.two.loss"]
    assert reading[loss > 3.3].max() < 0.3
    assert reading[loss < 0.3].min() > 0.8


def test_without_the_writer_it_is_worse_than_blind_guessing(born: Trained) -> None:
    assert induction_off.loss_without(born, 2, 0, ()) < 0.1
    assert induction_off.loss_without(born, 2, 0, ((0, 0),)) > induction_off.BLIND


def test_one_reader_is_not_missed_and_both_are(born: Trained) -> None:
    for head in ((1, 0), (1, 1)):
        assert induction_off.loss_without(born, 2, 0, (head,)) < 0.3
    assert induction_off.loss_without(born, 2, 0, ((1, 0), (1, 1))) > 3


def test_heads_that_read_the_right_noun_are_not_missed(three: dict[str, Any]) -> None:
    right = np.concatenate([one.right.ravel() for one in three.values()])
    rise = np.concatenate([one.rise.ravel() for one in three.values()])
    assert (right > 0.9).sum() >= 8
    assert rise[right > 0.9].max() < 0.05  # "far to the right and at the bottom"
    assert abs(rank_agreement.kendall(right, rise)) < 0.4


def test_the_highest_point_is_a_head_of_layer_0_that_cannot_turn(three: dict[str, Any]) -> None:
    name = max(three, key=lambda one: three[one].rise.max())
    layer, head = np.unravel_index(int(three[name].rise.argmax()), three[name].rise.shape)
    assert layer == 0
    models = example("explanation")
    rows = [explanation.named(models, name, 4, "bottle", "cup", end).rows[0, head] for end in referents.ENDINGS]
    ratios = [row[referents.FIRST] / row[referents.SECOND] for row in rows]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-3)


def test_the_second_layer_as_a_whole_is_needed(three: dict[str, Any]) -> None:
    assert all(one.accuracy_without_layer[1] < 0.5 for one in three.values())


def test_layer_0_looks_at_different_words_and_layer_1_mostly_at_the_noun(three: dict[str, Any]) -> None:
    models = example("explanation")
    found = [explanation.named(models, name, 4, "bottle", "cup", "full") for name in explaining.MODELS]
    apart = [
        np.mean([rank_agreement.total_variation(found[i].rows[k].mean(0), found[j].rows[k].mean(0)) for i, j in PAIRS])
        for k in range(2)
    ]
    assert apart[0] > 0.3 > 0.2 > apart[1]
    assert np.mean([one.rows[1, :, referents.SECOND] > 0.5 for one in found]) > 0.5
    assert {one.said for one in found} == {"cup"}


PAIRS = ((0, 1), (0, 2), (1, 2))


def test_the_texts_state_no_number_that_is_not_computed_here() -> None:
    allowed = {"200", "300", "600", "0", "1", "50", "100", "0.0", "2019"}
    for piece in (three_switches.three_switches, induction.induction, explanation.explanation):
        for sentence in (piece.look_for, *(part for pair in piece.try_this for part in pair)):
            assert set(re.findall(r"\d+(?:\.\d+)?", sentence)) <= allowed, sentence
