"""The room in which attention is computed step by step, without a browser: words, edits, links, a measurement."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs import layer_cost
from core.rooms.step_by_step import walk
from core.rooms.step_by_step.compute import soft_lookup
from core.ui.training import layer_timer
from tests.pages.rooms import clean, text_of

ROOM = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "steps.py")


def _shown(exhibits: tuple[str, ...]) -> None:
    from core.rooms.step_by_step import ROOM

    for name in exhibits:
        ROOM.show(name)


def page(*exhibits: str, **asked: str) -> AppTest:
    """These exhibits alone, or the walk and the dictionary; the whole room is opened once."""
    test = AppTest.from_function(_shown, args=(exhibits or ("soft-look-up", "whole-walk"),), default_timeout=30)
    for name, value in ({"open": "all"} | asked).items():
        test.query_params[name] = value
    return test


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


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


def test_positions_change_what_is_computed_and_back() -> None:
    test = page().run()
    before = formulas(test)
    clean(test.toggle(key="walk_positions").set_value(False).run())
    assert formulas(test) != before
    clean(test.toggle(key="walk_positions").set_value(True).run())
    assert formulas(test) == before


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


def test_an_edit_of_other_words_and_forged_edits_change_nothing() -> None:
    test = clean(page().run())
    before = formulas(test)
    for words, edits in (("other", [["q", 0, 5, 1, 0.25]]), (base(test), [["q", 9, 9, 9, 1]]), (base(test), "x")):
        commit(test, "walk", "edits", {"base": words, "edits": edits})
        clean(test.run())
        assert formulas(test) == before and "walk_edits" not in test.query_params


def test_a_dictionary_is_kept_in_the_address() -> None:
    test = clean(page().run())
    before = formulas(test)
    asked = soft_lookup.flatten_dictionary(soft_lookup.default_dictionary(2))
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
    lines = walk.step_code_lines()
    assert set(lines) == {"x", "q", "k", "v", "dots", "scores", "masked", "weights", "heads", "concat", "out"}
    root = Path(__file__).resolve().parents[3]
    for place, line in lines.values():
        path, number = place.split(":")
        assert line in (root / path).read_text(encoding="utf-8").splitlines()[int(number) - 1]


def test_a_measurement_is_told_with_its_fit_and_kept_for_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_timer, "TIMING_SECONDS", 0.4)
    test = page("cost", cost_width="32", cost_heads="1").run()
    test.button(key="cost-measure").click()
    told = text_of(clean(test.run()))
    assert "Fitted:" in told
    assert "Each point is the median of" in told
    assert "Fitted:" in text_of(clean(test.slider(key="cost_length").set_value(64).run()))
    assert "Not measured yet" in text_of(clean(test.selectbox(key="cost_width").set_value(64).run()))
    assert "Fitted:" in text_of(clean(test.selectbox(key="cost_width").set_value(32).run()))


def test_two_at_once_are_kept_apart_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer_timer, "TIMING_SECONDS", 0.05)
    test = page("cost").run()
    with layer_timer._one_at_a_time():  # by another process of this server, for all that it knows
        test.button(key="cost-measure").click()
        assert "would disturb each other" in text_of(clean(test.run()))


@pytest.mark.parametrize(
    ("width", "length", "share"), [(64, 64, "14%"), (64, 384, "50%"), (64, 4096, "91%"), (768, 1024, "18%")]
)
def test_shares_of_the_cost_are_as_the_page_promises(width: int, length: int, share: str) -> None:
    one = layer_cost.layer_cost(length, width, 4)
    assert f"{one.quadratic / one.total:.0%}" == share
    test = clean(page("cost", cost_width=str(width), cost_length=str(length)).run())
    assert metrics(test)["Of these on pairs of tokens"] == share
    assert layer_cost.crossover_length(768) == 4608
