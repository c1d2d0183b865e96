"""The KV cache: stored keys and values, the work that they save, and the memory that they cost."""

from core.rooms.cache import ROOM

ROOM.header()

from core.rooms.cache.inputs import CacheInputs  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.exhibit_input_form import render_inputs  # noqa: E402

ROOM.contents()

looked = render_inputs(CacheInputs)
if looked is not None:
    ROOM.show("tokens-computed", looked)
    ROOM.show("tables-that-grow", looked)
    ROOM.show("same-words", looked)
    ROOM.show("how-much-memory", looked)
