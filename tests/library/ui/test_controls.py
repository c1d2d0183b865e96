"""Controls under hostile links and forged messages: a clear message, the default value, and a page that still works."""

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import exhibit
from core.ui.controls import controls
from tests.safety.hostile import VALUES


def app() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import controls

    st.session_state.result = {
        "temperature": controls.render_control(
            exhibit.slider(0.1, 5.0, 1.0, step=0.1, name="temperature", label="Temperature")
        ),
        "layer": controls.render_control(exhibit.slider(0, 3, 1, step=1, name="layer", label="Layer")),
        "n": controls.render_control(
            exhibit.number_input(1, 512, 16, reason="because attention makes n x n numbers", name="n", label="Tokens")
        ),
        "rate": controls.render_control(
            exhibit.number_input(0.0, 1.0, 0.1, reason="it is a share", format="%.3f", name="rate", label="Rate")
        ),
        "seed": controls.render_control(exhibit.seed(name="seed")),
        "model": controls.render_control(
            exhibit.select(
                ["stories", "python"], "stories", labels={"stories": "Stories GPT"}, name="model", label="Model"
            )
        ),
        "head": controls.render_control(
            exhibit.select({(0, 0): "the first head", (0, 1): "the second head"}, (0, 0), name="head", label="Head")
        ),
        "view": controls.render_control(exhibit.segmented_control([1, 2, 3], 2, name="view", label="View")),
        "off": controls.render_control(exhibit.multi_select(["0.0", "0.1", "1.0"], name="off", label="Heads off")),
        "greedy": controls.render_control(exhibit.toggle(name="greedy", label="Greedy")),
        "name": controls.render_control(exhibit.text_input("a run", name="name", label="Name")),
        "text": controls.render_control(exhibit.text_area("the bottle", max_chars=200, name="text", label="Text")),
    }


NAMES = ["temperature", "layer", "n", "rate", "seed", "model", "head", "view", "off", "greedy", "name", "text"]


def run(**parameters: str) -> tuple[AppTest, dict[str, Any]]:
    page = AppTest.from_function(app, default_timeout=20)
    for name, value in parameters.items():
        page.query_params[name] = value
    page.run()
    result: dict[str, Any] = page.session_state["result"]
    return page, result


def assert_sound(result: dict[str, Any]) -> None:
    assert 0.1 <= result["temperature"] <= 5.0
    assert result["layer"] in range(4) and isinstance(result["layer"], int)
    assert result["n"] in range(1, 513) and isinstance(result["n"], int)
    assert 0.0 <= result["rate"] <= 1.0
    assert result["seed"] in range(2**31) and isinstance(result["seed"], int)
    assert result["model"] in ("stories", "python")
    assert result["head"] in ((0, 0), (0, 1))
    assert result["view"] in (1, 2, 3)
    assert set(result["off"]) <= {"0.0", "0.1", "1.0"}
    assert isinstance(result["greedy"], bool)
    assert len(result["name"]) <= 120 and "\n" not in result["name"]
    assert len(result["text"]) <= 200
    assert all(c.isprintable() or c in "\n\t" or ord(c) > 159 for c in result["name"] + result["text"])


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_a_hostile_link_changes_nothing_for_the_worse(value: str) -> None:
    page, result = run(**dict.fromkeys([*NAMES, "lock", "hide"], value))
    assert not page.exception
    assert not page.error
    assert_sound(result)
    for warning in page.warning:
        assert "Traceback" not in warning.value
        assert re.search(r"(?<!\\)[<\[$`!]", warning.value) is None
        assert len(warning.value) < 400


def test_a_fraction_typed_where_a_whole_number_belongs_becomes_the_number_that_is_shown() -> None:
    page, _ = run()
    page.number_input(key="seed").set_value(3.7).run()
    assert page.number_input(key="seed").value == page.session_state["result"]["seed"] == 4
    assert not page.warning and not page.exception


