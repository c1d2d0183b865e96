"""The room of the block, driven without a browser: links, models of other kinds, depth and its guess."""

from functools import partial
from pathlib import Path

import pytest

from core.charts import decades
from core.jobs.store import Store
from core.nn.block import BlockStyle
from core.rooms.block import collapse
from core.rooms.block.compute import gradients
from core.train import experiment
from core.train.experiments.live import Live
from core.train.recipes import RECIPES
from core.ui.training import live
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "block.py")
page = partial(linked, PAGE, open="all")


def test_opens_with_a_result_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    told = text_of(test)
    for words in ("Attention writes a vector of length", "units are on", "parameters; most in"):
        assert words in told
    assert "once you've made your guess" in told and "average of averages" not in told
    assert "Train all four" in [button.label for button in test.button]


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
    assert (test.slider(key="way_layer").value, test.slider(key="way_token").value) == (0, 2)
    assert "124,439,808" in text_of(test)


def test_a_clicked_token_moves_the_slider() -> None:
    test = page().run()
    test.session_state[widget_key(test, "residual_stream.text")] = {"pick": 3}
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


def test_depth_when_the_guess_is_made() -> None:
    test = clean(page(collapse_guess=collapse.GUESSES["two"]).run())
    told = text_of(test)
    assert "You guessed: only the two layers. The answer: only the two layers." in told
    assert "eight layers without residual paths have **0%**, two have **100%**" in told
    assert "At the first layer" not in told and "This model has no more layers" not in told
    clean(test.button_group(key="grad_layers").set_value(64).run())
    assert "**exactly 0** through" in text_of(test)
    clean(test.button_group(key="grad_start").set_value("wide").run())
    at_64 = float(gradients.all_stacks("wide", 0)["none", True][64][0])
    assert decades.size_text(at_64) in text_of(test)
    clean(test.button_group(key="collapse_other").set_value("none_2").run())
    assert "This model has no more layers" in text_of(test)


def test_an_unfinished_record_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    running = experiment.start("depth", {"n_step": 3}, 1)
    begun = Live(running.record(), {"n_step": 3}, 1, 0, 3, False, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: begun)
    test = clean(page(collapse_guess=collapse.GUESSES["two"]).run())
    assert "After step 0" in text_of(test)
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    clean(page(collapse_guess=collapse.GUESSES["two"]).run())
