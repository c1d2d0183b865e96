"""The room of masks, driven without a browser: masks combined, texts that are too short or too long, a drawn mask."""

from functools import partial
from pathlib import Path

import pytest

from core.jobs.store import Store
from core.nn import masks
from core.rooms.masks import lowest
from core.rooms.masks.draw import Drawn, to_address
from tests import tiny_model
from tests.pages.choices import told
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "masks.py")
page = partial(linked, PAGE, open="all")


def drawn(n: int, window: int = 2, n_layer: int = 2) -> str:
    return to_address(Drawn(masks.sliding_window(n, window).numpy(), n_layer))


def test_cross_attention_and_an_empty_other_text() -> None:
    test = page().run()
    clean(test.button_group(key="mask_reads").set_value("cross").run())
    assert "cells are open" in text_of(test)
    clean(test.slider(key="mask_padding").set_value(test.slider(key="mask_padding").max).run())
    clean(test.text_input(key="mask_memory").set_value("").run())
    assert "The other text is empty" in text_of(test)


def test_no_text_more_lines_than_a_batch_holds_and_longer_ones() -> None:
    test = page().run()
    clean(test.text_area(key="batch_texts").set_value("Tom hid. " * 10 + "\nMia hid." * 6).run())
    assert "only the first 4 are used" in text_of(test) and "last 12 are used" in text_of(test)
    clean(test.text_area(key="batch_texts").set_value(" \n ").run())
    assert "There is no text here" in text_of(test)
    clean(test.text_area(key="text").set_value("").run())
    assert "The text is empty" in text_of(test)


def test_a_link_opens_the_drawn_mask_and_another_text_has_its_own() -> None:
    test = clean(page(drawn=drawn(14)).run())
    assert not test.warning
    assert "allows **39** in 2 layers" in text_of(test)  # two layers, one token back each
    begins = told(test)["drawn"]["begins"]
    test = clean(page(drawn=f"1.14.{'0000' * 14}").run())
    assert "14 rows read nothing" in text_of(test) and "**nan**" in text_of(test)
    clean(test.text_area(key="text").set_value("Tom hid.").run())  # of another length: the drawing goes
    assert told(test)["drawn"]["begins"] != begins and not test.warning


def test_each_row_of_each_head_says_what_becomes_of_an_empty_one() -> None:
    inputs = lowest.Inputs()
    for layer, head, row in ((0, 0, 3), (1, 2, 13)):
        test = clean(page(layer=str(layer), head=str(head), mask_row=str(row)).run())
        wanted = lowest.compute(lowest.Inputs(given=inputs.given, layer=layer, head=head, row=row))
        text = text_of(test)
        assert f"Row {row} as it is: all {len(wanted.found)} choices leave exactly 0" in text.replace("\n", " ")
        for name, outcomes in wanted.lines:
            assert f"| {' | '.join((name, *outcomes))} |" in text  # the same for all rows, so it is plain text


@pytest.mark.parametrize("text", ["x", drawn(9), "99.14." + "0" * 56])
def test_a_link_with_no_mask_for_this_text_says_so(text: str) -> None:
    test = clean(page(drawn=text).run())
    assert len(test.warning) == 1 and "A window of 3 is shown" in test.warning[0].value


def test_a_run_of_letters_with_one_head_and_a_short_context(data: Path) -> None:
    from core.train.recipes import RECIPES

    store = Store(data / "runs")
    run_id = store.create("somebody", RECIPES["stories"].to_dict(), seed=0, name="Letters")
    tiny_model.write(store.folder(run_id), kind="char", n_layer=1, n_head=1, context_length=16)
    test = clean(page(model=run_id).run())
    assert "Its last 16 are used" in text_of(test)
    assert "in 1 layer;" in text_of(test) and "256 of 256 pairs agree" in text_of(test)
    assert "positions too must start" in text_of(test)
