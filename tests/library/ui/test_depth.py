"""How deep the app goes: what a visitor chose, what a browser kept, what a link asks for."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.frame.depth import DEPTHS


def page() -> None:
    import streamlit as st

    from core import inputs
    from core.ui.controls import controls
    from core.ui.frame import depth

    depth.choose()
    st.session_state.seen = depth.depth()
    st.session_state.levels = [one for one in depth.DEPTHS if depth.at_least(one)]
    st.session_state.moved = controls.ask(inputs.slider("X", 0, 9, 1, step=1, name="x"))


def opened(**query: str) -> AppTest:
    test = AppTest.from_function(page)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def test_somebody_new_gets_the_story_and_each_depth_shows_what_those_before_show() -> None:
    assert opened().session_state["levels"] == ["story"]
    for n, depth in enumerate(DEPTHS, 1):
        assert opened(depth=depth).session_state["levels"] == list(DEPTHS)[:n]


@pytest.mark.parametrize("depth", ["", "CODE", "<b>", "x" * 10_000])
def test_a_link_with_anything_else_is_passed_over(depth: str) -> None:
    test = opened(depth=depth)
    assert not test.exception
    assert test.session_state["seen"] == "story"


def test_switching_keeps_the_other_controls_and_is_remembered() -> None:
    test = opened(x="7")
    test.button_group(key="depth-choice").set_value("code").run()
    assert (test.session_state["seen"], test.session_state["moved"]) == ("code", 7)
    assert test.session_state["_state.remember"] == {"depth": "code"}
    assert test.run().session_state["seen"] == "code"


def test_a_links_depth_is_not_remembered_and_gives_way_to_a_choice() -> None:
    test = opened(depth="code")
    assert "_state.remember" not in test.session_state
    test.button_group(key="depth-choice").set_value("numbers").run()
    assert test.session_state["seen"] == "numbers"
    assert test.query_params["depth"] in ("numbers", ["numbers"])  # a reload stays there
    assert test.run().session_state["seen"] == "numbers"


@pytest.mark.parametrize(("kept", "expected"), [("code", "code"), ("%3Cb%3E", "story"), ("x" * 5000, "story")])
def test_a_browser_may_have_kept_anything(monkeypatch: pytest.MonkeyPatch, kept: str, expected: str) -> None:
    theme = SimpleNamespace(type="light")
    monkeypatch.setattr("streamlit.context", SimpleNamespace(cookies={"gf_depth": kept}, theme=theme))
    assert opened().session_state["seen"] == expected
