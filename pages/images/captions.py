"""Captions: a decoder that reads a picture by cross-attention."""

from core.ui import layout

layout.page_header(
    "Captions",
    "An encoder reads a digit, a decoder says what it sees, word by word.",
)

from core.exhibits.captions import look, swap, training, vec2seq  # noqa: E402  (the title stands before torch)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(training.training, look.look, swap.swap, vec2seq.vec2seq)

layout.prose(
    "A caption is a sentence about a picture, and one model can write it. Its first half, an encoder, turns the 16 "
    "patches of a digit into 16 vectors. Its second half, a decoder, writes the sentence word by word, and each of its "
    "blocks looks twice: back at the words it has written, and across at the patches. The second look is "
    "**cross-attention**: the queries come from the words, the keys and values from the picture."
)
layout.prose(
    "Nobody wrote captions for these digits, so they are made: “a seven, written thin and leaning right.” The digit's "
    "name comes from its label, the rest is measured on the picture. **Thin** is less than 18 pixels' worth of ink, as "
    "in a quarter of the digits; the others are **bold**. A digit is **leaning** if the line that fits its ink best "
    "moves 0.2 pixels or more sideways for each line up, eleven degrees; the others are **upright**. So there is one "
    "true caption for each picture, and there are sixty different ones."
)
show(training.training, every=live.pace(training.NAME))
layout.section(
    "Inside",
    "What follows looks into the model that was trained above: yours, or the example.",
)
show(look.look)
show(swap.swap)
layout.section(
    "One vector for a whole picture",
    "A lecture note sorts models by what goes in and what comes out: an encoder makes one vector of a sequence "
    "(seq2vec), a decoder a sequence of one vector (vec2seq), both together a sequence of a sequence (seq2seq). It "
    "names image captioning as vec2seq, and the first captioners were just that: one vector of the picture, then "
    "words. Three months later a captioner read all places of the picture by attention. The note lists GPT as "
    "vec2seq, too, but a GPT gets no vector at all, only tokens.",
)
show(vec2seq.vec2seq, every=live.pace(vec2seq.NAME))
