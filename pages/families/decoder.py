"""The decoder: a GPT learns from any text, by guessing each next token."""

from core.ui.frame import layout

layout.page_header(
    "Decoder",
    "A text is its own teacher: each token is the answer to the ones before it.",
)

from core.rooms.decoder.inputs import Looked  # noqa: E402
from core.rooms.decoder.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A decoder is a stack of blocks in which each position reads what came before it and says what comes next: "
    "**next-token prediction**. **GPT** is one. Here one step of its training is frozen, for you to walk around: what "
    "goes in, what comes out, how wrong it is, and what's done about it. Choose a model, and write your own line."
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["frozen-step"], looked)
show(ROOM["first-loss"])
if looked is not None:
    layout.section(
        "Reading the answer",
        "The blocks pass on rows of numbers. Only at the very end do these become words.",
    )
    show(ROOM["last-row"], looked)
    show(ROOM["lens"], looked)
show(ROOM["lens-film"], every=live.pace("lens"))
show(ROOM["write"])
if looked is not None:
    layout.section(
        "What is done about the loss",
        "The **loss** is one number. Each weight moves a little to make it smaller.",
    )
    show(ROOM["optimizer-step"], looked)
    layout.section("No looking ahead", "All this rests on one promise: no position has seen its answer.")
    show(ROOM["leak-test"], looked)
    show(ROOM["slips"], looked)
