"""Strategies: one prompt, one model, up to six ways to choose the next token."""

from core.ui.frame import layout

layout.page_header(
    "Strategies",
    "A model gives probabilities; a strategy turns them into text. Compare up to six, side by side, on the same model "
    "and prompt.",
)

from core.rooms.strategies import microscope, nucleus, place, side_by_side, temperature, thousand  # noqa: E402
from core.rooms.strategies.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)
layout.prose(
    "**Greedy** always takes the likeliest token. **Softmax** draws: each token comes up as often as the model's "
    "probability says. A **temperature** above 1 makes the draw bolder, one below 1 more careful. **Top-k** keeps only "
    "the k likeliest tokens, **top-p** the fewest that together have a probability of p. **Beam search** draws "
    "nothing: it follows several texts at once and returns the best it finds."
)
looked = place.look_here()
if looked is not None:
    show(side_by_side.strategies_side_by_side, looked)
    layout.section(
        "One position, up close",
        "A strategy works on one prediction at a time. Choose a position; everything below is about the token "
        "predicted there.",
    )
    at = place.choose_place(looked)
    show(microscope.one_step, looked, at)
    show(thousand.thousand_draws, looked, at)
    layout.section(
        "What each knob can and cannot do",
        "Temperature reshapes, filters cut. Both are simple, and both are often explained or programmed wrongly.",
    )
    show(temperature.what_temperature_does, looked, at)
    show(nucleus.who_crosses)
    show(nucleus.order_matters, looked, at)
