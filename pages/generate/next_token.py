"""Next token: a model's predictions at each position of a text, and how it writes a text from them."""

from core.rooms.next_token import ROOM

ROOM.header()

from core.rooms.next_token.inputs import Looked, Place  # noqa: E402  (the title is drawn before torch is imported)
from core.ui.exhibit.ask import ask  # noqa: E402

ROOM.contents()
looked = ask(Looked)
if looked is not None:
    ROOM.show("write", looked)
    place = ask(Place, looked)
    ROOM.show("what-comes-next", place)
    ROOM.show("each-token", place)
