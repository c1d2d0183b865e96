"""The room of embeddings, driven without a browser: maps, clicks, links, any two sentences, other models."""

from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rooms import clean, linked, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "embeddings.py"))


def map_key(test: AppTest) -> str:
    """The key that the map has now."""
    return "embeddings.map" + test.get("plotly_chart")[0].proto.id.split("embeddings.map", 1)[1]


def test_a_click_on_a_point_moves_the_token_and_later_moves_win() -> None:
    test = page().run()
    key, first, wanted = map_key(test), text_of(test), test.selectbox(key="token").options[5]
    for point, token in (({"customdata": [5]}, wanted), ("x", test.selectbox(key="token").options[0])):
        test.session_state[map_key(test)] = {"selection": {"points": [point], "point_indices": [5]}}
        clean(test.run())
        assert test.selectbox(key="token").value == token
        clean(test.selectbox(key="token").set_value("·Mia").run())
        assert test.selectbox(key="token").value == "·Mia"
        assert text_of(test) != first
        assert map_key(test) != key, "a fresh map, so that the same point can be clicked again"


def test_a_link_holds_the_vectors_and_dragged_ones_go_into_the_address() -> None:
    test = clean(page(vectors="0,0;3,3").run())
    assert r"0 \cdot 3 + 0 \cdot 3 = 0.00" in " ".join(latex.value for latex in test.latex)
    assert "no two vectors" in text_of(clean(page(vectors="9,9;9,9").run()))
    key = widget_key(test, "embeddings.vectors")
    test.session_state[key] = {"pick": {"q": [2, 1], "k": [-1, 2]}}
    clean(test.run())
    assert test.query_params["vectors"] == "2,1;-1,2"
    assert r"2 \cdot (-1) + 1 \cdot 2 = 0.00" in " ".join(latex.value for latex in test.latex)
    test.session_state[key] = {"pick": {"q": [1, 0], "k": [3, 3]}}
    clean(test.run())
    assert "vectors" not in test.query_params, "the start needs no place in the address"


def ask(test: AppTest, first: str, second: str, word: str) -> str:
    test.text_area(key="first").set_value(first)
    test.text_area(key="second").set_value(second)
    test.text_input(key="word").set_value(word)
    return text_of(clean(test.run()))


def test_the_word_and_the_sentences() -> None:
    test = page().run()
    assert "is not in the second sentence" in ask(test, "Mia had a ball.", "Tom had a kite.", "ball")
    assert "is not in either sentence" in ask(test, "Mia had a ball.", "Tom had a kite.", "zebra")
    assert "no picture yet. The message under “Set” says why" in text_of(test), "the pane is empty"
    assert "Both contain: “had”, “a”" in text_of(test).replace("\\", "")
    assert "share no word" in ask(test, "Mia.", "Tom!", "ball")
    assert "No word is given" in ask(test, "Mia had a ball.", "Tom had a kite.", " ")
    assert "is empty" in ask(test, "", "Tom had a kite.", "had")
    assert "the same after every part" in ask(test, "Mia had a ball.", "Mia had a ball.", "ball")
    assert "The angle opens most" in ask(test, "Mia had a ball.", "Tom had a ball.", "ball")
    for text in ("🙂 🙂", "語\x00\u202e", "a" * 1000, "<b>**x**</b> $y$", "\n\n", "Mia. " * 100):
        ask(test, text, text, text)
    ask(test, text, "Mia had a ball.", "ball")
