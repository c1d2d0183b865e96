"""The room of heads at work, driven without a browser: examples, guesses, every control, links, unfinished records."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.data.synthetic import NOUNS
from core.rooms.heads_at_work import ROOM
from core.rooms.heads_at_work.experiments.three_switches import VARIANTS
from core.train import experiment
from core.ui.training import live
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


def test_every_pair_of_nouns_at_both_ends() -> None:
    test = page(**SHOWN).run()
    for first, second in ((NOUNS[-1], NOUNS[0]), (NOUNS[0], NOUNS[-1]), (NOUNS[3], NOUNS[3])):
        for name in ("switch", "explain"):
            test.selectbox(key=f"{name}_first").set_value(first)
            test.selectbox(key=f"{name}_second").set_value(second)
        clean(test.run())
    assert "can't be poured" in text_of(test)


def test_heads_switched_off_bring_the_loss_back_and_on_again_do_not() -> None:
    test = page(**SHOWN).run()

    def loss() -> float:
        return float(next(m for m in test.metric if m.label == "Loss on the repeat").value.split()[0])

    before = loss()
    test.button_group(key="born_off.2").set_value(["1.0", "1.1"])
    clean(test.run())
    assert before < 0.5 < 3 < loss()
    test.button_group(key="born_off.2").set_value(list(test.button_group(key="born_off.2").options))
    clean(test.run())
    test.button_group(key="born_off.2").set_value([])
    clean(test.run())
    assert loss() == before


@pytest.mark.parametrize(
    "key", ["switch_seed", "born_seed", "explain_seed", "switch_steps", "born_heads", "explain_heads"]
)
def test_settings_of_a_training_say_that_they_are_not_those_shown(key: str) -> None:
    test = page(**SHOWN).run()
    assert "The settings have changed" not in text_of(test)
    values = {"switch_steps": [600], "born_heads": [1, 4], "explain_heads": [1, 2]}.get(key, [2**31 - 1])
    for value in values:
        (test.number_input if key.endswith("seed") else test.button_group)(key=key).set_value(value)
        assert "The settings have changed" in text_of(clean(test.run()))


@pytest.mark.parametrize(
    "address",
    [
        {"switch_guess": "<b>", "born_guess": "", "explain_guess": "show" * 500},
        {"switch_first": "teapot", "switch_second": "cup", "switch_ending": "half"},
        {"switch_model": "../../etc", "switch_seed": "-1", "switch_steps": "1e309"},
        {"born_off.2": "9.9", "born_seed": "nan", "born_heads": "3"},
        {"explain_seed": "99999999999", "explain_heads": "0", "explain_first": "\u202e$x$"},
    ],
)
def test_hostile_links_are_refused_in_words_and_the_page_goes_on(address: dict[str, str]) -> None:
    test = clean(page(**address).run())
    assert len(test.get("vega_lite_chart")) >= 5


def test_a_hidden_question_keeps_its_answer() -> None:
    test = clean(page(hide="switch_guess").run())
    told = text_of(test)
    assert "**Nothing switched**" in told and "**Positions off**" not in told and "The other three" not in told


@pytest.mark.parametrize("name", ["three-switches", "induction", "explanation"])
@pytest.mark.parametrize("step", [0, 1, 13])
def test_a_record_that_is_still_growing_is_drawn(name: str, step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {} if name == "three-switches" else {"n_head": 4}
    running = experiment.start(name, values, 3)
    for _ in range(step):
        running.advance()
    now = live.Live(
        running.record(), {"n_step": running.n_step, "n_head": 2, **values}, 3, step, running.n_step, True, False
    )
    real = live.train
    monkeypatch.setattr(live, "train", lambda asked, *args, **how: now if asked == name else real(asked, *args, **how))
    test = clean(page(**SHOWN).run())
    assert len(test.get("bidi_component")) >= 6


@pytest.mark.parametrize("name", ["three-switches", "induction", "explanation"])
def test_no_record_is_no_fault(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = live.train
    monkeypatch.setattr(live, "train", lambda asked, *args, **how: None if asked == name else real(asked, *args, **how))
    clean(page(**SHOWN).run())


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


@pytest.mark.parametrize("piece", EXHIBITS, ids=lambda piece: piece.name)
def test_what_is_to_be_guessed_stands_in_no_panel_and_in_no_text_for_screen_readers(piece: object) -> None:
    def panels(**address: str) -> str:
        test = page(**address).run()
        test.button_group(key=f"panel-{piece.name}").set_value("Numbers")  # type: ignore[attr-defined]
        said = clean(test.run()).dataframe[0].value.to_csv()
        return str(said + " ".join(chart.proto.alt for chart in test.get("vega_lite_chart")))

    before, after = panels(), panels(**SHOWN)
    for secret in {"three-switches": ["causal"], "induction": ["loss, one layer"]}.get(
        piece.name,  # type: ignore[attr-defined]
        ["rise of the loss without it", "tau"],
    ):
        assert secret not in before
        assert secret in after


def test_all_that_is_downloaded_is_finite_and_small() -> None:
    for name in ("three-switches", "induction", "explanation"):
        data = (experiment.EXAMPLES / f"{name}.safetensors").read_bytes()
        record, about = experiment.unpack(data)
        assert len(data) < 600_000
        assert about["seed"] == 0 and about["step"] == about["n_step"]
        assert all(np.isfinite(array).all() for array in record.values())
