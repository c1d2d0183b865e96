"""The exhibit frame: footer panels, presets, contained faults, downloads."""

import io
import logging
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.controls.controls import ControlOverrides
from core.ui.exhibit import exhibit_panels

pytestmark = pytest.mark.usefixtures("reads_formulas")


def page() -> None:
    from types import SimpleNamespace

    import streamlit as st

    from core import exhibit as inputs
    from core.ui.controls import controls
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    class Asked(inputs.Inputs):
        temperature: float = inputs.slider(0.1, 3.0, 1.0, step=0.1, label="Temperature")
        seed: int = inputs.seed()

    def table() -> dict[str, list[int]]:
        st.session_state.made = st.session_state.get("made", 0) + 1
        return {"row": list(range(2000))}

    def compute(inputs: Asked) -> SimpleNamespace:
        return SimpleNamespace(table=table, arrays=dict, formula=f"T = {inputs.temperature}")

    def sharp(_: object, inputs: Asked) -> None:
        st.session_state.seen = (inputs.temperature, inputs.seed)

    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    words = """Low temperature sharpens.

## Try
**Set it to 0.2.** ?temperature=0.2&seed=7
One bar takes nearly all.

**Look closely.**
Nothing moves.

## Formula
p_i"""
    render_exhibit(exhibit(broken, "Broken"))
    more = {"FOLLOWS": False, "CODE": (controls.render_control,), "__name__": "core.exhibit.inputs"}
    render_exhibit(
        exhibit(sharp, "Sharp and flat", words, compute=compute, inputs=Asked, **more),
        **st.session_state.get("how", {}),
    )
    st.write("the rest of the page")


def run(how: dict[str, Any] | None = None, **query: str) -> AppTest:
    test = AppTest.from_function(page, default_timeout=20)
    for name, value in query.items():
        test.query_params[name] = value
    test.session_state["how"] = how or {}
    return test.run()


def panel(test: AppTest, name: str) -> AppTest:
    test.session_state["gf-panel-sharp"] = name
    return test.run()


def texts(test: AppTest) -> str:
    kinds = (test.markdown, test.caption, test.code, test.error, test.latex, test.subheader, test.warning)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def test_an_exhibit_shows_its_parts() -> None:
    test = run()
    assert [heading.value for heading in test.subheader] == ["Broken", "Sharp and flat"]
    assert test.subheader[1].anchor == "sharp"
    assert "Low temperature sharpens." in texts(test)
    assert [chip.content for chip in chips(test).proto.options] == ["Set it to 0.2.", "Look closely."]
    assert "One bar takes nearly all." not in texts(test)
    assert "T = 1.0" in texts(test)


def chips(test: AppTest) -> Any:
    return test.button_group(key="gf-try-sharp-chips")


def test_a_chip_does_what_it_says_and_then_says_what_to_expect() -> None:
    test = run(temperature="2.0")
    chips(test).set_value(1).run()
    assert test.session_state["seen"] == (0.2, 7)
    assert test.slider[0].value == 0.2
    assert "One bar takes nearly all." in texts(test)
    chips(test).set_value(2).run()
    assert test.session_state["seen"] == (0.2, 7)
    assert "Nothing moves." in texts(test)


def test_a_chip_leaves_alone_what_a_lesson_or_a_link_has_fixed() -> None:
    test = run(
        {"preset": ControlOverrides(values={"temperature": 0.5}, locked=frozenset({"temperature"}))}, hide="seed"
    )
    chips(test).set_value(1).run()
    assert not test.exception
    assert test.session_state["seen"] == (0.5, 0)


def test_a_folded_exhibit_computes_nothing_until_it_is_opened_or_its_address_is() -> None:
    test = run({"is_folded": True})
    assert "seen" not in test.session_state and not test.slider
    assert [heading.value for heading in test.subheader] == ["Broken", "Sharp and flat"]
    test.button(key="gf-open-sharp").click().run()
    assert test.session_state["seen"] == (1.0, 0)
    assert test.query_params["open"] in ("sharp", ["sharp"])
    for address in ({"open": "sharp"}, {"open": "all"}, {"temperature": "2.0"}):
        assert "seen" in run({"is_folded": True}, **address).session_state, address


