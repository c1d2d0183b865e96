"""A ViT: a picture cut into patches, trained live, and looked into."""

from core.ui import layout

layout.page_header(
    "Patches",
    "A picture cut into squares, and an encoder that reads them like words.",
)

from core.exhibits.patches import attention, cut, hide, rollout, shuffle, similarity, training  # noqa: E402
from core.ui import live  # noqa: E402  (the title stands before torch)
from core.ui.frame import contents, show  # noqa: E402

contents(
    cut.cut,
    training.training,
    attention.attention,
    rollout.rollout,
    similarity.similarity,
    shuffle.shuffle,
    hide.hide,
)

layout.prose(
    "A transformer reads a row of vectors. Words become vectors by looking them up in a table; a picture has no words. "
    "The vision transformer (ViT, 2020) makes some: it cuts the picture into equal squares, **patches**, and treats "
    "each as a word. Nothing in it knows that a picture is flat, or that two patches touch; all of that has to be "
    "learned. Here it reads handwritten digits of 8 × 8 pixels, so small that every number can be seen."
)
show(cut.cut)
layout.section(
    "Learning to read",
    "The ViT learns from digits whose labels it is told. How well it reads is measured on others, held out, which it "
    "never learns from.",
)
show(training.training, every=live.pace(training.NAME))
layout.section(
    "What it looks at",
    "The answer is read from the class token, and the class token knows of the picture only what attention brought it.",
)
show(attention.attention)
show(rollout.rollout)
layout.section(
    "Where things are",
    "Attention itself does not know in which order the patches come. Each place has a vector of its own, which is "
    "added to its patch. It begins as a few random numbers.",
)
show(similarity.similarity)
show(shuffle.shuffle)
layout.section(
    "How much it needs",
    "A picture with holes is still a picture. Which patches can it do without, and is it those it hardly looks at?",
)
show(hide.hide)
