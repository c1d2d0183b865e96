"""Recurrent nets: a state that is carried from word to word, its gates, both directions, and how it forgets."""

from core.ui.frame import layout

layout.page_header(
    "Recurrent nets",
    "A net that reads one token at a time and must keep whatever it needs in its state. Open its gates, check a step "
    "by hand, and watch it forget.",
)

from core.rooms.recurrent.inputs import Looked  # noqa: E402  (title first)
from core.rooms.recurrent.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "Before attention, machines read with a **recurrent net**: word by word, left to right, carrying a list of "
    "numbers along, the **state**. At each word, the same weights turn the word and the old state into a new state. "
    "Nothing is looked up again: what the state has lost is gone. Two kinds, the **GRU** and the **LSTM**, have "
    "**gates**, which decide how much of the old state stays."
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["unrolled"], looked)
    layout.section(
        "Two directions",
        "A state knows only what came before. To know what comes after as well, the net reads the sentence a second "
        "time, from its end.",
    )
    show(ROOM["from-both-ends"], looked)
    show(ROOM["padding-trap"], looked)
layout.section(
    "How far back?",
    "A net learns from a word only if its answer still depends on that word. Between the two lies one step per word, "
    "and every step takes its share.",
)
show(ROOM["forgetting-by-distance"])
show(ROOM["remember"], every=live.pace("remember"))
