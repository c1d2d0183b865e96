"""The room of the block, driven without a browser: links, models of other kinds, depth and its guess."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.browser.message import unpack
from core.charts.axis import size_text
from core.jobs.store import Store
from core.nn.block import BlockStyle
from core.rooms.block import collapse, feed_forward, through_the_block
from core.rooms.block.compute import gradients, residual_stream
from core.rooms.block.experiments.depth import FULL
from core.train.recipes import RECIPES
from core.ui.controls import choices
from tests import tiny_model
from tests.pages.choices import sent, shown, told
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "block.py")
page = partial(linked, PAGE, open="all")


def test_a_constant_vector_and_own_sizes() -> None:
    test = clean(page(ln_source="constant", ln_bias="2", param_of="Your own sizes").run())
    assert "| root mean square | 5.000 | 2.000 |" in text_of(test)
    assert "none (all numbers alike)" in text_of(test)
    before = text_of(test)
    clean(test.button_group(key="param_heads").set_value(64).run())
    assert text_of(test).replace("H&nbsp;=&nbsp;64", "H&nbsp;=&nbsp;4") == before  # heads cost nothing
    test.number_input(key="param_vocab").set_value(300_000)
    assert "300,000" in text_of(clean(test.run()))


def test_a_link_opens_the_same_view() -> None:
    test = clean(page(way_layer="0", way_token="2", ln_source="uniform", param_of="GPT-2 small").run())
    assert [told(test)[name]["value"] for name in ("way_layer", "way_token")] == [0, 2]
    assert "124,439,808" in text_of(test)


def test_pictures_and_sentences_of_a_place_say_what_the_exhibits_compute() -> None:
    """All layers and tokens are sent at once: where the choices stand, each number must be that of the result."""
    for layer, token in ((0, 3), (1, 7)):
        test = clean(page(way_layer=str(layer), way_token=str(token), depth="numbers").run())
        way = through_the_block.compute(through_the_block.Inputs(layer=layer, token=token))
        units = feed_forward.compute(feed_forward.Inputs(layer=layer, token=token))
        header, arrays = shown(sent(test, "strips"), test)
        for name, row in zip(header["names"], arrays["values"], strict=False):
            np.testing.assert_array_equal(row, way.vectors[name])
        assert header["names"] == list(way.vectors) and header["label"] == f"Token {token} in layer {layer}"
        text = text_of(test)
        for write in way.writes:
            assert f"writes a vector of length **{write.length:.1f}** onto a stream of **{write.stream:.1f}**" in text
        n_on, share = units.n_on[token], units.share[token]
        assert f"**{n_on} of {units.n_unit}** units are on at this token (**{share:.0%}**)" in text
        header, arrays = shown(sent(test, "units"), test)
        np.testing.assert_array_equal(arrays["before"], units.pre[token])
        assert sum(header["bars"]["counts"]) == units.n_unit


def test_of_a_large_model_the_layer_and_token_that_are_chosen_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    record = residual_stream.record
    monkeypatch.setattr(residual_stream, "record", lambda *given: asked.append(given[-1]) or record(*given))
    monkeypatch.setattr(choices, "MOST_NUMBERS", 0)
    test = clean(page(way_layer="1", way_token="2", text="Tom had a kite.").run())
    assert asked == [1]
    assert unpack(sent(test, "strips"))[0]["arrays"]["values"].get("along") is None


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


def test_depth_when_the_guess_is_made() -> None:
    test = clean(page(collapse_guess=collapse.GUESSES["two"]).run())
    said = text_of(test)
    assert "You guessed: only the two layers. The answer: only the two layers." in said
    assert "eight layers without residual paths have **0%**, two have **100%**" in said
    assert "At the first layer" not in said and "This model has no more layers" not in said
    clean(test.button_group(key="grad_layers").set_value(64).run())
    assert "**exactly 0** through" in text_of(test)
    clean(test.button_group(key="grad_start").set_value("wide").run())
    at_64 = float(gradients.all_stacks("wide", 0)["none", True][64][0])
    assert size_text(at_64) in text_of(test)
    other = page(collapse_guess=collapse.GUESSES["two"], collapse_other=FULL["none_2"])
    assert "This model has no more layers" in text_of(clean(other.run()))