def test_of_many_exhibits_all_but_the_first_are_folded() -> None:
    for room in rooms():
        folded = [room.is_folded(one.name) for one in room.exhibits]
        if len(folded) > 6:
            assert folded == [False] * 3 + [True] * (len(folded) - 3), room.name
        else:
            assert folded == [one.is_folded for one in room.exhibits], room.name


def test_a_fault_stays_in_its_exhibit(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="glassformer"):
        test = run()
    assert not test.exception
    assert len(test.error) == 1
    assert "secret" not in texts(test)
    assert "Traceback" not in texts(test)
    fault_id = re.search(r"\*\*([0-9a-f]{8})\*\*", test.error[0].value)
    assert fault_id is not None
    assert f"Fault {fault_id[1]}" in caplog.text
    assert "secret detail" in caplog.text
    assert test.session_state["seen"] == (1.0, 0)  # the next exhibit went on
    assert "the rest of the page" in texts(test)


def test_panels_cost_nothing_until_opened() -> None:
    test = run()
    assert not test.code
    assert not test.dataframe
    assert "made" not in test.session_state
    panel(test, "numbers")
    assert test.session_state["made"] == 1
    assert len(test.dataframe[0].value) == exhibit_panels.MAX_ROWS_SHOWN
    assert "The first 1,000 of 2,000 rows" in texts(test)
    test.query_params["depth"] = "story"  # has no such panel
    test.run()
    assert not test.exception and not test.dataframe
    assert test.button_group(key="gf-panel-sharp").value in (None, [])


def test_code_is_the_source_that_runs() -> None:
    from core.ui.controls import controls

    test = panel(run(), "code")
    source, place = exhibit_panels.source_of(controls.render_control)
    assert test.code[1].value == source and test.code[0].value.startswith("def compute(")
    assert source.startswith("def render_control(")
    assert re.fullmatch(r"core/ui/controls/controls\.py, line \d+", place)


def test_downloads_are_offered_for_what_there_is() -> None:
    test = panel(run(), "download")
    labels = [button.proto.label for button in test.get("download_button")]
    assert labels == ["Numbers (CSV)", "Arrays (NPZ)", "Script (Python)"]
    assert [one.proto.component_name for one in test.get("bidi_component")] == ["glassformer_saving"]
    assert "print_table(result.table())" in test.code[0].value
    assert test.code[0].value.startswith("# Glassformer, “Sharp and flat”")


DEPTH_SHOWS = {
    "story": ["Link", "Download"],
    "numbers": ["Link", "Code", "Formula", "Numbers", "Download"],
}


@pytest.mark.parametrize("depth", DEPTH_SHOWS)
def test_each_depth_offers_more_than_the_one_before(depth: str) -> None:
    test = run(depth=depth, temperature="0.5")
    assert not test.exception
    assert not test.error[1:]  # the broken exhibit's alone
    options = test.button_group(key="gf-panel-sharp").proto.options
    assert [option.content.split(" ")[-1] for option in options] == DEPTH_SHOWS[depth]
    assert test.session_state["seen"] == (0.5, 0)
    assert "Low temperature sharpens." in texts(test)


def test_the_formula_has_the_learners_numbers() -> None:
    assert any("T = 0.5" in one.value for one in panel(run(temperature="0.5"), "formula").latex)


def test_presets_set_lock_and_hide() -> None:
    preset = ControlOverrides(
        values={"temperature": 0.5}, locked=frozenset({"temperature"}), hidden=frozenset({"seed"})
    )
    test = run({"preset": preset}, temperature="2.0", seed="9")
    assert test.session_state["seen"] == (0.5, 9)  # the lock holds against the link; a hidden control may be set by it
    assert test.slider[0].disabled
    assert not test.number_input
    assert run({"preset": ControlOverrides(values={"temperature": 0.5})}).session_state["seen"] == (0.5, 0)
    assert run({"preset": ControlOverrides(values={"temperature": 0.5})}, temperature="2.0").session_state["seen"] == (
        2.0,
        0,
    )  # only a default
    apart = run({"preset": ControlOverrides("left.")}, **{"left.temperature": "2.0", "temperature": "0.5"})
    assert apart.session_state["seen"] == (2.0, 0)
    assert (
        len(run({"preset": ControlOverrides(values={"temperature": 99.0})}).error) == 2
    )  # the author's fault, and contained


