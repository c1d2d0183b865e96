"""The room of sizes: every preset, own sizes to both ends, links that ask for nonsense; and what its texts say."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs import model_cost, parameters
from core.models.configs.presets import PRESETS
from core.rooms.sizes import count, law, scale
from core.rooms.sizes.experiments import scaling
from core.rooms.sizes.law import Outcome
from core.train import experiment
from core.train.live import Live
from tests.pages.rooms import clean, linked, text_of

PAGE = str(Path(__file__).resolve().parents[3] / "pages/families/sizes.py")


def test_it_opens_with_results_and_every_control_goes_to_both_ends() -> None:
    test = clean(linked(PAGE).run())
    assert "124,439,808" in text_of(test) and "320,064" in text_of(test)
    for title in ("GPT-3 175B", "ViT-H/14", "Your own sizes"):
        test.selectbox(key="size_of").select(title)
        clean(test.run())
    for family in ("Encoder (BERT)", "Encoder-decoder (T5)", "Encoder-decoder (2017)"):
        test.button_group(key="size_family").set_value(family)
        clean(test.run())
    for slider in ("size_width", "size_layers", "size_ff"):
        test.slider(key=slider).set_value(test.slider(key=slider).max)
    test.selectbox(key="size_tokens").select_index(9)
    test.selectbox(key="size_batch").select_index(5)
    clean(test.run())
    for slider in ("size_width", "size_layers", "size_ff"):
        test.slider(key=slider).set_value(test.slider(key=slider).min)
    clean(test.run())


def test_links_that_ask_for_nonsense_are_refused_in_words() -> None:
    test = clean(linked(PAGE, size_of="GPT-9", scale_add="🙂", size_tokens="-1", law_guess="x", law_seed="1e99").run())
    assert len(test.warning) >= 4
    assert "124,439,808" in text_of(test)


def test_the_guess_comes_before_the_result() -> None:
    hidden = clean(linked(PAGE).run())
    assert "The answer:" not in text_of(hidden) and "made your guess" in text_of(hidden)
    seen = clean(linked(PAGE, law_guess="on the straight line").run())
    assert "You guessed: on the straight line. The answer: on the parabola." in text_of(seen)


def test_what_the_first_exhibit_says() -> None:
    large = count.counted("gpt-3-175b")
    share = {term.name: term.count / large.total for term in large.terms}
    assert share["feed-forward"] == pytest.approx(2 / 3, abs=0.01) and share["attention"] == pytest.approx(
        1 / 3, abs=0.01
    )
    assert share["token embedding"] < 0.01
    small = count.counted("gpt-2-small")
    assert round(100 * small.term("token embedding").count / small.total) == 31
    t5 = count.counted("t5-11b")
    assert round(100 * t5.term("feed-forward").count / t5.total) == 57
    assert t5.sizes["F"][1] == 65_536 and t5.sizes["A"][1] == 128 * 128
    rest = t5.term("attention").count + t5.term("cross-attention").count
    assert rest / t5.total > 0.42
    config = PRESETS["gpt-2-small"].config
    anew, kept = (model_cost.next_token(config, 1_024, cached=cached).total for cached in (False, True))
    assert anew == 1_024 * kept


def test_what_the_squares_say() -> None:
    own, largest = 320_064, count.counted("gpt-3-175b").total
    assert round(largest / own) == 545_529 and "545,529" in scale.scale.try_this[0][1]
    assert 460**2 / (largest / own) < 1  # less than a pixel
    assert 5.5 < len(str(largest // own)) < 6.5 and 405 < 0.75 * largest / own / 1000 < 415
    assert scale._square("GPT-3", count.counted("gpt-3-175b"), own).words == (
        "GPT-3 has 175 billion parameters: yours fits 545,529 times. Its square is 739 times as wide."
    )


def example() -> Live:
    record, about = experiment.unpack((experiment.EXAMPLES / "scaling.safetensors").read_bytes())
    return Live(record, {}, about["seed"], about["step"], about["n_step"], False, is_example=True)


def test_what_the_law_says() -> None:
    outcome = Outcome.of(example())
    assert outcome.is_told and outcome.landed == "bend"
    assert outcome.losses[-1] > outcome.predicted(1).value
    vocab_size = scaling.text().tokenizer.vocab_size
    done = [
        int(steps) * model_cost.training(scaling.config(width, vocab_size), scaling.CONTEXT).total
        for width, steps in zip(outcome.widths, example().record["steps"], strict=True)
    ]
    assert 7 < done[-1] / done[0] < 8 and "over seven times" in law.law.try_this[2][1]
    for width, size in zip(outcome.widths, outcome.sizes, strict=True):
        assert parameters.count_config(scaling.config(width, vocab_size)).total == size


def test_a_race_that_has_just_begun_is_shown() -> None:
    running = experiment.start("scaling", {}, 1)
    live = Live(running.record(), {}, 1, 0, running.n_step, True, is_example=False)
    outcome = Outcome.of(live)
    assert not outcome.laws and not outcome.is_told
    assert law._formula(outcome) is None and law._chart(outcome, hidden=False)["layer"]
    assert re.search(r"width 8 4\.\d\d", law._in_words(outcome, "line"))
    assert "are learning" in law._verdict(outcome, "line", is_running=True)
    assert "were stopped" in law._verdict(outcome, "line", is_running=False)
    nearly = replace(Outcome.of(example()), is_told=False)
    assert "Width 48 is learning now." in law._verdict(nearly, "line", is_running=True)
    assert "Width 48 was stopped before it was done." in law._verdict(nearly, "line", is_running=False)


def test_the_lowest_point_is_advice_only_among_the_sizes_that_were_trained() -> None:
    outcome = Outcome.of(example())
    assert "size to choose" in law._best(outcome)
    assert "beyond all that were trained" in law._best(replace(outcome, sizes=(*outcome.sizes[:-1], 40_000)))


def test_own_sizes_are_counted_by_the_real_modules() -> None:
    test = clean(linked(PAGE, size_of="Your own sizes", size_family="Encoder-decoder (T5)", size_gated="true").run())
    from core.models.t5 import T5Config

    config: Any = T5Config(vocab_size=1_000, d_model=256, n_layer=4, n_head=4, d_ff=1_024, activation="geglu")
    assert f"{parameters.count_config(config).total:,}" in text_of(test)
    assert isinstance(test, AppTest)
