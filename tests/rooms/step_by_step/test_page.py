"""The room in which attention is computed step by step, without a browser: controls, words, edits and links."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.step_by_step import walk
from core.rooms.step_by_step.compute import soft_lookup
from core.rooms.step_by_step.compute.walkthrough_edits import MOST_EDITS
from tests.pages.rooms import clean, text_of

PAGE = """
from core.rooms.step_by_step import ROOM
ROOM.show("soft-look-up")
ROOM.show("whole-walk")
"""
ROOM = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "steps.py")


def page(**asked: str) -> AppTest:
    """The two exhibits of this file alone; the whole room is opened once."""
    test = AppTest.from_string(PAGE, default_timeout=30)
    for name, value in asked.items():
        test.query_params[name] = value
    return test


def formulas(test: AppTest) -> str:
    return " ".join(one.value for one in test.get("latex"))


def commit(test: AppTest, name: str, part: str, value: object) -> None:
    """What the browser sends when something was set in a picture."""
    ids = [component.proto.id for component in test.get("bidi_component")]
    key = next(name + one.split(name, 1)[1] for one in ids if f"{name}:" in one)
    test.session_state[key] = {part: value}


def address(test: AppTest, name: str) -> str:
    return "".join(test.query_params[name])


def base(test: AppTest) -> str:
    shown: str = test.session_state["_state.picks.shown.walk"]
    return shown


def test_the_room_opens_with_its_results() -> None:
    test = clean(AppTest.from_file(ROOM, default_timeout=60).run())
    assert len(test.get("bidi_component")) >= 2
    assert not test.warning


@pytest.mark.parametrize("key", ["walk_width", "walk_heads", "walk_mask", "lookup_size"])
def test_every_choice(key: str) -> None:
    test = page().run()
    for option in list(test.button_group(key=key).options):
        test.button_group(key=key).set_value({"Causal": "causal", "None": "none"}.get(option, option))
        clean(test.run())


def test_positions_and_seed() -> None:
    test = page().run()
    before = formulas(test)
    clean(test.toggle(key="walk_positions").set_value(False).run())
    assert formulas(test) != before
    for seed in (2**31 - 1, 7, 0):
        clean(test.number_input(key="walk_seed").set_value(seed).run())
    clean(test.toggle(key="walk_positions").set_value(True).run())
    assert formulas(test) == before


@pytest.mark.parametrize(
    "text", ["猫坐在垫子上", "👨‍👩‍👧 🙂", "שלום עולם", "a", "<b>$x$</b> :red[no]", "x" * 1000, "\x00 a", "l'été, naïve"]
)
def test_any_words(text: str) -> None:
    clean(page().run().text_input(key="walk_text").set_value(text).run())


def test_no_word_and_too_many() -> None:
    test = page().run()
    clean(test.text_input(key="walk_text").set_value("  ").run())
    assert "no word yet" in text_of(test)
    clean(test.text_input(key="walk_text").set_value("one two three four five six seven eight nine").run())
    assert "9 words" in text_of(test) and "first 8" in text_of(test)


def test_an_edit_is_kept_in_the_address_and_computed() -> None:
    test = clean(page().run())
    before = formulas(test)
    commit(test, "walk", "edits", {"base": base(test), "edits": [["q", 0, 5, 1, 0.25], ["x", 0, 0, 0, -3]]})
    clean(test.run())
    assert address(test, "walk_edits") == "q.0.5.1=0.25~x.0.0=-3"
    assert formulas(test) != before
    again = clean(page(walk_edits="q.0.5.1=0.25~x.0.0=-3").run())
    assert formulas(again) == formulas(test)
    commit(test, "walk", "edits", {"base": base(test), "edits": []})
    clean(test.run())
    assert "walk_edits" not in test.query_params
    assert formulas(test) == before


def test_edits_stay_when_the_mask_changes_and_go_with_the_words() -> None:
    test = clean(page(walk_edits="x.0.0=-3").run())
    clean(test.button_group(key="walk_mask").set_value("none").run())
    assert "walk_edits" in test.query_params
    clean(test.text_input(key="walk_text").set_value("a dog").run())
    assert "walk_edits" not in test.query_params


def test_an_edit_of_other_words_is_dropped() -> None:
    test = clean(page().run())
    before = formulas(test)
    commit(test, "walk", "edits", {"base": "something else", "edits": [["q", 0, 5, 1, 0.25]]})
    clean(test.run())
    assert formulas(test) == before and "walk_edits" not in test.query_params


@pytest.mark.parametrize(
    "edits", [None, "x", [["q"]], [["q", 9, 9, 9, 1]], [["q", 0, 0, 0, 1e9]], [["x", 0, 0, 0, 1]] * (MOST_EDITS + 1)]
)
def test_forged_edits_change_nothing(edits: object) -> None:
    test = clean(page().run())
    before = formulas(test)
    commit(test, "walk", "edits", {"base": base(test), "edits": edits})
    clean(test.run())
    assert formulas(test) == before


@pytest.mark.parametrize("link", ["x", "q.0.5.9=1", "x.0.0=99999", "<script>", "~" * 5000, "q.7.0.0=1~x.0.0=1"])
def test_a_broken_link_says_so_and_opens(link: str) -> None:
    test = clean(page(walk_edits=link).run())
    assert len(test.warning) == 1
    assert "not used" in test.warning[0].value


def test_a_dictionary_is_kept_in_the_address() -> None:
    test = clean(page().run())
    before = formulas(test)
    asked = soft_lookup.flat(soft_lookup.default(2))
    asked[0] = 0.1
    commit(test, "lookup", "numbers", {"base": "2", "numbers": asked})
    clean(test.run())
    assert address(test, "lookup_numbers").startswith("0.1~0.8~0.6~1~0")
    assert formulas(test) != before
    again = clean(page(lookup_numbers=address(test, "lookup_numbers")).run())
    assert formulas(again) == formulas(test)
    clean(test.button_group(key="lookup_size").set_value(3).run())
    assert "lookup_numbers" not in test.query_params


def test_every_step_shows_a_line_of_its_source() -> None:
    lines = walk.code_lines()
    assert set(lines) == {"x", "q", "k", "v", "dots", "scores", "masked", "weights", "heads", "concat", "out"}
    root = Path(__file__).resolve().parents[3]
    for place, line in lines.values():
        path, number = place.split(":")
        assert line in (root / path).read_text(encoding="utf-8").splitlines()[int(number) - 1]
