"""The family table, driven without a browser: examples, guesses, controls, links, any text."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms import rooms
from core.rooms.families import ROOM, family_table
from core.train import experiment
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "families" / "table.py"))


def test_opens_with_the_example_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    assert [one.value for one in test.subheader] == [escape_markdown(entry.exhibit().title) for entry in ROOM.exhibits]
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


def test_every_control_at_both_ends() -> None:
    test = page(same_guess="Just show me").run()
    for width, order in ((768, "post"), (128, "pre")):
        test.button_group(key="blocks_width").set_value(width)
        test.button_group(key="blocks_norms").set_value(order)
        test.selectbox(key="reads_task").set_value("continue" if width == 768 else "classify")
        test.selectbox(key="reads_head").set_value("mean" if width == 768 else "3")
        clean(test.run())
    assert "no head can be said to read right" not in text_of(test)
    test.selectbox(key="reads_head").set_value("best")
    assert "no head can be said to read right" in text_of(clean(test.run()))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at least one of these things"),
        ("🙂 <b>unicorn</b>", "t know “🙂”"),
        ("owl", "hibou"),
        ("owl boat", "half and half"),
        ("owl owl owl owl", "comes twice"),
        ("owl " * 30, "only the last 8"),
    ],
)
def test_any_walk(text: str, says: str) -> None:
    test = page(same_walk=text, reads_walk=text).run()
    assert says in text_of(clean(test))


def test_hostile_links_and_an_unfinished_training(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = clean(page(same_steps="7", reads_head="99", blocks_width="-1", same_walk="x" * 1000).run())
    assert len(odd.warning) >= 4
    running = experiment.start("families", {"n_step": 100}, 1)
    running.advance()
    asked = vars(experiment.options_of("families", {"n_step": 100}))
    record = live.Live(running.record(), asked, 1, 1, 100, False, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: record)
    assert "after step 0" in text_of(clean(page(same_guess="Just show me").run()))
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    assert "There is no trained model yet" in text_of(clean(page().run()))


def test_every_link_of_the_table_leads_to_a_page() -> None:
    pages = {room.page for room in rooms()}
    for family in family_table.FAMILIES.values():
        assert {*family.uses.values(), *family.rooms.values(), *family_table.EVERYWHERE.values()} <= pages
