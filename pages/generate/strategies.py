"""Strategies: one text, one model, and several ways to choose the next token."""

from core.rooms.strategies import ROOM

ROOM.header()

from core.rooms.strategies.inputs import PromptInputs, PromptPlace  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()
looked = render_inputs(PromptInputs)
if looked is not None:
    ROOM.show("three-ways", looked)
    ROOM.show_text("intro")
    ROOM.show("strategies-side-by-side", looked)
    at = render_inputs(PromptPlace, looked)
    ROOM.show("thousand-draws", at)
    ROOM.show("what-temperature-does", at)
    ROOM.show("who-crosses")
    ROOM.show("order-matters", at)
