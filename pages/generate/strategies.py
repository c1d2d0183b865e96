"""Strategies: one prompt, one model, up to six ways to choose the next token."""

from core.ui import layout

layout.page_header(
    "Strategies",
    "A model gives probabilities; a strategy makes text of them. One prompt, one model, up to six ways to choose the "
    "next token, side by side.",
)

from core.exhibits.strategies import microscope, nucleus, place, side_by_side, temperature, thousand  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402
from core.ui.looking import look  # noqa: E402
from core.ui.models import WRITERS  # noqa: E402

contents(
    side_by_side.strategies_side_by_side,
    microscope.one_step,
    thousand.thousand_draws,
    temperature.what_temperature_does,
    nucleus.who_crosses,
    nucleus.order_matters,
)
layout.prose(
    "**Greedy** takes the likeliest token, every time. **Softmax** draws: each token comes as often as the model gives "
    "it probability. A **temperature** above 1 makes the draw bolder, one below 1 more careful. **Top-k** first keeps "
    "only the k likeliest tokens, **top-p** the fewest that together have a probability of p. **Beam search** draws "
    "nothing: it follows several texts at once and returns the likeliest that it found."
)
looked = look(most=side_by_side.PROMPT_TOKENS, kinds=WRITERS)
if looked is not None:
    show(side_by_side.strategies_side_by_side, looked)
    layout.section(
        "One position, looked at closely",
        "All that a strategy does, it does to one distribution at a time. Choose the position; what stands below "
        "looks at the token that is predicted there.",
    )
    at = place.choose_place(looked)
    show(microscope.one_step, looked, at)
    show(thousand.thousand_draws, looked, at)
    layout.section(
        "What each knob can and cannot do",
        "Temperature reshapes, filters cut. Both are simple, and both are often told or programmed wrongly.",
    )
    show(temperature.what_temperature_does, looked, at)
    show(nucleus.who_crosses)
    show(nucleus.order_matters, looked, at)
