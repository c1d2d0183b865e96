"""Prose that places itself: conditions, file order, values along choices, outcomes of guesses."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import GuessOutcome, Inputs, Result, slider
from core.ui.controls.values_with_control_names import choice_address_name, inputs_with_control_refs, with_values
from core.ui.exhibit.exhibit_text import SectionTemplate, TrustedMarkdown, _parse, render_template


def page() -> None:
    import json

    import numpy as np
    import streamlit as st

    from core import ui
    from core.browser.message_packing import unpack_message
    from core.exhibit import GuessOutcome, Inputs, Result, ViewChoice, guess_control as ask_guess, slider, toggle
    from tests.own_exhibit import exhibit

    class Asked(Inputs, prefix="it_"):
        guess: str = ask_guess({"big": "over two", "small": "at most two"}, label="How large?")
        row: int = slider(0, 3, 1, view=ViewChoice(), label="Row")
        large: bool = toggle(False, label="Large")

    class Found(Result):
        outcome: GuessOutcome
        row: int
        limit: float

    def compute(inputs: Asked) -> Found:
        return Found(outcome=GuessOutcome("big", "exactly 3"), row=inputs.row, limit=2.5)

    def draw(result: Found, inputs: Asked) -> None:
        ui.add_template_values(
            ui.compute_for_all_choices(inputs.row),
            weight=ui.select_by_choice(np.array([0.1, 0.2, 0.3, 0.4]), inputs.row),
            name="it",
        )
        ui.add_template_values(is_high=ui.select_by_choice([False, False, True, True], inputs.row))

    words = """what is drawn.

## late (caption)
Never by itself.

## first if true
The limit is {{ limit|of(".1f") }} of {{ name }}.

## hidden if large and limit > 2
It is large.

## deep (numbers) if true
Only at a depth.

## each if row != 2
Row {{ row }} of four{{ " (high)" if row > 1 }}.

## linked if is_high
Its weight is {{ weight|of(".1f") }}.

## result (caption) if outcome_text
{{ outcome_text }}.{{ guess_result }}
"""
    drawn = exhibit(draw, "Title", words, compute=compute, inputs=Asked).draw()
    st.code(json.dumps([unpack_message(one.message)[0] for one in drawn.messages] if drawn else []))


def sent(**address: str) -> list[dict[str, Any]]:
    test = AppTest.from_function(page)
    for name, value in address.items():
        test.query_params[name] = value
    test.run()
    assert not test.exception
    return [one for one in json.loads(test.code[0].value) if "look" in one]


def texts(messages: list[dict[str, Any]]) -> list[str]:
    return [one.get("text", "").replace("\\", "") for one in messages]


def test_sections_stand_in_the_order_of_the_file_where_their_condition_holds() -> None:
    plain = texts(sent())
    assert plain[0] == "The limit is 2.5 of it."
    assert plain[-1] == "exactly 3."
    assert not any("Never" in one or "large" in one or "depth" in one for one in plain)
    assert texts(sent(it_large="true"))[1] == "It is large."


def test_a_guess_is_shown_next_to_its_outcome() -> None:
    assert texts(sent(it_guess="at most two"))[-1] == "exactly 3. You guessed: at most two. The answer: exactly 3."


def test_a_section_that_names_a_result_by_choice_is_rendered_at_each_place() -> None:
    each = next(one for one in sent() if "along$" in json.dumps(one.get("section")) and "Row" in json.dumps(one))
    shown = [each["html"][i] for i in each["section"]["values"]]
    assert shown == ["<p>Row 0 of four.</p>\n", "<p>Row 1 of four.</p>\n", "", "<p>Row 3 of four (high).</p>\n"]


def test_a_condition_along_a_choice_shows_and_hides_what_follows_it() -> None:
    linked = sent()[2]
    assert linked["section"]["values"] == ["", "", "linked", "linked"]
    assert linked["section"]["along$"] == ["it_row"]
    assert linked["facts"][0]["values"] == ["0.1", "0.2", "0.3", "0.4"]


def test_a_value_that_draw_gets_is_the_value_and_its_choice() -> None:
    class Asked(Inputs, prefix="a_"):
        row: int = slider(0, 3, 1, label="Row")

    inputs = inputs_with_control_refs(Asked(row=2))
    assert inputs.row == 2
    assert choice_address_name(inputs.row) == "a_row"
    assert hash(inputs.row) == hash(2)
    assert with_values(inputs, row=3) == Asked(row=3)
    assert choice_address_name(Asked().row) == "1", "what compute gets is plain"


def test_a_result_is_a_frozen_record_without_a_decorator() -> None:
    class Found(Result):
        total: int
        limit: int = 3

    found = Found(total=4)
    assert (found.total, found.limit) == (4, 3)
    with pytest.raises(AttributeError):
        found.total = 5  # type: ignore[misc]
    with pytest.raises(TypeError):
        Found(4)  # type: ignore[misc]


def test_an_outcome_that_no_guess_names_has_its_own_words_or_none() -> None:
    guesses = {"big": "over two", "small": "at most two"}
    assert GuessOutcome("big").in_words(guesses) == "over two"
    assert GuessOutcome("").sentence("big", guesses) == ""
    assert GuessOutcome("", "nothing").sentence("big", guesses) == " You guessed: over two. The answer: nothing."
    assert GuessOutcome("big").sentence("not yet", guesses) == ""


def test_a_heading_may_have_marks_a_condition_or_both() -> None:
    sections = _parse(
        "# T\n\nlook.\n\n## a (caption, numbers) if x > 1 and y\nA\n\n## b if true\nB\n\n## c (here)\nC"
    ).sections
    assert [(one.condition, one.style, one.depth) for one in sections.values()] == [
        ("x > 1 and y", "caption", "numbers"),
        ("true", "text", "story"),
        ("", "text", "story"),
    ]
    assert sections["a"].condition_names == ("x", "y")


@pytest.mark.parametrize(
    ("text", "values", "said"),
    [
        ("{{ a }}", [1, 1.0, True], ["1", "1.0", "True"]),
        ('{{ a|of(".0f") }}', [0.0, -0.0], ["0", "-0"]),
        ("{{ a }}", ["*it*", TrustedMarkdown("*it*"), "*it*"], [r"\*it\*", "*it*", r"\*it\*"]),
        ("{{ a[0] }}", [[1], [2]], ["1", "2"]),
    ],
)
def test_a_kept_sentence_is_not_said_of_an_equal_value(text: str, values: list[object], said: list[str]) -> None:
    """Fault: a sentence that was filled with 1 is shown again for True, or one with Markdown for a visitor's text."""
    assert [render_template(text, {"a": value}.__getitem__) for value in values] == said


def test_a_sentence_that_asks_for_the_depth_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: the words of one visitor's depth are shown to the next visitor, with a different depth."""
    said = []
    for depth in ("numbers", "story"):
        monkeypatch.setattr("core.ui.frame.depth.content_depth", lambda depth=depth: depth)
        said.append(render_template('{{ a }}{{ " nats" if at_least("numbers") }}', {"a": 1}.__getitem__))
    assert said == ["1 nats", "1"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [("a", True), ("not a", False), ("not not_a", True), ("a and not not_a", True), ("true", True)],
)
def test_a_condition_of_one_name_is_read_as_any_other(condition: str, holds: bool) -> None:
    """Fault: “if not a” is read as “if a”, or a name that begins with “not” as its opposite."""
    section = SectionTemplate("", condition=condition)
    assert section.applies({"a": [0], "not_a": 0}.__getitem__) is holds
