"""Depth in the room of the block: every control, links, unfinished records; and what its texts promise."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.charts import decades
from core.rooms.block import collapse
from core.rooms.block.compute import gradients
from core.rooms.block.experiments.depth import FULL
from core.train import experiment
from core.train.experiments.live import Live
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "block.py")
page = partial(linked, PAGE)
GUESSED = {"collapse_guess": collapse.GUESSES["two"]}


@pytest.fixture(scope="module")
def opened(data: Path) -> AppTest:
    """One page with the guess made; what a test changes, it leaves changed."""
    return clean(page(**GUESSED).run())


def example() -> Live:
    shown = live.example("depth")
    assert shown is not None
    return shown


def test_what_is_to_be_guessed_is_kept() -> None:
    test = clean(page().run())
    assert "once you've made your guess" in text_of(test)
    assert "average of averages" not in text_of(test)
    assert "Train all four" in [button.label for button in test.button]


def test_a_guess_uncovers_the_result(opened: AppTest) -> None:
    told = text_of(opened)
    assert "You guessed: only the two layers. The answer: only the two layers." in told
    assert "eight layers without residual paths have **0%**, two have **100%**" in told
    assert "At the first layer" not in told and "This model has no more layers" not in told


def test_every_choice(opened: AppTest) -> None:
    for layers in (8, 32, 64):
        clean(opened.button_group(key="grad_layers").set_value(layers).run())
    assert "**exactly 0** through" in text_of(opened)
    clean(opened.button_group(key="grad_start").set_value("wide").run())
    at_64 = first_of("wide")["none", True][64]
    assert decades.told(at_64) in text_of(opened)
    for other in ("post_8", "none_2"):
        clean(opened.button_group(key="collapse_other").set_value(other).run())
    assert "This model has no more layers" in text_of(opened)
    for layer in (0, 8):
        clean(opened.slider(key="collapse_layer").set_value(layer).run())
    for guess in ("both", "eight", "none", "show", "two"):
        clean(opened.button_group(key="collapse_guess").set_value(guess).run())


@pytest.mark.parametrize(
    "address",
    [
        {"grad_start": "cold", "grad_layers": "1000000", "grad_seed": "nan"},
        {"collapse_layer": "99", "collapse_other": "x", "collapse_guess": "\u202e", "collapse_seed": "-1"},
    ],
)
def test_a_broken_link_still_opens(address: dict[str, str]) -> None:
    clean(page(**address).run())


def test_an_unfinished_record_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    running = experiment.start("depth", {"n_step": 3}, 1)
    begun = Live(running.record(), {"n_step": 3}, 1, 0, 3, False, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: begun)
    test = clean(page(**GUESSED).run())
    assert "After step 0" in text_of(test)
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    clean(page(**GUESSED).run())


# --- what the texts say ---


def first_of(start: str) -> dict[tuple[str, bool], dict[int, float]]:
    stacks = gradients.all_stacks(start, 0)
    return {kind: {n: float(values[0]) for n, values in found.items()} for kind, found in stacks.items()}


def test_from_the_narrow_start_only_residual_paths_carry_the_gradient() -> None:
    for (norm, path), by in first_of("narrow").items():
        if path:
            assert max(by.values()) < 1.2 * min(by.values()), norm  # 64 layers as much as one
        else:
            assert by[16] < 1e-5 and by[64] == 0, norm


def test_from_the_wide_start_norms_hide_it_and_paths_alone_explode() -> None:
    found = first_of("wide")
    for norm in ("pre", "post"):
        assert min(found[norm, False].values()) > 0.1
    # What 64 layers let through is chaotic: infinite on one processor, 2.5e31 on another, from the same seed.
    assert found["none", True][32] > 1e7 and not found["none", True][64] < 1e20


def test_a_healthy_gradient_at_the_start_proves_little() -> None:
    record = example().record
    first = {name: record[f"gradient.{name}"][:, 0] for name in FULL}
    assert list(record["look"][:2]) == [0, 10]
    for name in ("pre_8", "post_8"):
        assert 17 < first["none_8"][0] / first[name][0] < 23  # about twenty times as much
        assert first[name][-1] < 0.002  # solved, and small
    assert first["none_8"][1] < 1e-3


def test_all_words_become_one_vector() -> None:
    found = collapse.compute(collapse.Inputs(), example())
    record = found.run.record
    assert found.accuracy["none_8"] <= 1 / 8 and found.accuracy["none_2"] > 0.99
    lowest = record["likeness.none_8"].min((1, 2))
    assert (np.diff(lowest) > -1e-5).all() and lowest[-1] > 0.99999  # layer by layer to 1
    for name in ("pre_8", "post_8"):
        assert record[f"diversity.{name}"][-1, -1] > 0.4
