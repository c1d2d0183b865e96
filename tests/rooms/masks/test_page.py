"""The room of masks, driven without a browser: every control to its ends, links, any text, a drawn mask."""

from functools import partial
from pathlib import Path

import pytest

from core.jobs.store import Store
from core.nn import masks
from core.rooms.masks.mask_editor_widget import Drawn, to_address
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "masks.py")
page = partial(linked, PAGE)
TEXTS = ["Tom", "Tom hid", "👩‍👩‍👧 🇩🇪 é\u202e", "$x$ <b>**a**</b> [a](b) :red[x]", "Tom hid. " * 111, "\x00 a"]


def drawn(n: int, window: int = 2, n_layer: int = 2) -> str:
    return to_address(Drawn(masks.sliding_window(n, window).numpy(), n_layer))


def test_opens_with_a_result() -> None:
    test = clean(page().run())
    said = text_of(test)
    assert "147 of 289" in said and "The rule, checked on the model" in said and "196 of 196 pairs agree" in said
    assert "encoder, no mask" in said and "is −∞: **nan**" in said
    assert len(test.get("bidi_component")) >= 14
    assert not test.warning


@pytest.mark.parametrize("key", ["layer", "head", "mask_padding", "mask_row", "batch_more"])
def test_sliders_to_both_ends(key: str) -> None:
    test = page().run()
    for end in ("min", "max"):
        clean(test.slider(key=key).set_value(getattr(test.slider(key=key), end)).run())


@pytest.mark.parametrize("how", ["and", "or"])
def test_every_mask_alone_all_together_and_none(how: str) -> None:
    test = page().run()
    test.button_group(key="mask_how").set_value(how)
    options = list(test.button_group(key="mask_kinds").options)
    for chosen in (*[[one] for one in options], options, []):
        clean(test.button_group(key="mask_kinds").set_value(chosen).run())
        open_cells = next(one.value for one in test.markdown if "cells are open" in one.value)
        if chosen in (["Full"], []) or (how == "or" and chosen == options):
            assert "**289 of 289**" in open_cells
        elif chosen != options:
            assert "**289 of 289**" not in open_cells


def test_prefix_and_window_to_both_ends() -> None:
    test = page().run()
    test.button_group(key="mask_kinds").set_value(["Prefix", "Sliding window"])
    clean(test.run())
    for key in ("mask_prefix", "mask_window"):
        for end in ("min", "max"):
            clean(test.slider(key=key).set_value(getattr(test.slider(key=key), end)).run())
    assert "153 of 289" in text_of(test)  # window and prefix at their ends: causal


def test_cross_attention_and_an_empty_other_text() -> None:
    test = page().run()
    clean(test.button_group(key="mask_reads").set_value("cross").run())
    assert "cells are open" in text_of(test)
    clean(test.slider(key="mask_padding").set_value(test.slider(key="mask_padding").max).run())
    clean(test.text_input(key="mask_memory").set_value("").run())
    assert "The other text is empty" in text_of(test)
    clean(test.text_input(key="mask_memory").set_value("👩‍👩‍👧 <b>").run())


@pytest.mark.parametrize("text", TEXTS)
def test_any_text(text: str) -> None:
    test = page().run()
    test.text_area(key="text").set_value(text)
    test.text_area(key="batch_texts").set_value(text[:400])
    clean(test.run())


def test_no_text() -> None:
    test = page().run()
    clean(test.text_area(key="batch_texts").set_value(" \n ").run())
    assert "There is no text here" in text_of(test)
    clean(test.text_area(key="text").set_value("").run())
    assert "The text is empty" in text_of(test)


def test_more_lines_than_a_batch_holds_and_longer_ones() -> None:
    test = page().run()
    clean(test.text_area(key="batch_texts").set_value("Tom hid. " * 10 + "\nMia hid." * 6).run())
    assert "only the first 4 are used" in text_of(test) and "last 12 are used" in text_of(test)
    clean(test.slider(key="batch_more").set_value(test.slider(key="batch_more").max).run())


def test_a_link_opens_the_drawn_mask_and_a_stroke_goes_into_the_address() -> None:
    test = clean(page(drawn=drawn(14)).run())
    assert not test.warning
    assert "**39** of 196 pairs" in text_of(test)  # two layers, one token back each
    key = widget_key(test, "draw.mask")
    test.session_state[key] = {"drawn": {"cells": "0000" * 14, "layers": 1, "turn": 1}}
    clean(test.run())
    assert test.query_params["drawn"] == f"1.14.{'0000' * 14}"
    assert "14 rows have nothing to read" in text_of(test) and "**nan**" in text_of(test)
    clean(test.run())
    assert test.query_params["drawn"] == f"1.14.{'0000' * 14}"


def test_a_text_of_another_length_lets_the_drawing_go() -> None:
    test = clean(page(drawn=drawn(14)).run())
    clean(test.text_area(key="text").set_value("Tom hid.").run())
    assert "drawn" not in test.query_params and not test.warning


@pytest.mark.parametrize(
    "text", ["", "x", "2.14.zz", drawn(9), "0.14." + "0" * 56, "99.14." + "0" * 56, "2.14." + "f" * 56, "f" * 9000]
)
def test_a_link_with_no_mask_for_this_text_says_so(text: str) -> None:
    test = clean(page(drawn=text).run())
    assert len(test.warning) == 1 and "A window of 3 is shown" in test.warning[0].value


@pytest.mark.parametrize(
    "address",
    [
        {"layer": "99", "head": "-1"},
        {"mask_kinds": "Nonsense", "mask_how": "xor"},
        {"mask_padding": "1e309", "mask_row": "nan"},
        {"mask_reads": "neither", "mask_memory": "x" * 5000},
        {"batch_texts": "\n" * 3000, "batch_more": "9"},
        {"text": "<script>" * 200},
        {"lock": "mask_kinds,text", "hide": "mask_how,batch_texts,mask_reads"},
    ],
)
def test_a_broken_link_still_opens(address: dict[str, str]) -> None:
    test = page(**address).run()
    assert not test.exception and not test.error


def test_presets_of_a_lesson_hold() -> None:
    test = clean(page(mask_kinds="Sliding window", mask_window="2", mask_padding="0", layer="1").run())
    assert "27 of 196" in text_of(test)


@pytest.mark.parametrize("panel", ["Link", "Code", "Numbers", "Download"])
def test_every_panel_of_every_exhibit_opens(panel: str) -> None:
    test = page().run()
    panels = [group.key for group in test.button_group if str(group.key).startswith("panel-")]
    assert len(panels) >= 5
    for key in panels:
        test.button_group(key=key).set_value(panel)
    clean(test.run())
    if panel == "Numbers":
        assert "measured change of the output" in {column for table in test.dataframe for column in table.value.columns}


def test_a_run_of_letters_with_one_head_and_a_short_context(data: Path) -> None:
    from core.train.recipes import RECIPES

    store = Store(data / "runs")
    run_id = store.create("somebody", RECIPES["stories"].to_dict(), seed=0, name="Letters")
    tiny_model.write(store.folder(run_id), kind="char", n_layer=1, n_head=1, context_length=16)
    test = clean(page(model=run_id).run())
    assert "Its last 16 are used" in text_of(test)
    assert "through its 1 layer " in text_of(test) and "256 of 256 pairs agree" in text_of(test)
    assert "positions too must start at the first real token" in text_of(test)
