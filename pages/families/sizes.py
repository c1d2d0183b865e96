"""How large a model is: weights, work and memory, from your own to GPT-3."""

from core.ui.frame import layout

layout.page_header(
    "Sizes",
    "Where are all the parameters, and what do they cost? From a model of your own to GPT-3.",
)

from core.rooms.sizes.inputs import Looked  # noqa: E402  (the title stands before torch)
from core.rooms.sizes.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

looked = ask(Looked)
layout.prose(
    "A model is known by one number, how many parameters it has. Two more sizes matter: how often it multiplies for "
    "each token, and how much memory it takes while it learns or writes. All three follow from a handful of settings: "
    "how wide its vectors are, how many layers it has, how many tokens its vocabulary has."
)
depth.note("As letters: the width d_model or D, the layers L, the vocabulary V.", "formula")
if looked is not None:
    show(ROOM["count"], looked)
    show(ROOM["scale"], looked)
show(ROOM["slips"])
layout.section(
    "Does size help?",
    "Papers on **scaling laws** plot the **loss**, how surprised a model is on average by each next token, over the "
    "parameters and find straight lines over many powers of ten. Here is the smallest such study that can still be "
    "wrong: six models, two laws drawn through them, and a seventh model that tests both.",
)
show(ROOM["law"], every=live.pace("scaling"))
