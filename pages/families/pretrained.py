"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui.frame import layout

layout.page_header(
    "Pretrained",
    "Real models, **pretrained** by others on far more text, in the same rooms.",
)

from core.rooms.pretrained import check, facts, names, open_one, shelf  # noqa: E402  (the title stands before torch)
from core.rooms.pretrained.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.prose(
    "A trained model is a file of numbers and a few lines that say what they are. Weights are often shared as "
    "**pickle** files (.bin, .pt), and a pickle is a program: opening it runs it. **safetensors** files hold names, "
    "shapes and bare numbers, nothing that could run, so only they are read here."
)
show(open_one.open_a_model)
layout.section(
    "The models that are here",
    "What ships with Glassformer, your own runs, and what you've opened. Choose one for its facts and the rooms that "
    "suit its family.",
)
chosen = shelf.choose()
if chosen is not None:
    show(facts.what_it_is, chosen)
    show(check.does_it_work, chosen)
    show(names.what_was_renamed, chosen)
