"""Strategies: one prompt, one model, up to six ways to choose the next token."""

from core.ui.frame import layout

layout.page_header(
    "Strategies",
    "A model gives probabilities; a strategy turns them into text. Compare up to six, side by side, on the same model "
    "and prompt.",
)

from core.rooms.strategies.inputs import Looked, Place  # noqa: E402  (the title stands before torch is imported)
from core.rooms.strategies.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)
layout.prose(
    "**Greedy** always takes the likeliest token. **Softmax** draws: each token comes up as often as the model's "
    "probability says. A **temperature** above 1 makes the draw bolder, one below 1 more careful. **Top-k** keeps only "
    "the k likeliest tokens, **top-p** the fewest that together have a probability of p. **Beam search** draws "
    "nothing: it follows several texts at once and returns the best it finds."
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["strategies-side-by-side"], looked)
    layout.section(
        "One position, up close",
        "A strategy works on one prediction at a time. Choose a position; everything below is about the token "
        "predicted there.",
    )
    at = ask(Place, looked)
    show(ROOM["one-step"], at)
    show(ROOM["thousand-draws"], at)
    layout.section(
        "What each knob can and cannot do",
        "Temperature reshapes, filters cut. Both are simple, and both are often explained or programmed wrongly.",
    )
    show(ROOM["what-temperature-does"], at)
    show(ROOM["who-crosses"])
    show(ROOM["order-matters"], at)
