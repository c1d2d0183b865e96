"""The two exhibits of the pixels that measure, without a browser: the linear probe, and N squared."""

import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs.layer_cost import Timing
from core.rooms.pixels import clock, common, probe
from core.rooms.pixels.compute.picture_cost import patch_tokens, picture_cost, pixel_tokens
from core.rooms.pixels.compute.probe import Probed
from core.ui.training import live, stopwatch
from tests.pages.rooms import clean, text_of

pytestmark = pytest.mark.usefixtures("data")


def draw_probe() -> None:
    from core.rooms.pixels import probe
    from core.ui.frame.exhibit import show

    show(probe.probe)


def draw_cost() -> None:
    from core.rooms.pixels import quadratic
    from core.ui.frame.exhibit import show

    show(quadratic.quadratic)


def page(draw: object, **address: str) -> AppTest:
    test = AppTest.from_function(draw, default_timeout=60)  # type: ignore[arg-type]
    for name, value in address.items():
        test.query_params[name] = value
    return test


def test_the_probe_and_what_the_page_says_of_it() -> None:
    test = page(draw_probe).run()
    told = text_of(clean(test))
    shown = live.current(common.NAME)
    assert shown is not None
    found = common.writer_of(shown)
    quiet = probe.Progress(lambda share: None)
    trained = probe.of_writer(found, "raster", "mean", quiet)
    control = probe.of_untrained(found.n_level, "raster", "mean", quiet)
    raw = probe.raw_pixels()
    taps = list(trained)
    held = [trained[tap].held_out for tap in taps]
    assert len(test.get("vega_lite_chart")) == 1
    best = probe.best_layer(trained)
    names = probe.probes.layer_names(common.open_writer(found, "raster"))
    assert f"Best: **{names[best]}**, {100 * max(held):.1f}%." in told
    assert probe.where(trained) in told
    assert held[1] - held[0] > 0.5 * (max(held) - held[0])  # "the first block does most of the work"
    assert 0.7 < control["final"].held_out < 0.8  # "to three quarters"
    assert all(control[tap].held_out < trained[tap].held_out - 0.1 for tap in taps[1:])
    assert trained["embed"].held_out == pytest.approx(control["embed"].held_out, abs=0.03)  # how often each gray is
    assert raw.held_out == pytest.approx(max(held), abs=0.03)  # "about where the best layer does"
    by = common.judge()
    assert by is not None and probe.of_reader(by).held_out > raw.held_out + 0.01  # "what can be reached"
    test.button_group(key="probe_pool").set_value("last")
    assert "Best: **" in text_of(clean(test.run()))
    odd = clean(page(draw_probe, probe_pool="x", probe_order="<b>").run())
    assert odd.warning and f"{100 * max(held):.1f}%" in text_of(odd)


def test_where_it_is_best_is_told_as_it_is() -> None:
    def some(*shares: float) -> dict[str, Probed]:
        return dict(zip(("embed", "a", "b", "final"), (Probed(8, 1.0, share) for share in shares), strict=True))

    assert "before the first block" in probe.where(some(0.5, 0.5, 0.4, 0.3))
    assert "in the middle, where" in probe.where(some(0.1, 0.9, 0.4, 0.3))
    close = probe.where(some(0.1, 0.90, 0.91, 0.90))
    assert "2 other layers come within 1.5 points" in close and "may be chance" in close
    assert "at the end" in probe.where(some(0.1, 0.8, 0.9, 0.3)) and "at the end" in probe.where(some(0, 0, 0.1, 0.3))


def test_without_models_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = live._shown
    monkeypatch.setattr(live, "_shown", lambda name, run: None if name == "digits" else real(name, run))
    assert common.NO_JUDGE in text_of(clean(page(draw_probe).run()))
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    assert "There is no trained model yet" in text_of(clean(page(draw_probe).run()))


def test_n_squared_in_numbers_and_every_control() -> None:
    test = clean(page(draw_cost).run())
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
    odd = clean(page(draw_cost, quad_side="17", quad_patch="7", quad_width="x", quad_count="1e9").run())
    assert odd.warning


def test_a_measurement_is_carried_on_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopwatch, "SECONDS", 0.4)
    test = page(draw_cost).run()
    test.button(key="quad-measure").click()
    told = text_of(clean(test.run()))
    assert "Measured, one block 64 wide" in told
    assert "Extrapolated, not measured" in told or "nothing to carry on" in told


def test_the_curve_is_carried_on_from_the_long_rows() -> None:
    exact = [Timing(n, 1e-4 + 1e-6 * n + 1e-8 * n**2, 3) for n in (64, 197, 256, 400, 900, 1_600, 1_936)]
    fitted, used = clock.carried(exact)
    assert [one.n_token for one in used] == [400, 900, 1_600, 1_936]
    assert fitted.seconds(50_176) == pytest.approx(1e-4 + 0.050176 + 1e-8 * 50_176**2, rel=1e-3)
    told = clock.told_by_clock(fitted, exact, used)
    assert "**25.2 s** in each block, 26 times beyond" in told and "40.3 GB" in told
    assert "197 tokens, it takes 0.685 ms, measured: some 40,000 times less" in told
    few, used = clock.carried(exact[:4])
    assert len(used) == 4 and few.per_pair > 0
    flat, used = clock.carried([Timing(n, 1e-6 * n, 1) for n in (64, 144, 256)])
    assert "nothing to carry on" in clock.told_by_clock(flat, used, used)
