"""The exhibit on cost, driven without a browser: every control to its ends, hostile links, the measurement."""

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs import layer_cost
from core.rooms.step_by_step import cost as room
from core.ui.training import stopwatch
from tests.pages.rooms import clean, text_of


def draw() -> None:
    from core.rooms.step_by_step import ROOM

    ROOM.show("cost")


def app(**address: str) -> AppTest:
    test = AppTest.from_function(draw, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def metrics(test: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in test.metric}


def test_opens_with_the_count_and_without_a_measurement() -> None:
    test = clean(app().run())
    assert metrics(test)["Multiply-adds per layer"] == "58.7 million"
    assert "Not measured yet" in text_of(test)
    assert any("N &= 6\\,D = 384" in latex.value for latex in test.latex)


def test_every_control_to_both_ends() -> None:
    test = app().run()
    for end in ("min", "max"):
        clean(test.slider(key="cost_length").set_value(getattr(test.slider(key="cost_length"), end)).run())
    for part in ("attention", "block"):
        clean(test.button_group(key="cost_part").set_value(part).run())
    for counts in ("bytes", "work"):
        clean(test.button_group(key="cost_count").set_value(counts).run())
    for width in (room.WIDTHS[0], room.WIDTHS[-1]):
        clean(test.selectbox(key="cost_width").set_value(width).run())
    for heads in (room.HEADS[0], room.HEADS[-1]):
        clean(test.selectbox(key="cost_heads").set_value(heads).run())


def test_a_measurement_is_told_with_its_fit_and_kept_for_its_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "SECONDS", 0.4)
    test = app(cost_width="32", cost_heads="1").run()
    test.button(key="cost-measure").click()
    told = text_of(clean(test.run()))
    assert "Fitted:" in told
    assert "Each point is the median of" in told
    assert "Fitted:" in text_of(clean(test.slider(key="cost_length").set_value(64).run()))
    assert "Not measured yet" in text_of(clean(test.selectbox(key="cost_width").set_value(64).run()))
    assert "Fitted:" in text_of(clean(test.selectbox(key="cost_width").set_value(32).run()))


def test_two_at_once_are_kept_apart_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "SECONDS", 0.05)
    test = app().run()
    lock = stopwatch._one_at_a_time()
    lock.acquire()
    try:
        test.button(key="cost-measure").click()
        assert "would disturb each other" in text_of(clean(test.run()))
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("width", "length", "share"), [(64, 64, "14%"), (64, 384, "50%"), (64, 4096, "91%"), (768, 1024, "18%")]
)
def test_what_the_page_promises(width: int, length: int, share: str) -> None:
    one = layer_cost.layer_cost(length, width, 4)
    assert f"{one.quadratic / one.total:.0%}" == share
    test = clean(app(cost_width=str(width), cost_length=str(length)).run())
    assert metrics(test)["Of these on pairs of tokens"] == share
    assert layer_cost.crossover(768) == 4608
