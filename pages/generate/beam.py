"""Beam search: several texts kept at once, drawn as a tree and held against the truth."""

from core.ui.frame import layout

layout.page_header(
    "Beam search",
    "**Greedy search** takes the likeliest token and never looks back. **Beam search** keeps several texts at once and "
    "chooses at the end.",
)

from core.rooms.beam.room import ROOM  # noqa: E402  (the title stands before torch is imported)
from core.rooms.beam.tree import Looked  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A text is scored by its **log-probability**: the logarithms of its tokens' probabilities, added up. None of them "
    "is above 0, so each further token can only lower the sum, and short texts have an advantage. Many programs "
    "therefore divide by a power of the length and call the exponent the **length penalty**. The name misleads: the "
    "larger it is, the better for long texts."
)
depth.note("Programs differ in the formula; ours is below the tree.", "formula")
looked = ask(Looked)
if looked is not None:
    show(ROOM["tree"], looked)
layout.section(
    "Does it find the best text?",
    "With a real vocabulary no one can tell: there are too many texts to list. So here is a language of eight tokens, "
    "and a model that learned it. Everything it can write is ranked below, so we know the best text and see which "
    "search finds it. But likeliest doesn't mean best to read: what people write is less predictable, and a "
    "Transformer base trained to translate found the empty text the likeliest of all for more than half of its "
    "sentences (Stahlberg and Byrne, 2019).",
)
show(ROOM["truth"], every=live.pace("beam-truth"))
layout.section(
    "How many candidates does a step need?",
    "Beam search is often described like this: for each of the B texts, take the B best tokens to come next, and of "
    "these B × B candidates keep the B best. Does that give the B best of all?",
)
show(ROOM["b-squared"])
