"""Strategies: one prompt, one model, up to six ways to choose the next token."""

from core.rooms.strategies import ROOM

ROOM.header()

from core.rooms.strategies.inputs import PromptInputs, PromptPlace  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()
looked = ask(PromptInputs)
if looked is not None:
    ROOM.show("strategies-side-by-side", looked)
    ROOM.say("intro")
    at = ask(PromptPlace, looked)
    ROOM.show("thousand-draws", at)
    ROOM.show("what-temperature-does", at)
    ROOM.show("who-crosses")
    ROOM.show("order-matters", at)
