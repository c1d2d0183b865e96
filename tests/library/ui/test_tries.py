"""Chips: those that act set what they name, those that ask are ticked once it is done; the address restores both."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.browser.message_packing import unpack_message
from core.ui.controls.controls import ControlOverrides
from core.ui.exhibit.completion_conditions import condition_problem, names_in_condition
from core.ui.exhibit.exhibit_text import _parse

ACT, AT_DEFAULT, ASK, ASK_WITH_SETTING, UNSEEN, BEYOND = range(1, 7)


def page() -> None:
    import streamlit as st

    from core import exhibit as inputs
    from core.ui.controls import picks
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    class Asked(inputs.Inputs):
        heat: float = inputs.slider(0.1, 3.0, 1.0, step=0.1, label="Heat")
        row: int = inputs.slider(0, 5, 0, view=inputs.ViewChoice(), label="Row")
        cell: str = inputs.selection_in_picture("map", "", text=lambda *_: None, check=lambda *_: None)

    def warm(_: object, inputs: Asked) -> None:
        st.session_state.seen = (inputs.heat, inputs.row, inputs.cell)

    words = """Look here.

## Try
**Make it cold.** ?heat=0.2&row=3&cell=2.1
It is cold.

**Leave it.** ?heat=1
It is as it was.

**Set a cell to 9.** when: cell like *=9
It is nine.

**Make it hot, then move the row.** ?heat=3 when: changed row and heat > 2
It is hot.

**Point at a cell.**
A line appears.

**Go to row 9.** ?row=9
It is the ninth."""
    if st.session_state.get("cell"):
        picks.set_address_value("cell", st.session_state.cell)
    render_exhibit(exhibit(warm, "Warm", words, inputs=Asked), **st.session_state.get("how", {}))


def run(**address: str) -> AppTest:
    test = AppTest.from_function(page, default_timeout=20)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def chips(test: AppTest) -> Any:
    return next(one for one in test.button_group if str(one.key).endswith("try-warm-chips"))


def said(test: AppTest) -> str:
    assert not test.exception
    return " ".join(one.value for one in test.markdown)


def address(test: AppTest, name: str) -> str | None:
    said = test.query_params.get(name)
    return ",".join(said) if isinstance(said, list) else said


def has_hand(test: AppTest, number: int) -> bool:
    return bool(chips(test).proto.options[number - 1].content_icon)


def test_what_acts_looks_different_from_what_asks() -> None:
    test = run()
    assert [has_hand(test, one) for one in range(1, 7)] == [False, False, True, True, True, False]


def test_an_acting_chip_sets_all_it_names_and_its_address_shows_the_same() -> None:
    """Otherwise Read describes a picture that isn't on the screen, or is silent after a reload."""
    test = run()
    chips(test).set_value(ACT).run()
    assert test.session_state["seen"] == (0.2, 3, "2.1") and "It is cold." in said(test)
    again = run(**({name: str(address(test, name)) for name in test.query_params} | {"heat": "0.2", "row": "3"}))
    assert again.session_state["seen"] == (0.2, 3, "2.1") and "It is cold." in said(again)
    assert chips(again).value == ACT


def test_an_acting_chip_lets_go_of_what_no_longer_stands() -> None:
    test = run()
    chips(test).set_value(ACT).run()
    test.slider(key="heat").set_value(2.0).run()
    assert "It is cold." not in said(test) and chips(test).value is None and address(test, "try") is None


def told(test: AppTest) -> set[str]:
    """The choices of which the server hears when the browser moves them."""
    messages = [one.proto.bytes for one in test.get("bidi_component") if "gf-tell-warm" in one.proto.id]
    return {name for message in messages for name in unpack_message(message)[0]["values"]}


def test_an_acting_chip_hears_of_what_the_browser_alone_moves_and_lets_go_at_once() -> None:
    """Otherwise Read describes a picture that isn't on the screen, because choices move without the server."""
    test = run()
    assert told(test) == set()
    chips(test).set_value(ACT).run()
    assert told(test) == {"row"}
    test.session_state["gf-tell-warm"] = {"chosen": json.dumps({"values": {"row": 4}, "at": 1})}
    test.run()
    assert "It is cold." not in said(test) and chips(test).value is None and test.session_state["seen"][1] == 4
    assert told(test) == set(), "from then on, moving it costs the server nothing"


def test_a_chip_pressed_again_sets_what_was_moved_and_is_let_go_of_where_all_of_it_stands() -> None:
    test = run()
    chips(test).set_value(ACT).run()
    test.query_params["row"] = "4"  # moved in the browser a moment ago
    chips(test).set_value(None).run()
    assert chips(test).value == ACT and test.session_state["seen"] == (0.2, 3, "2.1") and "It is cold." in said(test)
    chips(test).set_value(None).run()
    assert chips(test).value is None and "It is cold." not in said(test) and test.session_state["seen"][1] == 3


