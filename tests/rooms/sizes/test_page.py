"""The room of sizes as a learner goes through it, and what its texts say."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.inspect.costs import parameters
from core.models.t5 import T5Config
from core.rooms.sizes import count, law, scale
from core.rooms.sizes.experiments import scaling
from core.train.experiment import run_experiment
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing
from core.ui.exhibit.exhibit_text import load_exhibit_markdown
from tests.pages.rooms import clean, linked, text_of

PAGE = str(Path(__file__).resolve().parents[3] / "pages/families/sizes.py")


def test_counts_a_guess_and_own_sizes() -> None:
    test = clean(linked(PAGE).run())
    assert "124,439,808" in text_of(test) and "320,064" in text_of(test)
    assert "The answer:" not in text_of(test) and "made your guess" in text_of(test)
    test.selectbox(key="size_of").select("ViT-H/14")
    assert "Tokens of a picture: 257" in text_of(clean(test.run()))
    own = {"size_of": "Your own sizes", "size_family": "Encoder-decoder (T5)", "size_gated": "true"}
    test = clean(linked(PAGE, law_guess="on the straight line", **own).run())
    assert "You guessed: on the straight line. The answer: on the parabola." in text_of(test)
    config = T5Config(vocab_size=1_000, d_model=256, n_layer=4, n_head=4, d_ff=1_024, activation="geglu")
    assert f"{parameters.count_config_parameters(config).total:,}" in text_of(test)


def test_what_the_first_exhibit_says() -> None:
    large, small, t5 = (count.compute(count.Inputs(of=name)) for name in ("gpt-3-175b", "gpt-2-small", "t5-11b"))
    assert large.record.share("feed-forward") == pytest.approx(2 / 3, abs=0.01)
    assert (
        large.record.share("attention") == pytest.approx(1 / 3, abs=0.01)
        and large.record.share("token_embedding") < 0.01
    )
    assert t5.record.sizes["F"][1] == 65_536 and t5.record.sizes["A"][1] == 128 * 128
    assert t5.record.share("attention") + t5.record.share("cross-attention") > 0.42
    anew, kept = (small.costs[name] for name in ("next_anew", "next_cached"))
    assert anew == 1_024 * kept


def test_what_the_squares_say() -> None:
    found = scale.compute(scale.Inputs())
    sizes = [record.total for record in found.records.values()]
    assert sizes == sorted(sizes) and all(sum(t.count for t in r.terms) == r.total for r in found.records.values())
    assert round(found.ratios["GPT-3 175B"]) == 545_529
    assert 460**2 / found.ratios[found.largest] < 1  # less than a pixel
    assert 10**5.5 < found.ratios[found.largest] < 10**6.5 and 405 < 0.75 * found.ratios[found.largest] / 1000 < 415


def raced(**change: Any) -> law.ScalingRace:
    return replace(law.compute(law.Inputs(guess="line"), run_experiment("scaling")), **change)


def said(race: law.ScalingRace, section: str, **more: Any) -> str:
    words = load_exhibit_markdown("sizes", "law")
    return ExhibitDrawing(words, race, law.Inputs(guess="line")).render(words.sections[section].text, more)


def test_what_the_law_says() -> None:
    race = raced()
    assert (
        race.outcome is not None
        and race.outcome.answer == "bend"
        and race.losses[-1] > race.predicted["straight line"].value
    )
    table = race.table()
    assert 7 < table["multiply-adds"][-1] / table["multiply-adds"][0] < 8
    vocab_size = scaling.scaling_text().tokenizer.vocab_size
    for width, size in zip(race.widths, race.sizes, strict=True):
        assert parameters.count_config_parameters(scaling.config(width, vocab_size)).total == size


def test_a_race_that_has_just_begun_is_shown() -> None:
    race = law.compute(law.Inputs(guess="line"), run_experiment("scaling", seed=1, until=0))
    assert not race.laws and not race.landed and race.formula is None
    assert re.search(r"width 8 4\.\d\d", said(race, "alt"))
    assert "are learning" in said(race, "six", is_running=True)
    assert "were stopped" in said(race, "six", is_running=False)
    nearly = raced(is_over=False)
    assert "Width 48 is learning now." in said(nearly, "laws", is_running=True)
    assert "Width 48 was stopped before it was done." in said(nearly, "laws", is_running=False)


def test_the_lowest_point_is_advice_only_among_the_sizes_that_were_trained() -> None:
    race = raced()
    lowest = race.laws["parabola"].lowest
    assert "size to choose" in said(race, "landed", lowest=lowest)
    assert "beyond all that were trained" in said(raced(sizes=(*race.sizes[:-1], 40_000)), "landed", lowest=lowest)
