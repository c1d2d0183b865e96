"""The room of the block, driven without a browser: every control to its ends, links, models of other kinds."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.store import Store
from core.nn.block import BlockStyle
from core.train.recipes import RECIPES
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "block.py")
page = partial(linked, PAGE)


@pytest.fixture(scope="module")
def opened(data: Path) -> AppTest:
    """One page, opened once; what a test changes, it leaves changed."""
    return clean(page().run())


def test_opens_with_a_result(opened: AppTest) -> None:
    assert "Attention writes a vector of length" in text_of(opened)
    assert "units are on" in text_of(opened)
    assert "The largest term is" in text_of(opened)
    assert len(opened.get("bidi_component")) >= 3
    assert len(opened.get("vega_lite_chart")) >= 6


@pytest.mark.parametrize("key", ["way_layer", "way_token", "ln_gain", "ln_bias", "bend_x"])
def test_sliders_to_both_ends(opened: AppTest, key: str) -> None:
    for end in ("min", "max"):
        clean(opened.slider(key=key).set_value(getattr(opened.slider(key=key), end)).run())


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("ln_source", ["normal", "uniform", "two lumps", "constant", "exponential"]),
        ("ln_kind", ["rms", "layer"]),
        ("ln_width", [16, 96, 768, 4096]),
        ("bend", [[], ["SiLU"], ["GELU, exact", "GELU by tanh", "ReLU", "squared ReLU", "SiLU"]]),
        ("param_of", ["gpt2", "gpt2-xl", "teaching", "here"]),
    ],
)
def test_every_choice(opened: AppTest, key: str, values: list[Any]) -> None:
    for value in values:
        clean(opened.button_group(key=key).set_value(value).run())


def test_every_eps_and_a_constant_vector() -> None:
    test = clean(page(ln_source="constant", ln_bias="2").run())
    assert "| root mean square | 5.000 | 2.000 |" in text_of(test)
    assert "none (all numbers alike)" in text_of(test)
    for eps in test.selectbox(key="ln_eps").options:
        clean(test.selectbox(key="ln_eps").select(eps).run())


def test_own_sizes_to_both_ends() -> None:
    test = clean(page(param_of="Your own sizes").run())
    for key in ("param_width", "param_layers", "param_ff"):
        for end in ("max", "min"):
            clean(test.slider(key=key).set_value(getattr(test.slider(key=key), end)).run())
    before = text_of(test)
    clean(test.button_group(key="param_heads").set_value(64).run())
    assert text_of(test).replace("H&nbsp;=&nbsp;64", "H&nbsp;=&nbsp;4") == before  # heads cost nothing
    test.number_input(key="param_vocab").set_value(300_000)
    test.toggle(key="param_tied").set_value(False)
    test.toggle(key="param_bias").set_value(False)
    clean(test.run())
    assert "300,000" in text_of(test)


def test_a_link_opens_the_same_view() -> None:
    test = clean(page(way_layer="0", way_token="2", ln_source="uniform", param_of="GPT-2 small").run())
    assert (test.slider(key="way_layer").value, test.slider(key="way_token").value) == (0, 2)
    assert "124,439,808" in text_of(test)


@pytest.mark.parametrize(
    "address",
    [
        {"way_layer": "99", "way_token": "-1"},
        {"way_token": "x", "ln_width": "1e309", "ln_seed": "nan"},
        {"ln_eps": "0", "bend": "nothing", "bend_x": "inf"},
        {"param_of": "Your own sizes", "param_vocab": "1e99", "param_layers": "1000000"},
    ],
)
def test_a_broken_link_still_opens(address: dict[str, str]) -> None:
    clean(page(**address).run())


def test_any_text() -> None:
    test = page().run()
    for text in ("", "Anna", "🙂 \u202e \\ $x$ **a**", "a " * 500):
        clean(test.text_area(key="text").set_value(text).run())
    clean(test.text_area(key="text").set_value("Tom looked").run())
    assert test.slider(key="way_token").value == 1


def test_a_clicked_token_moves_the_slider() -> None:
    test = page().run()
    ids = [component.proto.id for component in test.get("bidi_component")]
    key = next(
        "residual_stream.text" + one.split("residual_stream.text", 1)[1] for one in ids if "residual_stream.text" in one
    )
    test.session_state[key] = {"pick": 3}
    clean(test.run())
    assert test.slider(key="way_token").value == 3
    clean(test.slider(key="way_token").set_value(1).run())
    assert test.slider(key="way_token").value == 1


@pytest.mark.parametrize(
    ("style", "words"),
    [
        (BlockStyle(norm_first=False), "post-norm"),
        (BlockStyle(residual=False), "no residual path"),
        (BlockStyle(feed_forward=False), "only attention"),
        (BlockStyle(activation="swiglu", norm="rms"), "SwiGLU"),
    ],
    ids=["post-norm", "no residual", "no feed-forward part", "swiglu"],
)
def test_a_run_with_another_kind_of_block(data: Path, style: BlockStyle, words: str) -> None:
    store = Store(data / "runs")
    run_id = store.create("somebody", RECIPES["stories"].to_dict(), seed=0, name="Mine")
    tiny_model.write(store.folder(run_id), n_layer=1, block=style)  # type: ignore[arg-type]
    test = clean(page(model=run_id).run())
    assert words in text_of(test)
