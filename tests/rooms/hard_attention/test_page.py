"""The room of soft and hard attention without a browser: examples, guesses, every control, links, odd text, claims."""

from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from core.rooms.hard_attention import gradients, lecture, one_string, three_ways
from core.rooms.hard_attention.common import NAMES, cards, questions, table
from core.rooms.hard_attention.compute import score_gradients as look
from core.rooms.hard_attention.compute.lecture_attention import AS_PRINTED, Repairs
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments import lecture as lecture_task
from core.train.experiment import EXAMPLES, unpack
from core.train.live import Live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "before" / "choosing.py")
page = partial(linked, PAGE)
SHOWN = {"ways_guess": "Just show me", "lecture_guess": "Just show me"}


def example(name: str) -> Live:
    record, about = unpack((EXAMPLES / f"{name}.safetensors").read_bytes())
    return Live(record, MappingProxyType(about["options"]), 0, about["step"], about["n_step"], False, True)


def test_opens_with_both_examples_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    assert not test.warning
    told = text_of(test)
    assert told.count("once you've made your guess") == 2
    assert "have moved by" not in told and "whole strings right" not in told
    assert [button.label for button in test.button] == ["Train all", "Train all versions"]
    assert any(code.value == AS_PRINTED for code in test.code)
    test.button_group(key="ways_guess").set_value("all")
    test.button_group(key="lecture_guess").set_value("blind")
    told = text_of(clean(test.run()))
    assert "You guessed: all three. The answer: soft and sampled." in told and "have moved by **0**" in told
    assert "You guessed: no better than guessing. The answer: 0.61." in told
    assert "even worse than no attention at all" in told


def test_every_control_to_its_ends() -> None:
    test = clean(page(**SHOWN).run())
    for model in NAMES:
        test.button_group(key="grad_model").set_value(model)
        test.slider(key="grad_moment").set_value(0 if model == "bare" else 6)
        test.button_group(key="draws").set_value(2 if model == "soft" else 10_000)
        test.button_group(key="baseline").set_value("none" if model == "soft" else "mean")
        test.number_input(key="draws_seed").set_value(2**31 - 1)
        test.button_group(key="cards").set_value(16)
        assert "Arg-max**: its largest gradient is **0**" in text_of(clean(test.run()))
    assert "settings have changed" in text_of(test)
    for name in ("encoder", "axis", "mask", "sizes"):
        test.toggle(key=f"fix_{name}").set_value(True)
        told = text_of(clean(test.run()))
        assert ("do not run together" in told) == (name == "encoder")
    assert "it runs" in told and "scores of the letters, by up to **0.000**" in told
    test.slider(key="lecture_padding").set_value(0)
    test.button_group(key="lecture_longest").set_value(8)
    clean(test.run())


@pytest.mark.parametrize("text", ["", "🙂", "zzz", "h" * 1000, "<b>$a$ [x](y) `abc`"])
def test_any_text_is_taken(text: str) -> None:
    test = clean(page(**SHOWN, lecture_text=text, fix_axis="true", fix_encoder="true").run())
    assert ("Type at least one" in text_of(test)) == (not set(text) & set("abcdefgh"))


def test_hostile_links_are_refused_in_words() -> None:
    address = {
        "cards": "5",
        "ways_seed": "-1",
        "grad_model": "x",
        "grad_moment": "99",
        "draws": "nan",
        "baseline": "[]",
    }
    test = page(**address, fix_encoder="perhaps", lecture_padding="-7", lecture_longest="inf")
    clean(test.run())
    assert len(test.warning) >= 7


@pytest.mark.parametrize(("kept", "row"), [("3", 3), ("8", 0), ("-1", 0), ("9" * 5000, 0), ("٣", 0), ("<b>", 0)])
def test_a_link_holds_the_question_that_was_pressed(kept: str, row: int) -> None:
    assert f"Asked for **{questions(0, 8)[row]}**" in text_of(clean(page(grad_row=kept).run()))


# What the texts say, on the examples that ship.


def test_claims_of_the_race() -> None:
    shown = example("choosing")
    when = {variant: three_ways.found_at(shown, variant) for variant in NAMES}
    soft, sampled, bare = when["soft"], when["sampled"], when["bare"]
    assert soft is not None and sampled is not None and bare is not None and when["argmax"] is None
    assert soft < sampled and bare > 2.5 * sampled  # several times as many steps
    assert three_ways.outcome(shown) == "both"
    assert set(three_ways.drift(shown, "argmax").values()) == {0.0}
    assert min(three_ways.drift(shown, "soft").values()) > 0.1
    assert three_ways.luck(8) == pytest.approx(1 / 8 + 7 / 64)


def test_claims_of_the_gradients() -> None:
    record = example("choosing").record
    hand = table(0, 8)
    assert len(set(questions(0, 8))) == 8 and len(cards(0, 8)) == 8

    def found(variant: str, moment: int, row: int = 0) -> look.ScoreGradients:
        model = task.model_at(record, variant, moment)
        return look.score_gradients(
            model, hand.letters[0], hand.digits[0], int(hand.question[row]), int(hand.answer[row])
        )

    start = found("sampled", 0)
    one = gradients.errors(start)
    assert one["no baseline"] > 4 * one["baseline"]  # many times wider
    end = gradients.errors(found("sampled", -1))
    assert end["no baseline"] == pytest.approx(end["baseline"], rel=0.02)  # no longer helps
    assert found("sampled", -1).weights.max() > 0.99 and np.linalg.norm(found("sampled", -1).expected) < 0.01
    few = [np.sign(look.estimate(start.weights, start.losses, 10, start.expected_loss, s).mean) for s in range(40)]
    wrong = [bool((signs != np.sign(start.expected)).any()) for signs in few]
    assert np.mean(wrong) > 0.5  # ten draws often get even a sign wrong
    off = [
        np.abs(look.estimate(start.weights, start.losses, 10_000, start.expected_loss, s).mean - start.expected).max()
        for s in range(10)
    ]
    assert max(off) < 0.1 * np.abs(start.expected).max()  # ten thousand hardly move


def test_claims_of_the_class() -> None:
    shown = example("lecture")
    ids = [lecture_task.LETTERS.index(sign) for sign in one_string.WORD]
    assert lecture.outcome(shown) == "some"

    def reading(repairs: Repairs, n_padding: int = 2) -> one_string.Reading:
        variant = lecture_task.variant_of(repairs)
        assert variant is not None
        return one_string.read(lecture_task.model_of(shown.record, variant), ids, n_padding)

    written = reading(Repairs())
    assert (written.weights == 1).all() and written.asked == 0
    mean = reading(Repairs(axis=True))
    assert mean.row_sums == pytest.approx(1) and mean.unevenness == 0 and mean.asked == 0
    asked = reading(Repairs(encoder=True, axis=True))
    steps = np.arange(len(ids))
    stripe = sum(asked.weights[steps, np.clip(len(ids) - 1 - steps + near, 0, len(ids) - 1)] for near in (-1, 0, 1))
    assert float(stripe.mean()) > 0.6  # read from its end
    assert asked.on_padding > 0 and reading(Repairs(encoder=True, axis=True, mask=True)).on_padding == 0
    for mask in (False, True):
        repairs = Repairs(encoder=True, axis=True, mask=mask)
        change = np.abs(reading(repairs).logits - reading(repairs, 0).logits).max()
        assert (change < 1e-5) == mask
