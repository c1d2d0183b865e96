"""The room of heads at work, driven without a browser: examples, guesses, settings, unfinished records, badges."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.data.synthetic import NOUNS
from core.rooms.heads_at_work import ROOM
from core.rooms.heads_at_work.experiments.three_switches import VARIANTS
from core.train import experiment
from core.ui.training import experiments
from tests.pages.rooms import clean, linked, text_of
from tests.pages.test_badges import CLOSE, badges

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "attention" / "work.py")
page = partial(linked, PAGE)
EXHIBITS = tuple(entry.exhibit() for entry in ROOM.exhibits)
SHOWN = {f"{name}_guess": "Just show me" for name in ("switch", "born", "explain")}


def test_opens_with_every_example_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    titles = [one.value for one in test.subheader]
    assert [title for title in titles if title in {one.title for one in EXHIBITS}] == [one.title for one in EXHIBITS]
    assert not test.warning
    told = text_of(test)
    assert told.count("once you've made your guess") == 3
    assert "Kendall" not in told
    alts = " ".join(chart.proto.alt for chart in test.get("vega_lite_chart"))
    assert "causal" not in alts and "rise of the loss" not in alts
    assert [button.label for button in test.button] == ["Train all four", "Train both", "Train all three"]


@pytest.mark.parametrize(
    ("control", "answer", "beside"),
    [
        ("switch_guess", "half", "You guessed: about 50%. The answer:"),
        ("switch_guess", "show", "half right is the best possible"),
        ("born_guess", "none", "You guessed: near 0. The answer:"),
        ("explain_guess", "weight", "You guessed: one that reads the right noun most. The answer:"),
    ],
)
def test_a_guess_uncovers_the_result(control: str, answer: str, beside: str) -> None:
    test = page().run()
    assert beside not in text_of(test)
    test.button_group(key=control).set_value(answer)
    assert beside in text_of(clean(test.run()))


@pytest.mark.parametrize("model", list(VARIANTS))
def test_every_model_answers_in_both_readings(model: str) -> None:
    test = page(**SHOWN).run()
    test.button_group(key="switch_model").set_value(model)
    for ending in ("full", "empty"):
        test.button_group(key="switch_ending").set_value(ending)
        assert "The model says" in text_of(clean(test.run()))
    assert ("All rows of all heads are the same" in text_of(test)) is (model == "causal")


def test_what_cannot_be_poured_is_said() -> None:
    assert "can't be poured" in text_of(clean(page(**SHOWN, switch_first=NOUNS[3], switch_second=NOUNS[3]).run()))


def test_heads_switched_off_bring_the_loss_back_and_on_again_do_not() -> None:
    test = page(**SHOWN).run()

    def loss() -> float:
        return float(next(m for m in test.metric if m.label == "Loss on the repeat").value.split()[0])

    before = loss()
    test.button_group(key="born_off.2").set_value(["1.0", "1.1"])
    clean(test.run())
    assert before < 0.5 < 3 < loss()
    test.button_group(key="born_off.2").set_value([])
    clean(test.run())
    assert loss() == before


def test_settings_of_a_training_say_that_they_are_not_those_shown() -> None:
    test = page(**SHOWN).run()
    assert "The settings have changed" not in text_of(test)
    for key, value in {"switch_steps": 600, "born_heads": 4, "explain_heads": 1}.items():
        before = text_of(test).count("The settings have changed")
        test.button_group(key=key).set_value(value)
        assert text_of(clean(test.run())).count("The settings have changed") == before + 1


def test_a_hidden_question_keeps_its_answer() -> None:
    test = clean(page(hide="switch_guess").run())
    told = text_of(test)
    assert "**Nothing switched**" in told and "**Positions off**" not in told and "The other three" not in told


def test_records_that_are_still_growing_or_not_there_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (0, 1, None):

        def train(name: str, *asked: object, step: int | None = step, **how: object) -> experiments.Live | None:
            if step is None:
                return None
            values = {} if name == "three-switches" else {"n_head": 4}
            running = experiment.start(name, values, 3)
            for _ in range(step):
                running.advance()
            options = {"n_step": running.n_step, "n_head": 2, **values}
            return experiments.Live(running.record(), options, 3, step, running.n_step, True, False)

        monkeypatch.setattr(experiments, "train", train)
        test = clean(page(**SHOWN).run())
        assert step is None or len(test.get("bidi_component")) >= 6


def test_every_matrix_says_where_its_numbers_are_from_and_a_second_pass_agrees() -> None:
    test = page(**SHOWN).run()
    unasked = badges(test)
    assert {header["badge"]["tensor"] for _, header, _ in unasked} == {
        "concat(blocks.0.attn.weights, blocks.1.attn.weights)",
        *(f"concat({', '.join(f'{name}.blocks.{layer}.attn.weights' for name in 'abc')})" for layer in (0, 1)),
    }
    for key, header, _ in unasked:
        assert 'tap(self, "weights"' in header["badge"]["line"]
        assert header["badge"]["shape"] == [len(header["rows"]), 14, 14]
        assert (header["badge"]["step"], header["badge"]["seed"]) == (200, 0)
        test.session_state[key] = {"check": {"of": header["badge"]["token"]}}
    found = badges(clean(test.run()))
    assert len(found) == len(unasked) == 4
    for _, header, arrays in found:
        assert "failed" not in header["badge"]
        assert header["badge"]["found"]["largest"] < CLOSE
        assert np.abs(arrays["difference"]).max() < CLOSE
        assert arrays["values"].sum() > 3  # weights: each row sums to 1
