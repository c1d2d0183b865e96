"""The state that one room passes to the next, and a choice in a picture; returning to a room is tested in a browser."""

import json

import pytest
from streamlit.testing.v1 import AppTest


def room() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import controls, page_restoration

    page = st.session_state.get("at", "a")
    with page_restoration.restore_page_controls(page):
        if page == "a":
            controls.render_control(exhibit.slider(0, 5, 0, step=1, name="layer", label="Layer"))
        else:
            controls.render_control(exhibit.slider(0, 9, 7, step=1, name="layer", label="Layer"))


def opened(**address: str) -> AppTest:
    test = AppTest.from_function(room)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def go(test: AppTest, page: str, **address: str) -> AppTest:
    """As a browser goes to another page: its address holds what the link says, and nothing else."""
    test.session_state["at"] = page
    test.query_params.clear()
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def test_a_room_leaves_no_value_to_a_control_of_the_same_name_in_the_next() -> None:
    test = opened()
    test.slider(key="layer").set_value(3).run()
    assert go(test, "b").slider(key="layer").value == 7
    assert go(test, "a", layer="5").slider(key="layer").value == 5  # a link wins over what was left


def rooms() -> None:
    import streamlit as st

    from core import exhibit
    from core.ui.controls import browser_side_controls, controls, page_restoration

    page = st.session_state.get("at", "a")
    with page_restoration.restore_page_controls(page):
        typed = exhibit.text_area(f"begins in {page}", name="text", label="Your text")
        looked = exhibit.text_input("begins here", name="text", view=exhibit.ViewChoice(), label="Your sentence")
        text = controls.render_control(typed) if page == "b" else browser_side_controls.render_choice(looked, None)
        st.markdown(f"text {text}")
    page_restoration.mount_text_listener()


@pytest.mark.parametrize("page", ["b", "c"])
def test_a_text_that_comes_along_stands_in_the_address(page: str) -> None:
    """Else the copied address shows another text. (All rooms: `tests/rooms/test_carried.py`.)"""
    test = AppTest.from_function(rooms)
    test.query_params["text"] = "Tom"
    assert go(test.run(), page).markdown[0].value == "text Tom"
    assert test.query_params["text"] in ("Tom", ["Tom"])


def test_a_text_that_nobody_has_moved_stays_where_it_is() -> None:
    test = go(AppTest.from_function(rooms).run(), "b")
    assert test.markdown[0].value == "text begins in b" and "text" not in test.query_params


TELL = "gf-tell-texts-typed-here"


def tell(test: AppTest, text: object) -> AppTest:
    """As the browser does with the click that leaves the page."""
    test.session_state[TELL] = {"texts": json.dumps({"values": {"text": text}, "at": id(text)})}
    return test


@pytest.mark.parametrize("page", ["b", "c"])
def test_a_text_that_the_browser_tells_as_its_page_is_left_comes_along(page: str) -> None:
    """Else a text typed on Home, where the browser alone reads it, stays there."""
    test = go(tell(AppTest.from_function(rooms).run(), "Mia had a hat."), page)
    assert test.markdown[0].value == "text Mia had a hat."
    assert test.query_params["text"] in ("Mia had a hat.", ["Mia had a hat."])


@pytest.mark.parametrize("told", ['{"values": {"text": "' + "x" * 5_000 + '"}}', "[]", '{"values": {"model": "x"}}', 3])
def test_a_forged_message_brings_nothing(told: object) -> None:
    test = AppTest.from_function(rooms).run()
    test.session_state[TELL] = {"texts": told}
    assert go(test, "b").markdown[0].value == "text begins in b" and not test.exception


def test_a_room_seen_before_shows_the_text_set_last_unless_one_was_set_there() -> None:
    """Else two rooms behave differently: a new one takes the text, an old one shows one of three rooms ago."""
    test = AppTest.from_function(rooms)
    test.query_params["text"] = "Tom"
    test = go(go(test.run(), "c"), "d")
    assert go(tell(test, "Mia"), "c").markdown[0].value == "text Mia", "it had come along to c, nobody has set it there"
    assert go(tell(test, "Ben"), "d").markdown[0].value == "text Mia", "it was set there"
    assert go(tell(test, "Sue"), "c").markdown[0].value == "text Ben"
    assert test.query_params["text"] in ("Ben", ["Ben"])
    assert go(test, "d", text="Zoe").markdown[0].value == "text Zoe"  # a link says more than both
