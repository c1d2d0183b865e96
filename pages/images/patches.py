"""A ViT: a picture cut into patches, trained live, and looked into."""

from core.ui.frame import layout

layout.page_header(
    "Patches",
    "A picture cut into squares, and an encoder that reads them like words.",
)

from core.rooms.patches.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A transformer reads a row of vectors. Words get theirs from a table; a picture has no words. The **vision "
    "transformer** (ViT, 2020) makes some: it cuts the picture into equal squares, **patches**, and treats each as a "
    "word. Nothing in it knows that a picture is flat or that two patches touch; it has to learn all that. Here it "
    "reads handwritten digits of 8 × 8 pixels, small enough to show every number."
)
show(ROOM["cut"])
layout.section(
    "Learning to read",
    "The ViT learns from labeled digits. How well it reads is measured on **held-out** ones, which it never learns "
    "from.",
)
show(ROOM["training"], every=live.pace("digits"))
layout.section(
    "What it looks at",
    "The answer is read from the class token, and all it knows of the picture is what attention brings it.",
)
show(ROOM["attention"])
show(ROOM["rollout"])
layout.section(
    "Where things are",
    "Attention on its own doesn't know in which order the patches come. So each position has its own vector, which "
    "is added to its patch. It starts as random numbers.",
)
show(ROOM["similarity"])
show(ROOM["shuffle"])
layout.section(
    "How much it needs",
    "A picture with holes is still a picture. Which patches can the model do without? The ones it hardly looks at?",
)
show(ROOM["hide"])