def test_a_chip_that_changes_nothing_does_not_pretend_to() -> None:
    test = run()
    chips(test).set_value(AT_DEFAULT).run()
    assert "It was set like this already." in said(test)
    test.slider(key="heat").set_value(2.0).run()
    chips(test).set_value(AT_DEFAULT).run()
    assert test.session_state["seen"][0] == 1.0 and "already" not in said(test)


def test_what_is_asked_is_ticked_only_once_it_is_done_and_stays_so() -> None:
    test = run()
    chips(test).set_value(ASK).run()
    assert "Your turn." in said(test) and "It is nine." not in said(test) and has_hand(test, ASK)
    test.session_state["cell"] = "1.2=8"
    assert "It is nine." not in said(test.run())
    test.session_state["cell"] = "1.2=9"
    assert "It is nine." in said(test.run()) and not has_hand(test, ASK)
    assert address(test, "try") == f"warm.{ASK}.done"
    assert "It is nine." in said(run(**{"try": f"warm.{ASK}.done"}))


def test_what_is_asked_may_begin_with_a_setting() -> None:
    test = run()
    chips(test).set_value(ASK_WITH_SETTING).run()
    assert test.session_state["seen"][0] == 3.0 and "It is hot." not in said(test)
    test.query_params["row"] = "4"
    assert "It is hot." in said(test.run())


def test_what_nobody_can_see_done_is_never_ticked_and_says_only_what_to_look_for() -> None:
    test = run()
    chips(test).set_value(UNSEEN).run()
    assert "*What to look for:* A line appears." in said(test) and has_hand(test, UNSEEN)
    chips(test).set_value(None).run()
    assert "A line appears." not in said(test) and address(test, "try") is None


@pytest.mark.parametrize("how", [{}, {"preset": ControlOverrides(values={"heat": 0.5}, locked=frozenset({"heat"}))}])
def test_a_chip_that_is_refused_says_so_and_is_not_chosen(how: dict[str, Any]) -> None:
    test = run()
    test.session_state["how"] = how
    chips(test.run()).set_value(BEYOND if not how else ACT).run()
    assert chips(test).value is None and test.toast
    assert "It is" not in said(test)


@pytest.mark.parametrize(
    "value", ["warm.99", "warm.0", "warm", "x.1", "warm.1.done.2", "warm.-1", ",,", "warm." + "9" * 99]
)
def test_an_address_of_no_chip_chooses_none(value: str) -> None:
    test = run(**{"try": value})
    assert "It is" not in said(test) and chips(test).value is None


def test_the_words_refuse_what_is_no_chip() -> None:
    """Else a chip is lost, or its text is cut, without a word."""
    for tries in ("Do this.\nIt.", "**Do this.**", "**Do this.** ?a=1 when\nIt.", "**Do this.** (never)\nIt."):
        with pytest.raises(ValueError, match=r"Do this|neither a depth"):
            _parse(f"# Title\n\nLook.\n\n## Try\n{tries}")
    (one,) = _parse("# Title\n\nLook.\n\n## Try\n**Do.** (numbers) ?a=1 when: b = 2\nIt has\n**bold** words.").try_chips
    assert (one.settings, one.done_when, one.depth, one.expectation) == (
        {"a": ["1"]},
        "b = 2",
        "numbers",
        "It has\n**bold** words.",
    )


def test_a_condition_names_its_controls() -> None:
    assert names_in_condition("changed row and heat > 2 and cell like *=9 and trained depth") == ["row", "heat", "cell"]
    assert condition_problem("trained depth", frozenset()) and not condition_problem("cell like *9", frozenset())


def asked_by_a_function() -> None:
    import streamlit as st

    from core import exhibit as inputs
    from core.ui.controls import controls
    from core.ui.exhibit import try_chips

    class Nothing(inputs.Inputs):
        pass

    controls.render_control(inputs.slider(0, 9, 3, name="digit", label="Its number"))
    controls.render_control(inputs.text_input("abc", name="text", label="Text"))
    st.session_state.found = [try_chips._checked_value(name, ["7"], Nothing()) for name in ("digit", "text", "unknown")]


def test_a_chip_sets_what_a_function_asks_to_a_value_of_its_kind() -> None:
    """A picture's number was set to the word “30”, and the exhibit ended in a fault."""
    assert AppTest.from_function(asked_by_a_function, default_timeout=20).run().session_state["found"] == [7, "7", "7"]
