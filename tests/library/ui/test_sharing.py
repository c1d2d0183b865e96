"""Links for others: every value, a note, and controls that are locked or hidden."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from core.ui.controls.sharing import NOTE_CHARS


def page() -> None:
    import streamlit as st

    from core import exhibit as inputs
    from core.ui.controls import controls, drawn_controls, sharing
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    def piece(*_: object) -> None:
        size = controls.render_control(inputs.slider(0, 9, 1, step=1, name="size", label="Size"))
        seed = controls.render_control(inputs.seed(name="seed", label="Seed"))
        kinds = controls.render_control(inputs.multi_select(["a", "b", "c"], ("a", "b"), name="kinds", label="Kinds"))
        text = controls.render_control(inputs.text_input("x", name="text", label="Text"))
        st.session_state.setdefault("seen", []).append((size, seed, kinds, text))

    st.session_state.seen = []
    drawn_controls.clear_drawn_controls()
    sharing._show_note()
    controls.render_control(inputs.toggle(True, name="on", label="On"))
    for key in ("left", "s3.2"):
        render_exhibit(exhibit(piece, "Twins *A*"), preset=controls.ControlOverrides(f"{key}."))
    st.session_state.link = sharing._whole_link(
        st.session_state.get("freedoms", {}), note=st.session_state.get("note", ""), shown_depth="story"
    )
    if st.session_state.get("dialog"):
        sharing._share_dialog()


def opened(state: dict[str, Any] | None = None, **query: str | list[str]) -> AppTest:
    test = AppTest.from_function(page, default_timeout=20)
    for name, value in query.items():
        test.query_params[name] = value
    for name, value in (state or {}).items():
        test.session_state[name] = value
    test.run()
    assert not test.exception
    assert not test.error
    return test


def parameters(link: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(link).query, keep_blank_values=True)


def follow(link: str) -> AppTest:
    return opened(**{name: values if len(values) > 1 else values[0] for name, values in parameters(link).items()})


def test_a_link_says_every_value_also_the_defaults() -> None:
    found = parameters(opened(**{"left.size": "7", "other": "kept"}).session_state["link"])
    assert found["left.size"] == ["7"]
    assert found["left.kinds"] == ["a", "b"]
    assert found["s3.2.seed"] == ["0"]
    assert found["on"] == ["true"]
    assert found["other"] == ["kept"]  # what no control holds, such as a drawn mask
    assert found["depth"] == ["story"]
    assert "lock" not in found and "hide" not in found and "note" not in found


def test_values_hold_behind_the_link_locked_hidden_or_free() -> None:
    state = {"freedoms": {"left.size": "locked", "left.kinds": "hidden", "s3.2.text": "hidden", "gone": "hidden"}}
    query = {"left.size": "7", "left.kinds": ["b", "c"], "s3.2.kinds": "", "s3.2.text": "a&b=c <i>"}
    test = opened(state, **query)
    before = test.session_state["seen"]
    assert before == [(7, 0, ("b", "c"), "x"), (1, 0, (), "a&b=c <i>")]
    link = test.session_state["link"]
    assert parameters(link)["lock"] == ["left.size"]
    assert parameters(link)["hide"] == ["left.kinds,s3.2.text"]
    after = follow(link)
    assert after.session_state["seen"] == before
    assert [slider.disabled for slider in after.slider] == [True, False]
    assert [one.key for one in after.text_input] == ["left.text"]
    again = parameters(after.session_state["link"])  # and so it goes on
    assert again == {name: value for name, value in parameters(link).items() if name not in ("lock", "hide")}


def test_old_links_that_name_a_control_alone_hold_wherever_it_is_shown() -> None:
    test = opened(lock="size", hide="seed")
    assert [slider.disabled for slider in test.slider] == [True, True]
    assert not test.number_input


@pytest.mark.parametrize(
    "note", ["<script>alert(1)</script>", "[x](javascript:alert(1)) ![](http://e)", ":red[x] $a$ `b`", "# big\n- list"]
)
def test_a_note_is_shown_as_itself_and_can_be_closed(note: str) -> None:
    from core.ui.text_formatting import escape_markdown

    test = opened(note=note)
    assert escape_markdown(note) in test.info[0].value
    test.button(key="gf-shared-note-close").click().run()
    assert not test.info
    assert "note" not in test.query_params


def test_long_and_empty_ones_are_reported() -> None:
    assert len(opened(note="a" * 100_000).info[0].value) < NOTE_CHARS + 100
    assert not opened(note=" \x00 ").info
    test = opened({"dialog": True}, text="a", other="x" * 2_100)
    assert any("2,000" in one.value for one in test.warning)


def test_the_dialog_makes_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened({"dialog": True}, **{"left.text": "*hello*"})
    groups = {one.key: one for one in test.button_group if str(one.key).startswith("share.")}
    assert list(groups)[:2] == ["share.on", "share.left.size"]
    assert "Twins \\*A\\*" in " ".join(one.value for one in test.caption)
    test.button(key="share.all.hidden").click().run()
    test.button_group(key="share.left.seed").set_value("locked").run()
    test.text_input(key="share.note").set_value("Look here").run()
    found = parameters(test.code[0].value)
    assert found["lock"] == ["left.seed"]
    assert "left.size" in found["hide"][0] and "on" in found["hide"][0].split(",")
    assert found["note"] == ["Look here"]
    assert "depth" not in found
    told = " ".join(one.value for one in test.markdown)
    assert "**Locked but visible:** Seed (0)." in told
    assert "Nothing can be moved." in told
    test.toggle(key="share.depth").set_value(True).run()
    assert parameters(test.code[0].value)["depth"] == ["story"]
