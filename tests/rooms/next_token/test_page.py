"""The room of the next token, driven without a browser."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.next_token import what_comes_next
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of, widget_key

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "generate" / "next_token.py"))


@pytest.fixture(scope="module", autouse=True)
def letters(data: Path) -> None:
    """A second model, which reads letters."""
    tiny_model.write(data / "models" / "letters", "char", context_length=32)


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def test_opens_where_the_model_is_least_sure_and_follows_the_text_and_its_clicks() -> None:
    test = clean(page().run())
    shown = metrics(test)
    perplexity = next(value for label, value in shown.items() if label.startswith("perplexity"))
    assert float(perplexity) == pytest.approx(np.exp(float(shown["mean loss, in nats"])), rel=0.01)
    assert "marked" in text_of(test)
    assert test.slider(key="place").value == what_comes_next.Inputs().place
    assert "place" not in test.query_params
    test.session_state[widget_key(test, "next.text")] = {"pick": 3}
    clean(test.run())
    assert test.slider(key="place").value == 3
    clean(test.slider(key="place").set_value(2).run())
    assert test.slider(key="place").value == 2
    assert page(place="1").run().slider(key="place").value == 1


def test_a_text_of_ones_own_of_three_tokens_one_or_none() -> None:
    test = page().run()
    clean(test.text_area(key="text").set_value("Anna had a").run())
    assert test.slider(key="place").value == 3
    assert "the model expects" in text_of(test)
    clean(test.text_area(key="text").set_value("Anna").run())
    assert metrics(test)["mean loss, in nats"] == "–"
    for text in (" ", ""):
        clean(test.text_area(key="text").set_value(text).run())
    assert "empty" in text_of(test)


def test_settings_of_the_picture_and_of_a_link_reach_the_text() -> None:
    test = clean(page(temperature="0.5", top_k="4", top_p="0.9").run())
    assert "temperature 0.5, top-k 4, top-p 0.9" in text_of(test)
    settings = {"temperature": 0, "top_k": 3, "top_p": 0.5, "position": 0}
    test.session_state[widget_key(test, "next.distribution")] = {"settings": settings}
    clean(test.run())
    assert "always the likeliest token" in text_of(test)
    assert ["".join(test.query_params[name]) for name in ("temperature", "top_k")] == ["0", "3"]


@pytest.mark.parametrize("value", ["", "nan", "inf", "-1", "9" * 4301, "0x10", "99999"])
def test_broken_settings_in_a_link_are_told(value: str) -> None:
    test = clean(page(temperature=value, top_k=value, top_p=value).run())
    assert all(f"{name}: " in text_of(test) for name in ("temperature", "top-k", "top-p"))
    assert "is not a" in text_of(test)
    assert "Written with temperature 1." in text_of(test)


def test_one_more_forty_more_and_again() -> None:
    test = page().run()
    before = test.slider(key="written").value
    for button, number in (("write-one", before + 1), ("write-reset", 0), ("write-one", 1), ("write-many", 41)):
        clean(test.button(key=button).click().run())
        assert test.slider(key="written").value == number
        assert ("Nothing is written yet" in text_of(test)) == (number == 0)


def test_a_text_longer_than_the_context_and_a_text_written_beyond_it() -> None:
    test = clean(page(model="letters", written="60").run())
    assert test.selectbox(key="model").value == "letters"
    clean(test.text_area(key="text").set_value("Anna had a red ball. " * 10).run())
    assert "reads at most 32" in text_of(test)
