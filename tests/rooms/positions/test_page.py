"""The room of positions, driven without a browser: every control to its ends, any sentence, hostile links."""

from functools import partial
from importlib import import_module
from pathlib import Path

import pytest

from core.rooms.positions import ROOM
from core.ui.models import model_folders
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "positions.py")
page = partial(linked, PAGE)
EXHIBITS = [entry.exhibit() for entry in ROOM.exhibits if not entry.live and "slips" not in entry.place]
CHOICES = {
    control.name: control.options["options"]
    for entry in ROOM.exhibits
    for _, control in import_module(entry.module).Inputs.controls()
    if control.kind == "segmented" and not entry.live
}


def test_opens_with_every_result() -> None:
    test = clean(page().run())
    titles = [one.value.replace("\\", "") for one in test.subheader]
    assert {piece.title for piece in EXHIBITS} <= set(titles)
    assert not test.warning
    assert len(test.get("bidi_component")) >= 12
    assert len(test.get("vega_lite_chart")) >= 3


def test_every_slider_to_both_ends() -> None:
    test = page().run()
    keys = [slider.key for slider in test.slider]
    assert len(keys) >= 12
    for end in ("min", "max"):
        for key in keys:
            if key in [slider.key for slider in test.slider]:  # with one head there is none to choose
                test.slider(key=key).set_value(getattr(test.slider(key=key), end))
        clean(test.run())


def test_every_choice() -> None:
    test = page().run()
    chosen = [one for one in test.button_group if one.key in CHOICES]
    assert {one.key for one in chosen} == set(CHOICES)
    for place in range(6):
        for key, options in [(one.key, one.options) for one in chosen]:
            names = [option.content for option in options] if hasattr(options[0], "content") else list(options)
            test.button_group(key=key).set_value(_value(str(key), names[place % len(names)]))
        for box in test.selectbox:
            if box.key in ("rotary_base", "bucket_count"):
                box.select_index(place % len(box.options))
        clean(test.run())


def _value(key: str, label: str) -> str:
    """The option behind a label."""
    return next((value for value, name in CHOICES[key].items() if name == label), label)


@pytest.mark.parametrize(
    "text",
    ["", "one", "a a a a", "👩‍👩‍👧 語 \u202e x", "$x$ *b* [l](http://x) :red[y] <b>", "word " * 200, "\n", "x" * 1000],
)
def test_any_sentence(text: str) -> None:
    test = clean(page(order_text=text).run())
    shown = text_of(test)
    if len(text.split()) < 2:
        assert "at least two words" in shown
    else:
        assert "Largest difference" in shown
        assert "](http" not in shown


def test_the_order_by_hand() -> None:
    test = clean(page(order_text="a b c", order_how="By hand", order_by_hand="1 2 0").run())
    assert "b c a" in text_of(test)
    for broken in ("0 1", "0 1 1", "x", "0 1 2 3", "9" * 500, "-1 0 1", ""):
        test = clean(page(order_text="a b c", order_how="By hand", order_by_hand=broken).run())
        assert len(test.warning) >= 1
        assert "c b a" in text_of(test)


@pytest.mark.parametrize(
    "place", ["", "x", "1.2", "64.0.0", "0.64.0", "0.0.8", "-1.0.0", "1e9.0.0", "9" * 3000, "٣.0.0"]
)
def test_hostile_places_in_the_link(place: str) -> None:
    clean(page(clock=place, rotary=place).run())


def test_a_link_moves_the_clock_and_the_pair() -> None:
    test = clean(page(clock="12.3.1", rotary="20.11").run())
    formulas = " ".join(one.value for one in test.latex)
    assert r"\frac{12}{10000^{2/16}}" in formulas
    assert "score}(20, 11)" in formulas


@pytest.mark.parametrize("scheme", ["none", "sinusoidal", "rotary", "alibi", "relative", "learned"])
def test_a_model_of_any_scheme(scheme: str, data: Path) -> None:
    tiny_model.write(data / "models" / f"tiny-{scheme}", positions=scheme)  # type: ignore[arg-type]
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]
    test = clean(page(positions_model=f"tiny-{scheme}").run())
    words = {
        "none": "no positions at all",
        "sinusoidal": "fixed sines and cosines",
        "rotary": "turns its queries and keys",
        "alibi": "ALiBi",
        "relative": "one number for each head and bucket",
        "learned": "Mean cosine of two neighbors",
    }
    assert words[scheme] in text_of(test)


def test_without_the_example_another_model_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_folders, "SHIPPED", tmp_path)
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]
    test = clean(page().run())
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]
    assert "Mean cosine of two neighbors" in text_of(test)  # the tests' own model has learned positions
