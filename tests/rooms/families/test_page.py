"""The family table as a learner goes through it: a guess, a walk of one's own, a training on its way."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.rooms import rooms
from core.rooms.families import family_table, who_reads
from core.train import experiment
from tests.pages.choices import every_sent, shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "families" / "table.py"), open="all", depth="numbers")


def test_opens_with_the_example_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    assert not test.warning
    told = text_of(test)
    assert "| ? |" in told and "has no room for its last words" not in told and "vec2seq" in told
    assert "✗ mousse" not in told and "This translation is longer than the walk" in told
    test.button_group(key="same_task").set_value("longer")
    assert "once you've made your guess" in text_of(clean(test.run()))
    test.button_group(key="same_guess").set_value("decoder")
    told = text_of(clean(test.run()))
    assert "You guessed: the decoder. The answer: the encoder." in told and "| ? |" not in told
    assert "✗ mousse" in told and "This translation is longer" not in told
    assert "no head can be said to read right" not in told
    test.selectbox(key="reads_task").set_value("classify")
    test.text_input(key="same_walk").set_value("owl boat")
    test.text_input(key="reads_walk").set_value("owl owl " * 10)
    told = text_of(clean(test.run()))
    assert "no head can be said to read right" in told and "half and half" in told
    assert "comes twice" in told and "only the last 8" in told


def test_each_map_shows_the_head_that_is_chosen() -> None:
    """All heads are sent at once: of each choice a picture must show that head, or the mean of all."""
    inputs = who_reads.Inputs()
    maps = who_reads.compute(inputs, experiment.run_of("families")).maps
    for label, name in {label: name for name, label in who_reads.HEADS.items()}.items():
        test = clean(page(reads_head=label).run())
        for which, message in zip(("decoder", "encoder", "cross"), every_sent(test, "matrix"), strict=False):
            one, (header, arrays) = maps[which], shown(message, test)
            weights = one.weights.mean((0, 1)) if name == "mean" else one.weights[one.place_of(name)]
            np.testing.assert_allclose(arrays["values"], np.where(one.mask, weights, 0), atol=1e-7)
            assert ("mean of all heads" in header["label"]) == (name == "mean") == (not header["badge"])


def test_every_link_of_the_table_leads_to_a_page() -> None:
    pages = {room.page for room in rooms()}
    for family in family_table.FAMILIES.values():
        assert {*family.uses.values(), *family.rooms.values(), *family_table.EVERYWHERE.values()} <= pages
