"""Choices that the browser answers: what the server believes of them, and what both make of one message."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from streamlit.testing.v1 import AppTest

from core import exhibit
from core.browser.choice_indexed_values import ByChoice, ChoiceRef, map_choices
from core.browser.message_packing import pack_message, unpack_message
from tests.pages.choices import told

ROOT = Path(__file__).parents[3]


def page() -> None:
    import streamlit as st

    from core.exhibit import Inputs, ViewChoice, multi_select, segmented_control, slider
    from core.ui.controls import browser_side_controls, controls
    from core.ui.exhibit.exhibit_input_form import render_inputs

    class Looked(Inputs):
        text: str = segmented_control(["a", "b"], "a", label="Text")
        layer: int = slider(0, 3, 1, view=ViewChoice(), label="Layer")
        row: int = slider(0, 5, 5, view=ViewChoice(scope=lambda i: i.text), label="Row")
        off: tuple[str, ...] = multi_select(["0.0", "1.0"], ["1.0"], view=ViewChoice(), label="Off")

    st.button("Put", on_click=lambda: controls.set_control("layer", 1))
    browser_side_controls.apply_browser_choices("here")
    inputs = render_inputs(Looked)
    st.markdown(f"{inputs.layer} {inputs.row}" if inputs else "")
    st.code(" ".join(inputs.off) if inputs else "")
    browser_side_controls.subscribe_to_choices(["layer", "row", "off"], "here")


def opened(**address: str) -> AppTest:
    test = AppTest.from_function(page)
    for name, value in address.items():
        test.query_params[name] = value
    return test.run()


def tell(test: AppTest, text: Any) -> AppTest:
    """Set a choice as the browser does."""
    test.session_state["gf-tell-here"] = {"chosen": text}
    return test.run()


def test_what_the_browser_tells_is_believed_once_and_stands_in_the_address() -> None:
    test = tell(opened(), json.dumps({"values": {"layer": 3, "row": 2}, "at": 1}))
    assert test.markdown[0].value == "3 2"
    assert test.query_params["layer"] == "3"
    assert tell(test, json.dumps({"values": {"layer": 1, "row": 5}, "at": 2})).markdown[0].value == "1 5"
    assert "layer" not in test.query_params


@pytest.mark.parametrize(
    "text",
    [
        None,
        3,
        "x",
        "[]",
        '{"values": 1}',
        '{"values": {"layer": "x", "other": 1}}',
        '{"values": {"off": 7}}',
        "x" * 9_999,
    ],
)
def test_forged_words_of_the_browser_change_nothing(text: Any) -> None:
    test = tell(opened(), text)
    assert not test.exception and test.markdown[0].value == "1 5"


def test_several_at_once_are_told_and_stand_in_the_address_each() -> None:
    test = tell(opened(), json.dumps({"values": {"off": ["1.0", "0.0"]}, "at": 1}))
    assert test.code[0].value == "0.0 1.0" and test.query_params["off"] == ["0.0", "1.0"]
    test = tell(test, json.dumps({"values": {"off": []}, "at": 2}))
    assert test.code[0].value == "" and "".join(test.query_params["off"]) == ""
    assert "off" not in tell(test, json.dumps({"values": {"off": ["1.0"]}, "at": 3})).query_params
    assert opened(off="x").code[0].value == "1.0"


def test_what_a_button_puts_begins_anew_even_where_the_server_thinks_it_stands_there() -> None:
    """The browser may have moved it since without informing the server."""
    test = opened()
    before = told(test)["layer"]["begins"]
    test.button[0].click().run()
    assert told(test)["layer"]["value"] == 1 and told(test)["layer"]["begins"] != before


def test_another_text_lets_its_row_begin_anew_and_leaves_the_layer() -> None:
    test = opened(row="2", layer="2")
    before = told(test)
    test.button_group(key="text").set_value("b")
    now = told(test.run())
    assert now["row"]["begins"] != before["row"]["begins"] and now["layer"]["begins"] == before["layer"]["begins"]
    assert now["row"]["value"] == 5


@st.composite
def messages(draw: Any) -> tuple[dict[str, Any], dict[str, int]]:
    """Draw a header and an array indexed by up to three choices, and the current values of these."""
    sizes = {name: draw(st.integers(1, 4)) for name in draw(st.sets(st.sampled_from("abc"), min_size=1))}
    names = tuple(sizes)
    place = {name: draw(st.integers(0, size - 1)) for name, size in sizes.items()}
    array = np.arange(np.prod([*sizes.values(), 2, 3]), dtype=np.float32).reshape(*sizes.values(), 2, 3)
    words = map_choices(lambda one: f"{one.sum():.0f}", ByChoice(array, names))
    header = {"title": words, "both": [words, ChoiceRef(names[0])], "plain": {"x": 1}}
    return {
        "header": header,
        "array": ByChoice(array, names),
        "message": pack_message(header, {"x": ByChoice(array, names)}),
    }, place


@settings(max_examples=8, deadline=None)
@given(messages())
def test_the_browser_picks_the_very_part_that_python_would(
    node: str, made: tuple[dict[str, Any], dict[str, int]]
) -> None:
    given, place = made
    header, arrays = unpack_message(given["message"])
    sent = json.dumps(
        {"header": header, "data": arrays["x"].ravel().tolist(), "shape": list(arrays["x"].shape), "place": place}
    )
    script = f"""
        import {{ looked }} from "{(ROOT / "assets/widgets/drawing/linked.js").as_uri()}";
        const {{ header, data, shape, place }} = {sent};
        const arrays = {{ x: {{ data: Float32Array.from(data), shape, along: header.arrays.x.along }} }};
        const store = {{ index: (name) => place[name], chosen: (name) => place[name] }};
        const now = looked({{ header, arrays }}, store);
        const names = Object.keys(header.linked);
        console.log(JSON.stringify([now.header.title, now.header.both, [...now.arrays.x.data], names]));
    """
    done = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    title, both, data, names = json.loads(done.stdout)
    words = given["header"]["title"].value_at(place)
    assert (title, both) == (words, [words, place[given["array"].names[0]]])
    assert data == given["array"].value_at(place).ravel().tolist()
    assert names == sorted(given["array"].names)


def test_a_whole_number_from_the_browser_is_the_option_that_it_was() -> None:
    class Strength(exhibit.Inputs):
        """An option whose values JSON writes without their point."""

        of: float = exhibit.segmented_control({0.0: "none", 0.5: "half", 1.0: "all"}, 1.0, label="Strength")

    control = Strength.control("of").resolve(None)
    assert [repr(control.check(said)) for said in (0, 1, 0.5, "none")] == ["0.0", "1.0", "0.5", "0.0"]
    for said in (False, True, 2, "0"):
        with pytest.raises(ValueError, match="is not one of"):
            control.check(said)
