"""Heads at work: small models trained in front of the visitor, on tasks whose answer is known."""

from core.ui.frame import layout

layout.page_header(
    "Heads at work",
    "Train small transformers in seconds, on tasks whose answer is known. What are the mask, the positions, the second "
    "layer and each head good for?",
)

from core.rooms.heads_at_work.room import ROOM  # noqa: E402  (the title stands before torch)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "*I poured water from the bottle into the cup until it was full.* What was full? The cup. Make that *empty*, and "
    "it's the bottle: one word near the end decides what “it” means. A model learns this from 84 sentences like it, "
    "and three others try with one thing changed: a **causal mask** (no word sees later ones), no positions, or only "
    "one layer."
)
show(ROOM["three-switches"], every=live.pace("three-switches"))
layout.section(
    "One head writes, another reads",
    "*A B … A*: what comes next? Copying says *B*. The tokens here are random, so copying is all there is to learn, "
    "and these models have only attention to do it with. It takes two heads, one above the other: the second is called "
    "an **induction head**.",
)
show(ROOM["induction"], every=live.pace("induction"))
layout.section(
    "Is a map an explanation?",
    "Three models learn what “it” is, starting from different random numbers but otherwise alike, and end equally "
    "good. Do they look at the same words? And do the heads with the most weight matter most?",
)
show(ROOM["explanation"], every=live.pace("explanation"))
