"""ImageGPT: pixels as tokens, a palette, completions, and what it learned on the way."""

from core.rooms.pixels.room import ROOM
from core.ui.exhibit.prose import header, prose

header(ROOM)

from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)
prose(ROOM, "story")
show(ROOM["quantise"])
prose(ROOM, "Writing digits")
show(ROOM["training"], every=live.pace("pixels"))
show(ROOM["complete"])
show(ROOM["orders"])
prose(ROOM, "What it costs, and what it is good for")
show(ROOM["quadratic"])
show(ROOM["probe"])
