"""Captions: a decoder that reads a picture by cross-attention."""

from core.ui.frame import layout

layout.page_header(
    "Captions",
    "An encoder reads a digit; a decoder says what it sees, word by word.",
)

from core.rooms.captions.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A caption is a sentence about a picture, and one model can write it. Its first half, an encoder, turns the 16 "
    "patches of a digit into 16 vectors. Its second half, a decoder, writes the sentence word by word, and each of "
    "its blocks looks twice: back at the words it has written (**self-attention**), and across at the patches "
    "(**cross-attention**). In the second look the words ask, with **queries**, and the picture supplies the **keys "
    "and values**: the queries are compared with the keys, and the values are handed over."
)
layout.prose(
    "Nobody wrote captions for these digits, so they are made: “a seven, written thin and leaning right.” The "
    "digit's name comes from its label; the rest is measured on the picture. **Thin** is less than 18 pixels' worth "
    "of ink, as in a quarter of the digits; the others are **bold**. A digit is **leaning** if the line that best "
    "fits its ink moves 0.2 pixels (eleven degrees) or more sideways for each line up; the others are **upright**. "
    "So each picture has one true caption, and there are sixty different ones."
)
show(ROOM["training"], every=live.pace("captions"))
layout.section(
    "Inside",
    "These look into the model trained above: yours, or the example.",
)
show(ROOM["look"])
show(ROOM["swap"])
layout.section(
    "One vector for a whole picture",
    "A lecture note sorts models by what goes in and what comes out: an encoder makes one vector of a sequence "
    "(seq2vec), a decoder a sequence of one vector (vec2seq), both together a sequence of a sequence (**seq2seq**). "
    "It calls image captioning vec2seq, and the first captioners were just that: one vector of the picture, then "
    "words. Three months later a captioner read all positions of the picture by attention. The note also lists "
    "**GPT**, a decoder that continues texts, as vec2seq, but a GPT gets no vector at all, only tokens.",
)
show(ROOM["vec2seq"], every=live.pace("captions-class"))
