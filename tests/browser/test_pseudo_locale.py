"""Every text of ours on the screen has a key: in the pseudo-locale it is in brackets, and a third longer.

What this catches: a text that is written in code, or put together from pieces, so that no translation could reach it;
and a control, a button or a legend that has no room for a longer language.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.data import corpora
from core.data.localization.locales import PSEUDO_LOCALE
from core.data.synthetic import referents
from core.lessons.format import catalog
from core.models.configs.presets import PRESETS
from core.models.imports.published import PUBLISHED
from core.rooms import rooms
from tests.browser.rooms import ROOT, still, styled
from tests.counts import in_turn

SCRIPT = (Path(__file__).parent / "bare.js").read_text(encoding="utf-8")
PARTS = 16
# What Streamlit writes itself, in English.
STREAMLITS = {
    "Sidebar", "Logo", "Collapse sidebar", "Expand sidebar", "Main menu", "Link to heading", "Fullscreen", "Open",
    "Skip to main content", "Navigate to home page", "Choose an option", "Choose options", "Increment", "Decrement",
    "Show password text", "Drag and drop file here", "Browse files", "Upload", "Zoom in", "Zoom out",
    "Search", "Clear all", "Close fullscreen", "Download as CSV", "Press Enter to apply", "Press ⌘+Enter to apply",
    "Press Ctrl+Enter to apply", "Help", "Copy to clipboard", "Pan", "Zoom",
    "Autoscale", "Reset axes", "progress", "Choose date", "file upload",
}  # fmt: skip
STREAMLITS_BEGIN = (
    *("Help for", "Show data", "Download as PNG", "Copy Vega-Lite spec", "Fullscreen", "Tabs", "Show/hide"),
    *("Download plot", "visualization", "Selected Date:", "Selected Time:", "1MB per file"),
    *("year,", "month,", "day,", "hour,", "minute,"),
)
# Data that can carry no mark: what a choice, an axis or a text of Markdown names.
WORDS = [*dict.fromkeys(re.findall(r"[A-Za-z]{3,}", f"{corpora.load('stories').text} {' '.join(referents.WORDS)}"))]
DATA = {
    *("noitnetta", "✓ sea", "in the drawer .", "it is in the drawer .", "True", "False", "None", "gpt"),
    *("learned", "layer", "gelu"),
    *("Llama 2 70B", "Mixtral 8x7B", "Kimi K2", *(preset.title for preset in PRESETS.values())),
    *(text for family in PUBLISHED for text in (f"{family.title},", family.such_as)),
}
DATA_BEGIN = ("A small dog lived near the river", "paris person ate soup", "Digit seven:")
QUOTED_OR_TENSOR = re.compile(r"“[^”]*”|[\w*\u200b]+(\.[\w*\u200b]+)+")
SLUG = "masks"


@pytest.fixture(scope="module")
def pseudo(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py", GLASSFORMER_LOCALE=PSEUDO_LOCALE)


def bare_texts(page: Any) -> list[str]:
    """Return "kind, element: text" of each text on the screen that is in no brackets."""
    styled(page)
    still(page)
    page.evaluate(f"{SCRIPT};0")
    return [
        f"{kind}, {where}: {text}"
        for kind, where, text in page.evaluate("words => window.bare(words)", WORDS)
        if (said := text.strip(" :")) not in STREAMLITS | DATA
        and not said.startswith(STREAMLITS_BEGIN + DATA_BEGIN)
        and not QUOTED_OR_TENSOR.fullmatch(said)
    ]


@pytest.mark.parametrize("address", in_turn(["", *(room.address for room in rooms() if room.address != "home")], PARTS))
def test_a_room_has_no_text_without_a_key(pseudo: str, open_page: Callable[..., Any], address: str) -> None:
    page = open_page(f"{pseudo}/{address}?open=all&depth=code", width=1440)
    assert not bare_texts(page)
    assert not page.evaluate("window.cutOff()")


def test_a_lesson_has_no_text_without_a_key(pseudo: str, open_page: Callable[..., Any]) -> None:
    assert SLUG in catalog.catalog_lessons()
    page = open_page(f"{pseudo}/lessons?lesson={SLUG}&depth=code", width=1440)
    assert not bare_texts(page)
    assert not page.evaluate("window.cutOff()")
