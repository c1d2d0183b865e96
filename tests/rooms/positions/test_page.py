"""The room of positions, driven without a browser: any sentence, orders by hand, links, models of every scheme."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.browser.message import unpack
from core.nn.positions import sinusoidal
from core.rooms.positions import alibi, rotation, zero
from core.rooms.positions.inputs import tiny
from core.ui.models import model_folders
from tests import tiny_model
from tests.pages.choices import shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "positions.py"))


def test_any_sentence_and_the_order_by_hand() -> None:
    test = page(order_text="a b c", order_how="By hand", order_by_hand="1 2 0").run()
    assert "b c a" in text_of(clean(test))
    for broken in ("0 1", "0 1 1", "x", "9" * 500, "-1 0 1", ""):
        clean(test.text_input(key="order_by_hand").set_value(broken).run())
        assert len(test.warning) >= 1
        assert "c b a" in text_of(test)
    for text in ("one", "👩‍👩‍👧 語 \u202e x", "$x$ *b* [l](http://x) :red[y] <b>", "word " * 200, "\n"):
        shown = text_of(clean(test.text_input(key="order_text").set_value(text).run()))
        assert ("at least two words" if len(text.split()) < 2 else "Largest difference") in shown
        assert "](http" not in shown


def test_a_link_moves_the_clock_and_the_pair() -> None:
    test = clean(page(clock="12.3.1", rotary="20.11").run())
    formulas = " ".join(one.value for one in test.latex)
    assert r"\frac{12}{10000^{2/16}}" in formulas
    assert "score}(20, 11)" in formulas
    sent = [unpack(one.proto.bytes) for one in test.get("bidi_component") if one.proto.bytes]
    header, arrays = next(one for one in sent if one[0].get("widget") == "clock")
    np.testing.assert_array_equal(arrays["table"], sinusoidal(64, 16).numpy())
    assert (header["n_position"], header["width"]) == (64, 16)
    assert header["at"] == {"position": 12, "distance": 3, "pair": 1}


def test_a_model_of_any_scheme(data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = {
        "none": "no positions at all",
        "sinusoidal": "fixed sines and cosines",
        "rotary": "turns its queries and keys",
        "alibi": "ALiBi",
        "relative": "one number for each head and bucket",
        "learned": "Mean cosine of two neighbors",
    }
    for scheme in told:
        tiny_model.write(data / "models" / f"tiny-{scheme}", positions=scheme)  # type: ignore[arg-type]
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]
    for scheme, words in told.items():
        assert words in text_of(clean(page(positions_model=f"tiny-{scheme}", open="all").run()))
    # Without the example another model is shown: the tests' own has learned positions.
    monkeypatch.setattr(model_folders, "SHIPPED", tmp_path)
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]
    assert "Mean cosine of two neighbors" in text_of(clean(page(open="all").run()))
    model_folders.shipped_titles.clear()  # type: ignore[attr-defined]


def test_what_is_chosen_to_look_at_is_what_the_exhibits_compute() -> None:
    for shift, head, place in ((0, 4, 0), (20, 3, 7)):
        test = clean(page(open="all", turn_shift=str(shift), alibi_head=str(head), zero_position=str(place)).run())
        sent = {one.key: shown(one.proto.bytes, test) for one in test.get("bidi_component") if one.proto.bytes}
        turned = rotation.compute(rotation.Inputs(shift=shift))
        header, arrays = sent["positions-rotation"]
        np.testing.assert_allclose(arrays["values"], turned.matrix, atol=1e-6)
        assert header["label"] == f"The rotation for a shift of {shift}"
        assert f"by {shift}: **{tiny(turned.residual.max())}**" in text_of(test)
        header, arrays = sent["alibi-weights"]
        slopes = alibi.compute(alibi.Inputs())
        np.testing.assert_allclose(arrays["values"], slopes.weights[head], atol=1e-6)
        assert header["label"].startswith(f"Head {head}, slope {slopes.written[head]}:")
        header, arrays = sent["position-zero"]
        printed = zero.compute(zero.Inputs(position=place))
        assert header["rows"][1] == f"PE({place})"
        np.testing.assert_allclose(arrays["values"][2], printed.rows["sum"], atol=1e-6)
        assert arrays["empty"][3].all() == (place != 0) == ("are wrong, each by 1." not in text_of(test))
