"""The masking lab, the gaps and the two directions, driven without a browser: every control, links, any text."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.inputs import MAX_SEED
from core.train import experiment
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder.py")
page = partial(linked, PAGE)
TEXTS = ("gap_text", "two_text", "dir_text")


def test_opens_with_a_result_and_the_roll_goes_on() -> None:
    test = clean(page().run())
    assert not test.warning
    assert "| **chosen** | 26 | 25.6 ± 4.7 |" in text_of(test)
    next(button for button in test.button if button.label == "Roll again").click()
    clean(test.run())
    assert test.number_input(key="lab_seed").value == 1 and "seeds 1 to 200" in text_of(test)
    test.number_input(key="lab_seed").set_value(MAX_SEED)
    test.slider(key="two_first").set_value(19)
    assert "These would be one gap" in text_of(clean(test.run()))
    next(button for button in test.button if button.label == "Roll again").click()
    clean(test.run())
    assert test.number_input(key="lab_seed").value == 0  # after the largest seed comes the first


@pytest.mark.parametrize(
    "told_by",
    [
        {"": "Type at least 2 words", "x" * 1000: "only the first 400", "Tom " * 99: "the model reads at most 31"},
        {"🙂": "Type at least 2 words", "🙂 *Tom* [x](y)": "t know “🙂”", "Tom ran": "“ran”"},
    ],
)
def test_any_text(told_by: dict[str, str]) -> None:
    test = clean(page(**dict(zip(TEXTS, told_by, strict=True)), gap_places="1.2.30").run())
    told = text_of(test) + " ".join(one.value for one in test.warning)
    assert all(says in told for says in told_by.values())


def test_links_are_checked() -> None:
    for places in ("²", "0.0.99999." + "1." * 500 + "-1.x"):
        clean(page(gap_places=places).run())
    assert "Nothing is hidden" in text_of(clean(page(gap_places="none").run()))
    odd = clean(page(lab_share="7", lab_seed="-1", two_first="nan", dir_head="9.9", pre_share="1 %").run())
    assert odd.warning and "| **chosen** |" in text_of(odd)


def test_a_training_that_has_just_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    running = experiment.start("masked", {"n_step": 700}, 3)
    record = running.record()
    shown = live.Live(record, {"share": 15, "rule": "80/10/10"}, 3, 0, 700, True, False)
    real = live._shown
    monkeypatch.setattr(live, "_shown", lambda name, run: shown if name == "masked" else real(name, run))
    told = text_of(clean(page().run()))
    assert "At step 0: a loss of **5." in told
    assert np.isfinite(record["curve.loss"]).all() and record["frames.probe"].shape[:2] == (1, 3)
