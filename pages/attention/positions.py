"""Positions: why attention must be told the order of the words, and the ways to tell it."""

from core.ui.frame import layout

layout.page_header(
    "Positions",
    "On its own, attention doesn't know the order of the words. Here are the ways to tell it, with proofs on screen.",
)

from core.rooms.positions.inputs import Sentence  # noqa: E402  (the title first)
from core.rooms.positions.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.section(
    "What is all this for?",
    "Take a sentence, shuffle its words, and compare what comes out.",
)
sentence = ask(Sentence)
show(ROOM["shuffle-words"], sentence)
show(ROOM["causal-order"], sentence)
layout.section(
    "Sines and cosines: a position as the time of day",
    "The transformer of 2017 adds to each word a vector that says where it is, its **positional encoding** (PE). "
    "These **sinusoidal positions** work like clocks.",
)
show(ROOM["clock-hands"])
show(ROOM["one-rotation"])
layout.section(
    "Slips in the notes",
    "The formula is short and easily copied wrong. Here the slip of a lecture note runs beside the right code.",
)
show(ROOM["lecture-code"])
show(ROOM["position-zero"])
show(ROOM["slips"])
layout.section(
    "Other ways",
    "**Learned positions** are a table with one trained vector for each position. Other ways change how attention "
    "compares words: they turn its **queries and keys** (what a word looks for, what it offers) by their positions, "
    "or lower the **scores** (how well the two fit) of distant words.",
)
show(ROOM["learned-positions"])
show(ROOM["rotary-pair"])
show(ROOM["alibi-slopes-shown"])
show(ROOM["t5-buckets"])
layout.section(
    "The contest",
    "Which way is best? That depends on the task and, above all, on how long the text is. Six small models find out.",
)
show(ROOM["contest"], every=live.pace("contest"))
