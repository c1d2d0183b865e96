"""What the room of heads at work says about its examples is so, computed from the records that ship."""

import math
import re
from typing import Any

import numpy as np
import pytest

from core.data.synthetic import referents
from core.inspect.head_scores import induction_scores
from core.rooms.heads_at_work import ROOM, explanation, induction, three_switches, what_it_means
from core.rooms.heads_at_work.experiments import induction as repeating
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.exhibit.exhibit_text import load_exhibit_markdown


def asked(exhibit: Any, name: str, **inputs: Any) -> Any:
    """What an exhibit computes from the example that ships."""
    return exhibit.compute(exhibit.Inputs(**inputs), experiment.run_experiment(name))


def switches(model: str = "full") -> Any:
    return asked(three_switches, "three-switches", model=model)


@pytest.fixture(scope="module")
def born() -> ExperimentRun:
    return experiment.run_experiment("induction")


@pytest.fixture(scope="module")
def three() -> Any:
    return asked(explanation, "explanation")


@pytest.mark.parametrize("name", ["three-switches", "induction", "explanation"])
def test_the_example_is_what_the_code_makes_now(name: str) -> None:
    """Its first steps, retrained here, are on the curve that ships."""
    record = experiment.run_experiment(name).record
    running = experiment.make_experiment(name, {}, 0)
    for _ in range(10):
        running.advance()
    for key, values in running.record().items():
        if key.endswith((".accuracy", ".loss")):
            np.testing.assert_allclose(values, record[key][: len(values)], atol=0.08, err_msg=key)


def test_84_sentences_are_trained_on_and_28_held_out() -> None:
    train, held = referents.bottle_and_cup_split(0)
    assert (len(train), len(held)) == (84, 28)
    assert f"{len(train)} sentences" in load_exhibit_markdown("heads_at_work", "three_switches").sections["train"].text


def test_half_is_the_most_and_the_whole_model_is_right() -> None:
    right = switches().right
    assert right["full"] == 1
    assert max(right["causal"], right["no_positions"]) <= 0.5


def test_the_answer_and_the_starred_row_flip_with_the_ending() -> None:
    found = switches()
    for ending, noun, place in (
        ("full", "cup", referents.SECOND_POSITION),
        ("empty", "bottle", referents.FIRST_POSITION),
    ):
        assert found.readings[ending].said == noun
        assert int(found.readings[ending].rows[found.best].argmax()) == place


@pytest.mark.parametrize(("first", "second"), [("bottle", "cup"), ("jug", "pot"), ("cup", "bottle")])
def test_the_head_turns_to_the_other_noun_and_nothing_else_gets_its_attention(first: str, second: str) -> None:
    found = asked(what_it_means, "three-switches", first=first, second=second)
    assert found.right_weight > 0.95
    assert {ending: one.said for ending, one in found.readings.items()} == {"full": second, "empty": first}
    assert (found.n_right, found.n_held) == (28, 28)


def test_it_is_told_by_one_link_of_the_layer_before() -> None:
    earlier = asked(what_it_means, "three-switches").earlier
    assert (earlier.layer, earlier.position, earlier.ending) == (0, referents.FIRST_POSITION, "full")
    assert earlier.weight > 0.99 and earlier.n_right == 14


def test_with_the_causal_mask_nothing_moves_not_by_a_digit() -> None:
    one, two = switches("causal").readings.values()
    np.testing.assert_array_equal(one.rows, two.rows)
    np.testing.assert_array_equal(one.nouns, two.nouns)


def test_one_layer_cannot_change_its_choice_between_the_nouns() -> None:
    rows = [reading.rows[0] for reading in switches("one_layer").readings.values()]
    np.testing.assert_allclose(
        *(row[:, referents.FIRST_POSITION] / row[:, referents.SECOND_POSITION] for row in rows), rtol=1e-3
    )


def test_blind_guessing_costs_the_logarithm_of_the_vocabulary() -> None:
    assert pytest.approx(math.log(32)) == induction.UNIFORM_LOSS
    assert len(induction.TOKEN_SIGNS) == len(set(induction.TOKEN_SIGNS)) == repeating.VOCAB_SIZE


