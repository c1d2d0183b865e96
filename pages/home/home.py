"""Home: one sentence through a transformer at once, then the map of the rooms."""

from core.ui.frame import layout

layout.page_header(
    "A transformer you can see through",
    "A small language model runs on this page. Type a sentence and look inside.",
)

from core.lessons.format import shelf  # noqa: E402  (the title stands before anything heavy is imported)
from core.lessons.page import cards  # noqa: E402  (the title stands before anything heavy is imported)

cards.where_to_begin(list(shelf.lessons().values()))

from core.rooms.home import sentence  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame.exhibit import show  # noqa: E402

show(sentence.sentence_through)
layout.prose(
    "**Our promise:** every number on the screen was computed by the model you see, with the code you can read, and "
    "you can download it. To check, turn up **Depth** in the sidebar: it brings the numbers, the formulas and the code."
)
layout.section(
    "The rooms",
    "New to all this? Start with the lessons: they take you through the rooms, one step at a time. Or open any room "
    "you like.",
)
sentence.cards()
