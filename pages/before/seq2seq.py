"""Sequence to sequence: an encoder reads, a decoder writes, and attention looks back."""

from core.ui.frame import layout

layout.page_header(
    "Sequence to sequence",
    "One net reads, another writes. What passes between them?",
)

from core.rooms.seq2seq.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "**Sequence to sequence** means one text in, another out, as in translation. The **encoder** reads, the "
    "**decoder** writes. In the first recurrent translators a single vector passed between them, the encoder's state "
    "after the last word: the **bottleneck**. In 2014 Bahdanau, Cho and Bengio let the decoder look back at the states "
    "after every word, anew for each word it writes. Today's attention grew out of that."
)
show(ROOM["bottleneck"], every=live.pace("bottleneck"))
layout.section(
    "A translation that can be checked",
    "Writing strings backwards takes every letter and no knowledge. Dates are closer to language: twelve ways to "
    "write one day, names and numbers, and one right answer.",
)
show(ROOM["dates"], every=live.pace("dates"))
layout.section(
    "Inside the attention",
    "The models below are the ones trained above: yours, or the examples.",
)
show(ROOM["alignment"])
show(ROOM["override"])
layout.section(
    "Reading the truth, or its own words",
    "In training the decoder reads the true token before each one, whatever it wrote: **teacher forcing**. All "
    "positions can then be scored at once, and a mistake costs one token. In use, there's no truth to read.",
)
show(ROOM["forcing"])
