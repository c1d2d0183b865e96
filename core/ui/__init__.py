"""Everything that says `st.`, and what an exhibit draws with, under one name: `ui.matrix(…)`, `ui.say("verdict")`.

    from core import ui

Each is imported when it is first asked for: an exhibit's module can be read, and its `compute` called, where there is
no Streamlit.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import streamlit as st

    from core.ui import state
    from core.ui.controls import picks
    from core.ui.controls.controls import begin, button, is_hidden, now, put, reset
    from core.ui.exhibit.drawing import above, chart, say, words
    from core.ui.frame.depth import at_least, measured, unit
    from core.ui.frame.layout import color_mode, pair
    from core.ui.frame.slips import slip
    from core.ui.models.about import about
    from core.ui.models.notes import offer_words, show_notes
    from core.ui.models.own_words import read_words, tell_letters, tell_words
    from core.ui.numbers import power_of_ten
    from core.ui.text import escape_markdown, plural, quoted
    from core.ui.widgets import badges
    from core.ui.widgets.badge import Badge
    from core.ui.widgets.film import film
    from core.ui.widgets.parts import Part, Piece, as_part, parts
    from core.ui.widgets.pictures import as_grid, pictures
    from core.ui.widgets.strips import Strip, strips
    from core.ui.widgets.widgets import distribution, head_grid, matrix, scrubber, token_row
    from core.ui.widgets.written_row import mistakes, written_row

_MODULES = {
    "st": "streamlit",
    "state": "core.ui.state",
    "badges": "core.ui.widgets.badges",
    "picks": "core.ui.controls.picks",
}
_FROM = {
    "core.ui.controls.controls": ("begin", "button", "is_hidden", "now", "put", "reset"),
    "core.ui.frame.depth": ("at_least", "measured", "unit"),
    "core.ui.frame.layout": ("color_mode", "pair"),
    "core.ui.exhibit.drawing": ("above", "chart", "say", "words"),
    "core.ui.frame.slips": ("slip",),
    "core.ui.models.about": ("about",),
    "core.ui.models.notes": ("offer_words", "show_notes"),
    "core.ui.models.own_words": ("read_words", "tell_letters", "tell_words"),
    "core.ui.numbers": ("power_of_ten",),
    "core.ui.text": ("escape_markdown", "plural", "quoted"),
    "core.ui.widgets.badge": ("Badge",),
    "core.ui.widgets.film": ("film",),
    "core.ui.widgets.parts": ("Part", "Piece", "as_part", "parts"),
    "core.ui.widgets.pictures": ("as_grid", "pictures"),
    "core.ui.widgets.strips": ("Strip", "strips"),
    "core.ui.widgets.widgets": ("distribution", "head_grid", "matrix", "scrubber", "token_row"),
    "core.ui.widgets.written_row": ("mistakes", "written_row"),
}
_PLACES = {name: module for module, names in _FROM.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _PLACES:
        return getattr(importlib.import_module(_PLACES[name]), name)
    raise AttributeError(f"core.ui has no {name!r}")