@pytest.mark.measured("short/2-short-attention", "Where does the model with one layer")
@pytest.mark.measured("16-induction", "Where does its loss")
def test_two_heads_rise_and_one_layer_only_knows_which_tokens_there_are() -> None:
    found = asked(induction, "induction")
    assert found.heads.writer == 0  # "with the example: 0.0"
    assert found.heads.previous[-1, 0].max() > 0.8
    assert found.heads.induction[-1, 1].max() > 0.9
    assert found.losses["two"] < 0.1
    assert found.losses["one"] == pytest.approx(found.bag, abs=0.15)


def test_the_stripe_appears_with_the_fall(born: ExperimentRun) -> None:
    reading = induction_scores(born.record["frames.two.weights"] / 255, 12)[:, 1].max(-1)
    loss = born.record["curve.two.loss"]
    assert reading[loss > 3.3].max() < 0.3
    assert reading[loss < 0.3].min() > 0.8


@pytest.mark.measured("16-induction", "Without the starred head")
def test_without_the_writer_it_is_worse_than_blind_guessing() -> None:
    found = asked(induction, "induction", off=("0.0",))
    assert found.before < 0.1
    assert found.after > induction.UNIFORM_LOSS


@pytest.mark.measured("16-induction", "And without the starred head")
def test_one_reader_is_not_missed_and_both_are(born: ExperimentRun) -> None:
    for head in ((1, 0), (1, 1)):
        assert induction.ablated_loss(born, (head,)) < 0.3
    assert induction.ablated_loss(born, ((1, 0), (1, 1))) > 3


@pytest.mark.measured("06-many-heads", "Which head will be missed most?")
@pytest.mark.measured("15-three-switches", "The starred head")
def test_heads_that_read_the_right_noun_are_not_missed(three: Any) -> None:
    right, rise = three.weights, three.rises
    assert (right > 0.9).sum() >= 8
    assert rise[right > 0.9].max() < 0.05  # "far to the right and at the bottom"
    assert abs(explanation.kendall_tau(right, rise)) < 0.4


def test_the_highest_point_is_a_head_of_layer_0_that_cannot_turn(three: Any) -> None:
    name = max(three.weighed, key=lambda one: three.weighed[one].rise.max())
    rise = three.weighed[name].rise
    layer, head = np.unravel_index(int(rise.argmax()), rise.shape)
    assert layer == 0
    rows = [asked(explanation, "explanation", ending=one).readings[name].rows[0, head] for one in referents.ENDINGS]
    ratios = [row[referents.FIRST_POSITION] / row[referents.SECOND_POSITION] for row in rows]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-3)


def test_the_second_layer_as_a_whole_is_needed(three: Any) -> None:
    assert all(one.accuracy_without_layer[1] < 0.5 for one in three.weighed.values())


def test_layer_0_looks_at_different_words_and_layer_1_mostly_at_the_noun(three: Any) -> None:
    assert three.apart[0] > 0.3 > 0.2 > three.apart[1]
    readings = three.readings.values()
    assert np.mean([one.rows[1, :, referents.SECOND_POSITION] > 0.5 for one in readings]) > 0.5
    turned = asked(explanation, "explanation", ending="empty").readings.values()
    assert np.mean([one.rows[1, :, referents.FIRST_POSITION] > 0.5 for one in turned]) > 0.5
    assert {one.said for one in readings} == {"cup"}


def test_the_texts_state_no_number_that_is_not_computed_here() -> None:
    allowed = {"200", "300", "600", "0", "1", "50", "100", "0.0", "0.9", "2019"}
    for name in ("three-switches", "induction", "explanation"):
        words = ROOM[name].exhibit().text
        for sentence in (words.look_for, *(part for one in words.try_chips for part in (one.action, one.expectation))):
            assert set(re.findall(r"\d+(?:\.\d+)?", sentence)) <= allowed, sentence
