"""ImageGPT: pixels as tokens, a palette, completions, and what it learned on the way."""

from core.ui.frame import layout

layout.page_header(
    "Pixels",
    "A picture as one long sentence of colors, written pixel by pixel.",
)

from core.rooms.pixels import complete, orders, probe, quadratic, quantise, training  # noqa: E402
from core.rooms.pixels.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A decoder continues a row of tokens, and it doesn't ask what they stand for. **ImageGPT** (2020) is built like "
    "**GPT-2**, a transformer that continues texts, but its tokens are pixels, read row by row from the top left "
    "corner. Nothing tells it that the pixel below is as near as the one beside it. Three questions come first: what "
    "is a picture's vocabulary, in which order is it read, and how long may it be?"
)
show(quantise.quantise)
layout.section(
    "Writing digits",
    "A photograph of 32 × 32 pixels is a long text for a model that learns while you watch. A digit of 8 × 8 in a "
    "few levels of gray has 64 tokens, and the model is the same: a decoder, a start token, and always the next "
    "pixel to predict.",
)
show(training.training, every=live.pace(training.NAME))
show(complete.complete)
show(orders.orders)
layout.section(
    "What it costs, and what it is good for",
    "Two questions are left: why the pictures stay so small, and what the model knows besides the next pixel.",
)
show(quadratic.quadratic)
show(probe.probe)