def test_a_text_pasted_too_long_is_cut_and_told_and_the_box_shows_what_is_used() -> None:
    page, _ = run()
    page.text_area(key="text").set_value("ab" * 500 + "end").run()  # a model goes on from the end
    assert page.session_state["result"]["text"] == page.text_area(key="text").value == ("ab" * 500 + "end")[-200:]
    assert "only the last 200 are used" in page.warning[0].value and len(page.warning) == 1
    assert not page.run().warning
    page.text_input(key="name").set_value("x" * 300 + "end").run()
    assert page.session_state["result"]["name"] == page.text_input(key="name").value == "x" * 120
    assert not page.exception


def test_a_good_link_sets_everything_without_noise() -> None:
    asked = {"temperature": "0.5", "layer": "3", "n": "8", "seed": "7", "model": "python", "head": "0.1", "view": "3",
             "off": "1.0", "greedy": "true", "name": "mine", "text": "cup"}  # fmt: skip
    page, result = run(**asked)
    assert not page.warning
    read = {"temperature": 0.5, "layer": 3, "n": 8, "rate": 0.1, "seed": 7, "head": (0, 1), "view": 3, "off": ("1.0",)}
    assert result == asked | read | {"greedy": True}
    page, result = run(text="a\x00b", view="")
    assert (result["text"], result["view"], result["temperature"]) == ("ab", 2, 1.0) and len(page.warning) == 2


def test_a_refusal_names_the_control_the_value_and_the_limits() -> None:
    page, result = run(n="513")
    assert result["n"] == 16
    words = page.warning[0].value.replace("\\", "")
    assert words == (
        "Tokens: “513” is not a whole number from 1 to 512, because attention makes n x n numbers. "
        "The link's value is not used."
    )


