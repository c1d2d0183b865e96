"""The room as a learner goes through it: the guesses first, and pairs to be chosen from click by click."""

from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.assistant.experiments.own_choices import N_PAIR, choices_by_rule, sample_answer_pairs
from core.train.experiment import run_experiment
from core.ui.training import live_experiments
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")
PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "today" / "assistant.py")
GUESSES = ("four_guess", "hack_guess", "prefer_guess", "check_guess")
page = partial(linked, PAGE, open="all", depth="numbers")
ALONE = """
from core.rooms.assistant import ROOM
ROOM.show("own-choices")
"""


def alone(**address: str) -> AppTest:
    """The exhibit of the learner's choices."""
    test = AppTest.from_string(ALONE, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return clean(test.run())


def click(test: AppTest, key: str) -> AppTest:
    """One of its buttons."""
    return clean(test.button(key=f"own-{key}").click().run())


def chosen(test: AppTest) -> str:
    """What the address holds."""
    return "".join(test.query_params.get("own_clicks", [""]))


def plain(test: AppTest) -> str:
    return text_of(test).replace("\\", "")


def test_pairs_are_chosen_from_one_by_one_and_a_reload_keeps_them() -> None:
    test, shown = alone(), sample_answer_pairs(0)
    for n, sign in enumerate("1221"):
        assert shown.questions[n].text in plain(test) and f"chosen in **{n}** of" in text_of(test)
        labels = [test.button(key=f"own-choose-{one}").label.replace("\\", "") for one in "12"]
        assert tuple(labels) == shown.said()[n]
        click(test, f"choose-{sign}")
        assert chosen(test) == "1221"[: n + 1]
    again = alone(own_clicks="1221")
    assert "chosen in **4** of" in text_of(again) and shown.questions[4].text in plain(again)
    assert chosen(click(again, "undo")) == "122" and shown.questions[3].text in plain(again)
    assert chosen(click(again, "again")) == "" and shown.questions[0].text in plain(again)


@pytest.mark.parametrize("rule", ["friendly", "short", "lot"])
def test_a_rule_chooses_the_rest_and_no_more(rule: str) -> None:
    own = "".join("21"[int(sign) - 1] for sign in choices_by_rule(rule, 0)[:5])  # against the rule
    test = click(alone(own_clicks=own), rule)
    assert chosen(test) == own + choices_by_rule(rule, 0)[5:]
    assert f"chosen in **{N_PAIR}** of" in text_of(test) and "All 24 pairs" in text_of(test)
    assert not [one for one in test.button if one.key.startswith("own-choose")]


def test_other_pairs_begin_anew_and_a_link_that_makes_no_sense_is_refused() -> None:
    test = alone(own_clicks="12", own_seed="1")
    assert "chosen in **2** of" in text_of(test) and sample_answer_pairs(1).questions[2].text in plain(test)
    test.number_input(key="own_seed").set_value(2)
    assert "chosen in **0** of" in text_of(clean(test.run())) and not chosen(test)
    for text in ("123", "1" * (N_PAIR + 1), "<b>", "²"):
        told = plain(alone(own_clicks=text))
        assert "so they aren't used" in told and "chosen in **0**" in told


def test_too_few_choices_train_nothing_and_the_learners_own_training_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    test = alone(own_clicks="122")
    next(one for one in test.button if one.label == "Train on my choices").click()
    assert "Choose in 8 pairs or more" in plain(clean(test.run()))
    assert "Not yours yet" in text_of(test)
    clicks = choices_by_rule("short", 0)[:9]
    mine = run_experiment("own-choices", clicks=clicks, until=2)
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: mine)
    told = text_of(alone(own_clicks=clicks))
    n_told = round(float(mine.record["curve.held"][-1]) * 9)
    assert "Not yours yet" not in told and f"**{n_told} of 9** choices" in told
