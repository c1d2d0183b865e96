"""The room of masks, driven without a browser: masks combined, texts that are too short or too long, a drawn mask."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.choices import told
from tests.pages.rooms import clean, linked

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "masks.py")
page = partial(linked, PAGE, open="all")


def test_another_text_has_a_mask_of_its_own() -> None:
    test = clean(page(drawn=f"1.14.{'0000' * 14}").run())
    begins = told(test)["drawn"]["begins"]
    clean(test.text_area(key="text").set_value("Tom hid.").run())  # of another length: the drawing goes
    assert told(test)["drawn"]["begins"] != begins and not test.warning
