"""The room of the next token, driven without a browser."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.next_token import what_comes_next
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "generate" / "next_token.py")
page = partial(linked, PAGE)


@pytest.fixture(scope="module", autouse=True)
def letters(data: Path) -> None:
    """A second model, which reads letters."""
    tiny_model.write(data / "models" / "letters", "char", context_length=32)


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def widget_key(test: AppTest, name: str) -> str:
    ids = [component.proto.id for component in test.get("bidi_component")]
    return next(name + one.split(name, 1)[1] for one in ids if name in one)


def test_opens_with_a_result() -> None:
    test = clean(page().run())
    shown = metrics(test)
    assert float(shown["Perplexity"]) == pytest.approx(np.exp(float(shown["Mean loss"].split()[0])), rel=0.01)
    assert "marked below" in text_of(test)


def test_opens_where_the_model_is_least_sure_but_asks_what_follows_a_text_of_ones_own() -> None:
    test = page().run()
    assert test.slider(key="place").value == what_comes_next.Inputs().place
    assert "place" not in test.query_params
    clean(test.text_area(key="text").set_value("Anna had a").run())
    assert test.slider(key="place").value == 3
    assert "the model expects" in text_of(test)
    assert page(place="1").run().slider(key="place").value == 1


@pytest.mark.parametrize("key", ["place", "written", "step"])
def test_sliders_to_both_ends(key: str) -> None:
    test = page().run()
    for end in ("max", "min"):
        clean(test.slider(key=key).set_value(int(getattr(test.slider(key=key), end))).run())


def test_colors_by_probability() -> None:
    test = page().run()
    clean(test.button_group(key="colors").set_value("probability").run())


def test_a_click_on_a_token_asks_for_its_prediction() -> None:
    test = page().run()
    test.session_state[widget_key(test, "next.text")] = {"pick": 3}
    clean(test.run())
    assert test.slider(key="place").value == 3
    assert "marked below" in text_of(test)
    test.slider(key="place").set_value(2)
    clean(test.run())
    assert test.slider(key="place").value == 2


def test_settings_of_the_picture_reach_the_address_and_the_text() -> None:
    test = page().run()
    key = widget_key(test, "next.distribution")
    test.session_state[key] = {"settings": {"temperature": 0, "top_k": 3, "top_p": 0.5, "position": 0}}
    clean(test.run())
    assert "always the likeliest token" in text_of(test)
    assert "".join(test.query_params["temperature"]) == "0"
    assert "".join(test.query_params["top_k"]) == "3"


def test_a_link_holds_the_settings() -> None:
    assert "temperature 0.5, top-k 4, top-p 0.9" in text_of(
        clean(page(temperature="0.5", top_k="4", top_p="0.9").run())
    )


@pytest.mark.parametrize("name", ["temperature", "top_k", "top_p"])
@pytest.mark.parametrize("value", ["", "x", "nan", "inf", "-1", "1e309", "9" * 4301, "0x10", "-0.5", "99999"])
def test_a_broken_setting_in_a_link_is_told(name: str, value: str) -> None:
    test = clean(page(**{name: value}).run())
    assert "is not a" in text_of(test)
    assert "Written with temperature 1." in text_of(test)


def test_one_more_forty_more_and_again() -> None:
    test = page(written="0").run()
    assert "Nothing is written yet" in text_of(clean(test))
    clean(test.button(key="write-one").click().run())
    assert test.slider(key="written").value == 1
    clean(test.button(key="write-many").click().run())
    assert test.slider(key="written").value == 41
    clean(test.button(key="write-reset").click().run())
    assert test.slider(key="written").value == 0


def test_the_first_press_adds_to_what_stands_there() -> None:
    test = page().run()
    before = test.slider(key="written").value
    test.button(key="write-one").click().run()
    assert test.slider(key="written").value == before + 1


def test_a_text_longer_than_the_context_and_a_text_written_beyond_it() -> None:
    test = page(model="letters", written="60").run()
    clean(test)
    assert test.selectbox(key="model").value == "letters"
    clean(test.text_area(key="text").set_value("Anna had a red ball. " * 10).run())
    assert "reads at most 32" in text_of(test)


def test_one_token_and_no_token() -> None:
    test = page().run()
    clean(test.text_area(key="text").set_value("Anna").run())
    assert metrics(test)["Mean loss"] == "–"
    clean(test.text_area(key="text").set_value(" ").run())
    clean(test.text_area(key="text").set_value("").run())
    assert "empty" in text_of(test)