def test_arrays_come_back_bit_for_bit() -> None:
    weights = np.random.default_rng(0).random((2, 3), dtype=np.float32)
    with np.load(io.BytesIO(exhibit_panels._to_npz({"weights": weights})), allow_pickle=False) as loaded:
        assert np.array_equal(loaded["weights"], weights)
    with pytest.raises(ValueError, match="pickle"):
        exhibit_panels._to_npz({"bad": np.array([object()])})


def broken_page() -> None:
    import streamlit as st

    from core import exhibit as inputs
    from core.ui.controls import controls
    from core.ui.frame import errors

    with errors.page_guard():
        controls.render_control(inputs.slider(0, 9, 1, step=1, name="x", label="X"))
        if st.session_state.get("break"):
            raise KeyError("secret detail")
    st.write("end")


def test_a_fault_of_a_page_shows_words_and_keeps_its_controls(caplog: pytest.LogCaptureFixture) -> None:
    test = AppTest.from_function(broken_page).run()
    test.slider(key="x").set_value(7).run()
    test.session_state["break"] = True
    test.run()
    assert not test.exception
    assert "secret" not in texts(test)
    assert re.search(r"[0-9a-f]{8}", test.error[0].value)
    assert "secret detail" in caplog.text
    test.session_state["break"] = False
    test.run()
    assert test.slider(key="x").value == 7


def who() -> None:
    import streamlit as st

    from core.ui import state
    from core.ui.server.identity import anonymous_owner

    st.session_state.who = anonymous_owner.owner_id()
    state.session_slot("list", list).append(1)


def test_without_a_cookie_the_session_is_the_owner() -> None:
    first, second = AppTest.from_function(who).run(), AppTest.from_function(who).run()
    mine = first.session_state["who"]
    assert re.fullmatch(r"[0-9a-f]{32}", mine)
    assert first.run().session_state["who"] == mine
    assert second.session_state["who"] != mine
    assert first.session_state["_state.list"] == [1, 1]


def test_cache_keys_tell_types_and_borders_apart() -> None:
    from core.exhibit import content_key

    assert content_key("a", "bc") != content_key("ab", "c")
    assert content_key(1, "1") != content_key("1", 1)
    assert content_key(True) != content_key(1)
    assert content_key("x", None, 2.5, b"y") == content_key("x", None, 2.5, b"y")
    with pytest.raises(TypeError, match="list"):
        content_key([1])  # type: ignore[arg-type]


def _silent_page() -> None:
    import streamlit as st

    from core import ui
    from core.ui.exhibit.exhibit import render_exhibit
    from tests.own_exhibit import exhibit

    def silent(*_: object) -> None:
        """For this input there is nothing."""

    def read_only(*_: object) -> None:
        ui.show_text_section("why")

    def patient(*_: object) -> None:
        pass

    def whole(*_: object) -> None:
        st.write("a picture")

    render_exhibit(exhibit(silent, "Silent"))
    render_exhibit(exhibit(read_only, "Read only", "what is drawn.\n\n## why\nThe model has no such part."))
    render_exhibit(exhibit(patient, "Patient", "what is drawn.\n\n## wait\nOne moment."))
    render_exhibit(exhibit(whole, "Whole"))


def test_an_exhibit_that_draws_nothing_for_some_input_says_so():
    """ "What was renamed" was empty for the model that ships."""
    test = AppTest.from_function(_silent_page, default_timeout=20).run()
    assert not test.error and not test.exception
    said = [one.value for one in test.info]
    assert [one.split(" for ")[0] for one in said] == [
        "There's nothing to show",
        "There's no picture",
        "There's nothing to show",
    ]
