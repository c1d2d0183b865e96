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
    "Queries and keys need not come from the same kind of thing. In a translator the decoder asks a sentence; here it "
    "asks a picture. A ViT without its head turns 16 patches into 16 vectors, and a decoder writes a sentence above "
    "them. Its blocks have two attentions: one for the words it has written, one for the patches."
)
layout.prose(
    "Nobody wrote captions for these digits, so they are made: “a seven, written thin and leaning right.” The name "
    "comes from the label. **Thin** is less than 18 pixels' worth of ink, as a quarter of the digits has; the rest is "
    "**bold**. **Leaning** is a digit if the line that fits its ink best moves 0.2 pixels or more sideways for each "
    "line up, eleven degrees; the rest is **upright**. All of it is measured on the picture itself, so there is one "
    "true caption for each, and there are sixty in all."
)
show(training.training, every=live.pace(training.NAME))
layout.section(
    "Inside",
    "The model below is the one trained above: yours, or the example.",
)
show(look.look)
show(swap.swap)
layout.section(
    "One vector for a whole picture",
    "Lecture notes sort models by what goes in and what comes out: an encoder makes a vector of a sequence (seq2vec), "
    "a decoder a sequence of a vector (vec2seq), both together a sequence of a sequence (seq2seq), and they name image "
    "captioning as vec2seq. The first captioners were: one vector of the picture, then words. A year later they read "
    "all places of the picture by attention. A GPT, which the notes list there too, gets no vector at all, but tokens.",
)
show(vec2seq.vec2seq, every=live.pace(vec2seq.NAME))
