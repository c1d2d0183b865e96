"""The room of pretrained models in a real browser: files chosen, refused, opened, and taken along to another room."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests import tiny_model
from tests.browser.rooms import settle


def test_an_upload_is_refused_completed_and_opened_in_a_room(visit: Callable[..., Any], tmp_path: Path) -> None:
    folder = tiny_model.write(tmp_path / "tiny")
    page = visit("pretrained")
    page.get_by_text("Upload files", exact=True).click()
    settle(page)
    chooser = page.locator('input[type="file"]')
    chooser.set_input_files([folder / "config.json"])
    page.get_by_text("config.json", exact=True).first.wait_for()
    settle(page)
    page.get_by_role("button", name="Open it").focus()
    page.keyboard.press("Enter")
    page.get_by_text("There is no model.safetensors among the files").wait_for()
    assert page.get_by_text("config.json", exact=True).count() >= 1  # what was chosen stays
    chooser.set_input_files([folder / "model.safetensors", folder / "tokenizer.json"])
    settle(page)
    page.get_by_role("button", name="Open it").click()
    page.get_by_text("It's selected above").wait_for()
    settle(page)
    page.get_by_text("What you've opened", exact=True).wait_for()
    page.get_by_role("button", name="In other rooms").click()
    page.get_by_test_id("stPopoverBody").get_by_role("link", name="Attention heads").click()
    page.wait_for_url(re.compile(r"/heads\?.*o[0-9a-f]{16}"))
    settle(page)
    assert page.get_by_test_id("stAlert").count() == 0  # the room has found it
