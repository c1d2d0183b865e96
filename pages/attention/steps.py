"""Attention, step by step: a soft dictionary, then one whole layer whose every cell explains itself."""

from core.ui.frame import layout

layout.page_header(
    "Attention, step by step",
    "From query to output: every matrix of one attention layer, small enough to check by hand, with the arithmetic "
    "behind every cell.",
)

from core.rooms.step_by_step.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.section(
    "The idea: look up, but softly",
    "A dictionary stores **keys and values**: you ask with a **query** and get the value whose key fits. Attention "
    "does the same, except that every entry answers a little: the better its key fits, the more.",
)
show(ROOM["soft-look-up"])
layout.section(
    "One layer, small enough to check",
    "Now every word asks, and every word is an entry. Step through the layer, point at any cell to see where it comes "
    "from, and set any number yourself: everything after it follows.",
)
show(ROOM["whole-walk"])
layout.section(
    "Divided by a root",
    "Vectors of many numbers have large dot products, and large scores make the **softmax**, which turns scores "
    "into shares, choose one word and forget the others. One division keeps it soft.",
)
show(ROOM["why-the-root"])
show(ROOM["where-the-root-stands"])
layout.section(
    "Many heads, and what they cost",
    "Several small attentions, the **heads**, work side by side. Each **projects** a word's whole row of numbers "
    "(multiplies it by a learned matrix), not a slice of it. And what does a layer cost as the text gets longer?",
)
show(ROOM["many-heads"])
show(ROOM["cost"])
layout.section(
    "Slips in the notes",
    "What lecture notes get wrong, run as written, beside the right version.",
)
show(ROOM["slips"])
