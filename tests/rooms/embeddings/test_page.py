"""The room of embeddings, driven without a browser: every control to its ends, links, any text, other models."""

from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.store import Store
from core.rooms.embeddings import two_vectors, which_token
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "attention" / "embeddings.py")
page = partial(linked, PAGE)


def key_of(test: AppTest, kind: str, name: str) -> str:
    """The key that a picture has now, read from its identity."""
    ids = [element.proto.id for element in test.get(kind)]
    return next(name + one.split(name, 1)[1] for one in ids if name in one)


def test_opens_with_a_result() -> None:
    test = clean(page().run())
    told = text_of(test)
    assert "of the variance" in told
    assert "true nearest neighbors" in told
    assert "the model expects" in told
    assert len(test.get("plotly_chart")) == 1
    assert len(test.get("vega_lite_chart")) + len(test.get("arrow_vega_lite_chart")) == 4
    assert len(test.get("bidi_component")) == 1


def test_every_map() -> None:
    test = page().run()
    clean(test.button_group(key="axes").set_value(3).run())
    clean(test.button_group(key="map").set_value("tsne").run())
    assert "the axes have no meaning" in text_of(test)
    clean(test.button_group(key="axes").set_value(2).run())
    for end in ("min", "max"):
        clean(test.slider(key="perplexity").set_value(getattr(test.slider(key="perplexity"), end)).run())
    clean(test.number_input(key="map_seed").set_value(7).run())
    clean(test.toggle(key="every").set_value(True).run())
    for coloring in ("count", "length", "kind"):
        clean(test.button_group(key="coloring").set_value(coloring).run())


def test_another_token_has_other_neighbors_and_the_number_of_them_goes_to_both_ends() -> None:
    test = page().run()
    first = text_of(test)
    test.selectbox(key="token").set_value("·Mia")
    assert text_of(clean(test.run())) != first
    for end in ("min", "max"):
        clean(test.slider(key="neighbors").set_value(getattr(test.slider(key="neighbors"), end)).run())


def test_a_click_on_a_point_moves_the_token_and_later_moves_win() -> None:
    test = page().run()
    key = key_of(test, "plotly_chart", "embeddings.map")
    wanted = test.selectbox(key="token").options[5]
    test.session_state[key] = {"selection": {"points": [{"customdata": [5]}], "point_indices": [5]}}
    clean(test.run())
    assert test.selectbox(key="token").value == wanted
    test.selectbox(key="token").set_value("·Mia")
    clean(test.run())
    assert test.selectbox(key="token").value == "·Mia"
    again = key_of(test, "plotly_chart", "embeddings.map")
    assert again != key, "a fresh map, so that the same point can be clicked again"
    test.session_state[again] = {"selection": {"points": [{"customdata": [5]}], "point_indices": [5]}}
    clean(test.run())
    assert test.selectbox(key="token").value == wanted


def test_a_forged_click_is_harmless() -> None:
    for point in ({}, {"customdata": None}, {"customdata": ["x"]}, {"customdata": [10**9]}, {"customdata": [-1]}, "x"):
        assert which_token.clicked(point, 5) == 0
    test = page().run()
    test.session_state[key_of(test, "plotly_chart", "embeddings.map")] = {"selection": {"points": ["x"]}}
    clean(test.run())


@pytest.mark.parametrize(
    "address",
    [
        {"token": "nonsense", "map": "x", "axes": "9", "perplexity": "1e9", "map_seed": "-1", "coloring": "<b>"},
        {"first": "", "second": "<script>", "word": "**x**", "neighbors": "1000", "path": "?", "model": "../etc"},
    ],
)
def test_a_hostile_link_still_opens(address: dict[str, str]) -> None:
    clean(page(**address).run())


@pytest.mark.parametrize("text", ["x", "nan,0;1e309,0", "9,9;9,9", "1," * 4000, "1,2;3,4;5,6"])
def test_what_is_no_pair_of_vectors_in_a_link_is_told(text: str) -> None:
    with pytest.raises(ValueError, match="no two vectors"):
        two_vectors.from_link(text)
    assert "no two vectors" in text_of(clean(page(vectors=text).run()))


def test_a_link_holds_the_vectors() -> None:
    test = clean(page(vectors="2,1;-1,2").run())
    assert r"2 \cdot (-1) + 1 \cdot 2 = 0.00" in " ".join(latex.value for latex in test.latex)
    assert r"0 \cdot 3 + 0 \cdot 3 = 0.00" in " ".join(
        latex.value for latex in clean(page(vectors="0,0;3,3").run()).latex
    )


def test_dragged_vectors_go_into_the_address() -> None:
    test = page().run()
    key = key_of(test, "bidi_component", "embeddings.vectors")
    test.session_state[key] = {"pick": {"q": [1.5, 0], "k": [-2, 0.5]}}
    clean(test.run())
    assert test.query_params["vectors"] == "1.5,0;-2,0.5"
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
    assert "Both contain: “had”, “a”" in text_of(test).replace("\\", "")
    assert "share no word" in ask(test, "Mia.", "Tom!", "ball")
    assert "No word is given" in ask(test, "Mia had a ball.", "Tom had a kite.", " ")
    assert "is empty" in ask(test, "", "Tom had a kite.", "had")
    assert "the same after every part" in ask(test, "Mia had a ball.", "Mia had a ball.", "ball")
    assert "turns the two apart" in ask(test, "Mia had a ball.", "Tom had a ball.", "ball")
    clean(test.button_group(key="path").set_value("vectors").run())


def test_any_text() -> None:
    test = page().run()
    for text in ("🙂 🙂", "語\x00\u202e", "a" * 1000, "<b>**x**</b> $y$", "\n\n", "Mia. " * 100):
        ask(test, text, text, text)
    ask(test, text, "Mia had a ball.", "ball")


def test_another_model_with_other_tokens(data: Path) -> None:
    store = Store(data / "runs")
    from core.train.recipes import RECIPES

    run_id = store.create("somebody-else", RECIPES["stories"].to_dict(), seed=0, name="characters")
    tiny_model.write(store.folder(run_id), kind="char", n_layer=1)
    test = clean(page(token="·Mia").run())
    assert test.selectbox(key="token").value == "·Mia"
    other = clean(page(model=run_id, token="·Mia").run())
    assert other.selectbox(key="token").value != "·Mia"
    clean(other.button_group(key="map").set_value("tsne").run())
    clean(other.selectbox(key="model").set_value("stories").run())
