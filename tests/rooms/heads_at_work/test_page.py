"""The room of heads at work, driven without a browser: examples, guesses, settings, unfinished records, badges."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.heads_at_work import ROOM
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "attention" / "work.py")
page = partial(linked, PAGE)
EXHIBITS = tuple(entry.exhibit() for entry in ROOM.exhibits)
SHOWN = {f"{name}_guess": "Just show me" for name in ("switch", "born", "explain")}


def test_heads_switched_off_bring_the_loss_back_and_on_again_do_not() -> None:
    test = page(**SHOWN).run()

    def loss() -> float:
        return float(next(m for m in test.metric if m.label == "Loss on the repeat").value.split()[0])

    before = loss()
    test.button_group(key="born_off.2").set_value(["1.0", "1.1"])
    clean(test.run())
    assert before < 0.5 < 3 < loss()
    test.button_group(key="born_off.2").set_value([])
    clean(test.run())
    assert loss() == before


def test_a_hidden_question_keeps_its_answer() -> None:
    test = clean(page(hide="switch_guess").run())
    told = text_of(test)
    assert "**Nothing switched**" in told and "**Positions off**" not in told and "The other three" not in told
