"""The room of then and now, driven without a browser: nothing is told before a guess, links set the second block."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.choices import shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "today" / "then_and_now.py"))


def test_nothing_is_told_before_a_guess_and_all_of_it_after() -> None:
    for guess, is_told in (("Still thinking", False), ("other positions", True)):
        test = clean(page(then_guess=guess, then_on="rope", only="two-blocks").run())
        assert ("change of the loss" in text_of(test)) == is_told == ("You guessed: other positions" in text_of(test))
        header, _ = next(shown(one.proto.bytes, test) for one in test.get("bidi_component") if one.key == "two-blocks")
        assert header["on"] == ["rope"]
        states = {state["name"]: state for one in header["switches"] for state in one["states"] if "loss" in state}
        assert any(state["found"] for state in states.values()) == is_told == (header["today"]["loss"] is not None)
        seen = {name for name, state in states.items() if state["loss"] is not None}
        assert seen == (set(states) if is_told else {"swiglu"}) and "rope" in states
        assert header["first"] == ("rope" if is_told else "swiglu")
        said = text_of(clean(page(then_guess=guess).run()))
        assert ("RoPE alone" in said.replace("\\", "")) == is_told, "nor in the training below"