@pytest.mark.parametrize("value", ["no such option", None, 17, ["stories"], "x" * 100_000])
def test_forged_options_are_refused(value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamlit.selectbox", lambda *_args, **_how: value)  # what a forged message would give
    page, result = run()
    assert not page.exception
    assert result["model"] == "stories"
    assert "is not one of" in page.warning[0].value


@pytest.mark.parametrize("value", ["513", "0", "nan", "inf", "1e309", "9" * 4301, "1.5", "", "٣" * 50, True, None, [3]])
def test_number_check_refuses(value: Any) -> None:
    with pytest.raises(ValueError, match="is not a whole number from 1 to 512"):
        exhibit.slider(1, 512, 1, label="").check(value)


def test_options_are_told_apart_by_type_and_an_authors_slip_is_loud() -> None:
    check = exhibit.select([1, True, "1"], 1, label="").check
    assert check(True) is True and check(1) is not True and check(1) == 1 and check("1") == "1"
    with pytest.raises(ValueError, match="lower-case"):
        controls.render_control(exhibit.toggle(name="Bad Name", label="x"))
    with (
        controls.apply_control_overrides(controls.ControlOverrides(values={"n": 1000})),
        pytest.raises(ValueError, match="from 1 to 512"),
    ):
        controls.render_control(exhibit.number_input(1, 512, 16, reason="r", name="n", label="Tokens"))


def test_link_locks_and_hides() -> None:
    page, result = run(temperature="0.5", n="8", lock="temperature,<bad>,", hide="n,seed")
    assert page.slider(key="temperature").disabled
    assert not page.slider(key="layer").disabled
    assert result["temperature"] == 0.5
    assert result["n"] == 8  # hidden, but the link's value holds
    assert run(head="0.1", hide="head")[1]["head"] == (0, 1)  # an option that is a pair
    assert [field.key for field in page.number_input] == ["rate"]


def moved_from_elsewhere() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import controls

    where = st.session_state.get("where", {})
    with controls.apply_control_overrides(controls.ControlOverrides(prefix="s1.", values={"row": 2}, **where)):
        controls.control_button("Next", "row", key="next", on_click=controls.set_control, args=("row", 7))
        if st.button("A click in a picture", key="picture"):
            controls.set_control("row", 8)
        if st.button("Another text", key="text"):
            controls.set_control_silently("row", 9)
        st.session_state.result = controls.render_control(exhibit.slider(0, 9, 0, step=1, name="row", label="Row"))


@pytest.mark.parametrize(
    ("where", "link", "reason"),
    [
        ({"locked": frozenset({"row"})}, {}, "Set by the lesson"),
        ({"hidden": frozenset({"row"})}, {}, "Set by the lesson"),
        ({}, {"lock": "row"}, "Locked by the link"),
        ({}, {"hide": "s1.row"}, "Set by the link"),
    ],
)
def test_nothing_moves_what_is_fixed_and_who_fixed_it_is_told(
    where: dict[str, Any], link: dict[str, str], reason: str
) -> None:
    page = AppTest.from_function(moved_from_elsewhere, default_timeout=20)
    page.session_state["where"] = where
    for name, value in link.items():
        page.query_params[name] = value
    page.run()
    is_hidden = "hidden" in where or "hide" in link
    assert [one.label for one in page.button if one.key == "next"] == ([] if is_hidden else ["Next"])
    if not is_hidden:
        assert page.button(key="next").disabled and page.button(key="next").help == f"{reason}."
        assert page.slider[0].disabled and reason in page.caption[0].value
    page.button(key="text").click().run()
    assert page.session_state["result"] == 2 and not page.toast
    page.button(key="picture").click().run()
    assert page.session_state["result"] == 2
    assert page.toast[0].value == f"Row is {reason.lower()}."


def test_in_a_lesson_a_button_moves_the_control_beside_it() -> None:
    page = AppTest.from_function(moved_from_elsewhere, default_timeout=20).run()
    for key, row in (("next", 7), ("picture", 8), ("text", 9)):
        page.button(key=key).click().run()
        assert page.session_state["result"] == row, key
    assert not page.toast and not page.caption


def test_the_address_names_what_the_browser_forgot_to_write() -> None:
    page, _ = run()  # in this test nothing of a browser writes into the address
    page.slider(key="layer").set_value(3)
    page.selectbox(key="head").set_value((0, 1))
    page.button_group(key="off").set_value(["1.0"])
    page.text_area(key="text").set_value("two bottles")
    page.number_input(key="n").set_value(20)
    page.run()
    assert page.query_params == {"layer": "3", "head": "0.1", "off": "1.0", "text": "two bottles", "n": "20.0"}
    assert not page.exception


def one_control_appears() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import controls

    st.button(
        "Set it", key="set", on_click=lambda: (st.session_state.update(shown=True), controls.set_control("k", 0.5))
    )
    if st.session_state.get("shown"):
        controls.render_control(exhibit.number_input(0.0, 1.0, 0.1, reason="", name="k", label="k"))


def test_the_address_names_what_was_set_before_it_was_there() -> None:
    """Fault: the copied address of a chip that shows a control gave the control's default."""
    page = AppTest.from_function(one_control_appears, default_timeout=20).run()
    page.button(key="set").click().run()
    assert page.number_input(key="k").value == 0.5 and page.query_params == {"k": "0.5"}


def a_list_with_ids() -> None:
    from core import exhibit
    from core.ui.controls import controls

    controls.render_control(exhibit.select({"a": "Alpha", "b": "Beta"}, "a", name="model", label="Model"))


def test_start_over_forgets_what_was_chosen_by_its_id() -> None:
    """The address alone brings it back; without, the model stayed and wrote itself into the empty address."""
    page = AppTest.from_function(a_list_with_ids, default_timeout=20).run()
    page.selectbox(key="model").set_value("b").run()
    assert page.query_params == {"model": "b"}
    page.query_params.clear()
    assert page.run().selectbox(key="model").value == "a" and not page.query_params
    page.query_params["model"] = "b"  # Back
    assert page.run().selectbox(key="model").value == "b" and page.query_params == {"model": "b"}


def letters_of_a_text() -> None:
    import streamlit as st

    from core.exhibit import select
    from core.ui.controls.controls import render_control

    text = st.text_input("Text", "abc", key="text")
    render_control(select(dict(enumerate(text)), 0, name="letter", label="Letter"))


def test_what_is_chosen_is_told_anew_where_its_label_changes() -> None:
    """Streamlit's browser side caches the label, so it would still show the earlier text's."""
    page = AppTest.from_function(letters_of_a_text, default_timeout=20).run().run()
    assert not page.selectbox(key="letter").proto.set_value
    page.text_input(key="text").set_value("xyz").run()
    proto = page.selectbox(key="letter").proto
    assert proto.set_value and proto.raw_value == "x"
