"""Home: one sentence through a transformer at once, then the map of the rooms."""

from core.ui import layout

layout.page_header(
    "A transformer you can see through",
    "A small language model runs on this page. Type a sentence and look inside.",
)

from core.exhibits import home  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame import show  # noqa: E402

show(home.sentence_through)
layout.prose(
    "**The promise of this house:** every number on the screen was computed by the model shown, from the code shown, "
    "and can be downloaded. Open “Code” or “Numbers” under any picture and check."
)
layout.section(
    "The rooms",
    "New to all this? Begin with the lessons: they lead through the rooms, one step at a time. Or open any room; each "
    "stands on its own.",
)
home.rooms()
