"""The app's depth: the visitor's choice, the browser's stored value, and the link's request."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.frame.depth import DEPTHS


def page() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import controls
    from core.ui.frame import depth

    depth.choose_content_depth()
    st.session_state.seen = depth.content_depth()
    st.session_state.levels = [one for one in depth.DEPTHS if depth.depth_at_least(one)]
    st.session_state.moved = controls.render_control(exhibit.slider(0, 9, 1, step=1, name="x", label="X"))


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
    test.button_group(key="gf-depth-choice").set_value("numbers").run()
    assert (test.session_state["seen"], test.session_state["moved"]) == ("numbers", 7)
    assert test.session_state["_state.remember"] == {"depth": "numbers"}
    assert test.run().session_state["seen"] == "numbers"


def test_a_links_depth_is_not_remembered_and_gives_way_to_a_choice() -> None:
    test = opened(depth="numbers")
    assert "_state.remember" not in test.session_state
    test.button_group(key="gf-depth-choice").set_value("story").run()
    assert test.session_state["seen"] == "story"
    assert test.query_params["depth"] in ("story", ["story"])  # a reload stays there
    assert test.run().session_state["seen"] == "story"


@pytest.mark.parametrize("former", ["formula", "code"])
def test_an_old_links_depth_opens_as_numbers(former: str) -> None:
    assert opened(depth=former).session_state["levels"] == ["story", "numbers"]


@pytest.mark.parametrize(
    ("kept", "expected"), [("numbers", "numbers"), ("code", "numbers"), ("%3Cb%3E", "story"), ("x" * 5000, "story")]
)
def test_a_browser_may_have_kept_anything(monkeypatch: pytest.MonkeyPatch, kept: str, expected: str) -> None:
    theme = SimpleNamespace(type="light")
    monkeypatch.setattr("streamlit.context", SimpleNamespace(cookies={"gf_depth": kept}, theme=theme))
    assert opened().session_state["seen"] == expected


def deep_exhibit() -> None:
    import streamlit as st

    from core.exhibit import Inputs, ViewChoice, segmented_control, slider
    from core.ui.controls import browser_side_controls, controls
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    class Three(Inputs):
        first: int = slider(0, 9, 1, name="first", label="First")
        deep: int = slider(0, 9, 1, name="deep", depth="numbers", label="Deep")
        look: str = segmented_control(("a", "b"), "a", name="look", depth="numbers", view=ViewChoice(), label="Look")

    def three(_: object, inputs: Three) -> None:
        st.session_state.came = (inputs.deep, inputs.look)
        st.session_state.held = browser_side_controls.choice_options("look")

    st.button("Chip", on_click=lambda: controls.set_control("deep", 5))
    render_exhibit(
        exhibit(three, "Three", inputs=Three), preset=controls.ControlOverrides(st.query_params.get("lesson", ""))
    )


@pytest.mark.parametrize(
    ("query", "drawn", "came"),
    [
        ({}, ["First"], (1, "a")),
        ({"deep": "1"}, ["First", "Deep"], (1, "a")),  # the address names it
        ({"deep": "7", "look": "b"}, ["First", "Deep"], (7, "b")),
        ({"depth": "numbers"}, ["First", "Deep"], (1, "a")),
        ({"lesson": "x"}, ["First", "Deep"], (1, "a")),
    ],
)
def test_a_deeper_control_waits_for_its_depth_unless_something_moved_it(
    query: dict[str, str], drawn: list[str], came: tuple[int, str]
) -> None:
    """Catches a link or a lesson whose values a newcomer's page passes over, and a picture that follows no choice."""
    test = AppTest.from_function(deep_exhibit)
    for name, value in query.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    assert [one.label for one in test.slider] == drawn
    assert test.session_state["came"] == came
    assert test.session_state["held"] == ["a", "b"]


def test_a_chip_brings_the_deeper_control_that_it_moves() -> None:
    test = AppTest.from_function(deep_exhibit).run()
    test.button[0].click().run()
    assert [one.label for one in test.slider] == ["First", "Deep"] and test.session_state["came"] == (5, "a")
    assert test.run().session_state["came"] == (5, "a"), "and it stays"
