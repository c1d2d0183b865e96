"""The room of soft and hard attention as a learner goes through it, and the claims of its texts."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from core.rooms.hard_attention import game, gradients, lecture, three_ways
from core.rooms.hard_attention.compute import score_gradients as look
from core.rooms.hard_attention.compute.lecture_attention import PRINTED_CODE
from core.rooms.hard_attention.experiments import choosing as task
from core.train.experiment import run_experiment
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "before" / "choosing.py")
page = partial(linked, PAGE, open="all", depth="numbers")


def test_guesses_hide_what_comes_and_repairs_are_made_one_by_one() -> None:
    test = clean(page(grad_row="3").run())
    assert not test.warning
    told = text_of(test)
    assert told.count("once you've made your guess") == 2
    assert "has moved by" not in told and "whole strings right" not in told
    assert any(code.value == PRINTED_CODE for code in test.code)
    letters = gradients.compute(gradients.Inputs(), run_experiment("choosing")).letters
    assert f"Asked for **{letters[3]}**" in told
    test.button_group(key="ways_guess").set_value("all")
    test.button_group(key="lecture_guess").set_value("blind")
    told = text_of(clean(test.run()))
    assert "You guessed: all three. The answer: soft and sampled." in told and "has moved by **0**" in told
    assert "You guessed: no better than guessing. The answer: 0.61." in told
    assert "even worse than no attention at all" in told
    for name in ("encoder", "axis", "mask", "sizes"):
        test.toggle(key=f"fix_{name}").set_value(True)
        told = text_of(clean(test.run()))
        assert ("do not run together" in told) == (name == "encoder")
    assert "it runs" in told and "scores of the letters, by up to **0.000**" in told
    test.button_group(key="cards").set_value(16)
    assert "settings have changed" in text_of(clean(test.run()))


# What the texts say, on the examples that ship.


def test_claims_of_the_race() -> None:
    run = run_experiment("choosing")
    found, when = three_ways.compute(three_ways.Inputs(guess="both"), run), three_ways.steps_to_find(run)
    soft, sampled, bare = (when[variant] for variant in ("soft", "sampled", "bare"))
    assert soft is not None and sampled is not None and bare is not None and when["argmax"] is None
    assert soft < sampled and bare > 2.5 * sampled  # several times as many steps
    assert three_ways.learning_outcome(run) == "both"
    assert found.drift("argmax") == 0 and found.drift("soft") > 0.1
    assert three_ways.random_card_accuracy(8) == pytest.approx(1 / 8 + 7 / 64)


def test_claims_of_the_gradients() -> None:
    def found(moment: int) -> gradients.GradientComparison:
        return gradients.compute(gradients.Inputs(moment=moment), run_experiment("choosing"))

    with pytest.raises(ValueError, match="the first one is asked for"):
        gradients.Inputs(row="99")
    start, end = found(0), found(6)
    assert len(set(start.letters)) == len(start.cards) == 8
    assert start.errors["no baseline"] > 4 * start.errors["baseline"]  # many times wider
    assert end.errors["no baseline"] == pytest.approx(end.errors["baseline"], rel=0.02)  # no longer helps
    assert end.exact.weights.max() > 0.99 and end.lengths["expected"] < 0.01

    def guess(n_draw: int, seed: int) -> np.ndarray:
        return look.estimate_gradient(
            start.exact.weights, start.exact.losses, n_draw, start.exact.expected_loss, seed
        ).mean

    wrong = [(np.sign(guess(10, seed)) != np.sign(start.exact.expected)).any() for seed in range(40)]
    assert np.mean(wrong) > 0.5  # ten draws often get even a sign wrong
    assert (np.sign(guess(10, 1)) != np.sign(start.exact.expected)).any()
    off = [np.abs(guess(10_000, seed) - start.exact.expected).max() for seed in range(10)]
    assert max(off) < 0.1 * np.abs(start.exact.expected).max()  # ten thousand hardly move


def test_claims_of_the_class() -> None:
    def at_work(padding: int = 2, **repairs: bool) -> lecture.RepairResult:
        return lecture.compute(lecture.Inputs(padding=padding, **repairs), run_experiment("lecture"))

    def reading(**repairs: bool) -> lecture.LectureReading:
        found = at_work(**repairs).reading
        assert found is not None
        return found

    assert at_work().outcome.answer == "some" and at_work(encoder=True).reading is None
    written = reading()
    assert (written.weights == 1).all() and written.asked == 0
    mean = reading(axis=True)
    assert mean.row_sums == pytest.approx(1) and mean.unevenness == 0 and mean.asked == 0
    asked = reading(encoder=True, axis=True)
    steps = np.arange(n := len("headache"))
    stripe = sum(asked.weights[steps, np.clip(n - 1 - steps + near, 0, n - 1)] for near in (-1, 0, 1))
    assert float(stripe.mean()) > 0.6  # read from its end
    assert asked.on_padding > 0 and reading(encoder=True, axis=True, mask=True).on_padding == 0


@pytest.mark.parametrize("asked", [0, 3, 7])
def test_the_card_game_reads_as_its_models_do(asked: int) -> None:
    run = run_experiment("choosing")
    result, moment = game.compute(game.Inputs(), run), 2
    letters = ["ABCDEFGHIJKLMNOP".index(card[0]) for card in result.cards]
    tables = torch.tensor([letters]), torch.tensor([[int(card[1:]) for card in result.cards]])
    question = torch.tensor([letters[asked]])
    soft, hard = (task.rebuild_at_moment(run.record, way, moment) for way in ("soft", "sampled"))
    mixed = soft(*tables, question)[0].softmax(-1)
    assert set(result.answers[0, moment, asked]) == {int(mixed.argmax())}
    keys = hard.keys(*tables)
    weights = hard.scores(question, keys)[0].softmax(-1)
    assert result.weights[1, moment, asked] == pytest.approx(weights.numpy(), abs=1e-6)
    for card, vector in enumerate(keys[0]):  # each card read alone
        assert result.answers[1, moment, asked, card] == int(hard.answer(vector).argmax())
    assert result.drawn.shape == (len(result.steps), len(result.cards), game.N_DRAW)
    assert set(result.drawn[moment, asked].tolist()) <= set(np.flatnonzero(result.weights[1, moment, asked] > 1e-4))


def test_claims_of_the_card_game() -> None:
    result = game.compute(game.Inputs(), run_experiment("choosing"))
    own = np.arange(len(result.cards))
    weight = result.weights[:, :, own, own]  # (2, M, S) on the card that is asked for
    soft, hard = result.right
    assert soft[2] > 0.7 > 0.3 > hard[2]  # it opens here: soft is far ahead
    assert len(set(result.drawn[2, 3, :4].tolist())) > 1  # drawing again changes what is read
    assert hard[4] > 0.9 and weight[1, 4, 3] > 0.9 and result.steps[4] == 225
    assert soft[-1] > 0.99 and hard[-1] > 0.99
    assert weight[1, 3].max() > 3 * weight[1, 3].min()  # some letters are found later
