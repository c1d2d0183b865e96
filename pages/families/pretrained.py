"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.frame import layout

layout.page_header(
    "Pretrained",
    "Real models, **pretrained** by others on far more text, in the same rooms.",
)

from core.rooms.pretrained.inputs import Looked  # noqa: E402  (the title stands before torch)
from core.rooms.pretrained.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.prose(
    "A trained model is a file of numbers and a few lines that say what they are. Weights are often shared as "
    "**pickle** files (.bin, .pt), and a pickle is a program: opening it runs it. **safetensors** files hold names, "
    "shapes and bare numbers, nothing that could run, so only they are read here."
)
show(ROOM["open-a-model"])
layout.section(
    "The models that are here",
    "What ships with Glassformer, your own runs, and what you've opened. Choose one for its facts and the rooms that "
    "suit its family.",
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["what-it-is"], looked)
    show(ROOM["does-it-work"], looked)
    show(ROOM["what-was-renamed"], looked)
