"""The two exhibits of the pixels that measure, without a browser: the linear probe, and N squared."""

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs.layer_cost import Timing
from core.rooms.pixels import probe, quadratic
from core.rooms.pixels.compute.picture_cost import patch_tokens, picture_cost, pixel_tokens
from core.rooms.pixels.compute.probe import Probed
from core.train.experiment import run_of
from core.ui.training import live, stopwatch
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")


def page(name: str, **address: str) -> AppTest:
    def draw(name: str) -> None:
        from core.rooms.pixels import ROOM

        ROOM.show(name)

    test = AppTest.from_function(draw, default_timeout=60, args=(name,))
    for key, value in address.items():
        test.query_params[key] = value
    return test


def test_the_probe_and_what_the_page_says_of_it() -> None:
    result = probe.compute(probe.Inputs(), run_of("pixels"))
    trained, control, raw = result.trained, result.untrained, result.raw.held_out
    held = [one.held_out for one in trained.values()]
    assert held[1] - held[0] > 0.5 * (max(held) - held[0])  # "the first block does most of the work"
    assert 0.7 < control["final"].held_out < 0.8  # "three quarters"
    assert all(control[tap].held_out < trained[tap].held_out - 0.1 for tap in list(trained)[1:])
    assert trained["embed"].held_out == pytest.approx(control["embed"].held_out, abs=0.03)  # how often each gray is
    assert raw == pytest.approx(max(held), abs=0.03)  # "about where the best layer is"
    assert result.vit.held_out > raw + 0.01  # "what can be reached"
    test = clean(page("probe").run())
    best = f"Best: **{result.names[result.best]}**, {max(held):.1%}."
    assert len(test.get("vega_lite_chart")) == 1 and best in text_of(test)
    test.button_group(key="probe_pool").set_value("last")
    assert "Best: **" in text_of(clean(test.run()))
    odd = clean(page("probe", probe_pool="x", probe_order="<b>").run())
    assert odd.warning and best in text_of(odd)


@pytest.mark.parametrize(
    ("shares", "place", "n_near"),
    [
        ((0.5, 0.5, 0.4, 0.3), "start", 1),
        ((0.1, 0.9, 0.4, 0.3), "middle", 0),
        ((0.1, 0.90, 0.91, 0.90), "near", 2),
        ((0.1, 0.8, 0.9, 0.3), "end", 0),
        ((0, 0, 0.1, 0.3), "end", 0),
    ],
)
def test_where_it_is_best(shares: tuple[float, ...], place: str, n_near: int) -> None:
    some = dict(zip(("embed", "a", "b", "final"), (Probed(8, 1.0, share) for share in shares), strict=True))
    result = probe.Result({}, some, some, some["a"], some["a"])
    assert (result.place, result.n_near) == (place, n_near)


def test_without_models_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = live._shown
    monkeypatch.setattr(live, "_shown", lambda name, run: None if name == "digits" else real(name, run))
    assert "Nothing here can recognize the digits yet" in text_of(clean(page("probe").run()))
    monkeypatch.setattr(live, "_shown", lambda name, run: None if name == "pixels" else real(name, run))
    assert "There is no trained model yet" in text_of(clean(page("probe").run()))


def test_n_squared_in_numbers_and_every_control() -> None:
    test = clean(page("quadratic").run())
    told = text_of(test)
    for number in (
        "**50,176 tokens**",
        "2,517,630,976 pairs",
        "**197 tokens**",
        "38,809 pairs",
        "150,528 of a picture",
    ):
        assert number in told
    assert "Nothing is measured yet" in told
    test.selectbox(key="quad_width").set_value("large")
    for count in ("tokens", "work", "bytes"):
        test.button_group(key="quad_count").set_value(count)
        told = text_of(clean(test.run()))
    for side, size in ((48, "340 MB"), (64, "1.07 GB"), (224, "161 GB")):
        assert f"| {side} × {side} | {pixel_tokens(side):,} | {size} |" in told
    for patch_size, side in ((4, 16), (16, 512)):
        test.button_group(key="quad_patch").set_value(patch_size)
        test.selectbox(key="quad_side").set_value(side)
        told = text_of(clean(test.run()))
        assert f"{patch_tokens(side, patch_size):,} tokens" in told
        assert f"{picture_cost(pixel_tokens(side), 8, 1).pairs:,} pairs" in told
    odd = clean(page("quadratic", quad_side="17", quad_patch="7", quad_width="x", quad_count="1e9").run())
    assert odd.warning


def test_a_measurement_is_carried_on_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [Timing(n, 1e-4 + 1e-6 * n + 1e-8 * n**2, 3) for n in (64, 197, 256, 400, 900, 1_600, 1_936)]
    monkeypatch.setattr(stopwatch, "time_layer", lambda *sizes, **how: exact)
    test = page("quadratic").run()
    test.button(key="quad-measure").click()
    told = text_of(clean(test.run())).replace("\\", "")
    assert "Measured, one block 64 wide" in told and "is the median of 3 passes" in told
    assert "**25.2 s** in each block, 26 times beyond" in told and "40.3 GB" in told
    assert "197 tokens, it takes 0.685 ms, measured: some 40,000 times less" in told
    flat = [Timing(n, 1e-6 * n, 1) for n in (64, 144, 256)]
    monkeypatch.setattr(stopwatch, "time_layer", lambda *sizes, **how: flat)
    test.button(key="quad-measure").click()
    assert "nothing to carry on" in text_of(clean(test.run()))


def test_the_curve_is_carried_on_from_the_long_rows() -> None:
    def of(*lengths: int) -> quadratic.Result:
        measured = tuple((n, 1e-4 + 1e-6 * n + 1e-8 * n**2, 3) for n in lengths)
        return quadratic.compute(quadratic.Inputs(measured=measured))

    fitted, used = of(64, 197, 256, 400, 900, 1_600, 1_936).fitted
    assert [one.n_token for one in used] == [400, 900, 1_600, 1_936]
    assert fitted.seconds(50_176) == pytest.approx(1e-4 + 0.050176 + 1e-8 * 50_176**2, rel=1e-3)
    few, used = of(64, 197, 256, 400).fitted
    assert len(used) == 4 and few.per_pair > 0
