"""The encoder-decoder: one side reads a text, the other writes one."""

from core.ui.frame import layout

layout.page_header(
    "Encoder-decoder",
    "One side reads; the other writes, and asks the first at every word.",
)

from core.rooms.encoder_decoder.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "The transformer of 2017 was made to translate. Its encoder reads the whole source at once, in both directions. "
    "Its decoder writes word by word: in each block it reads what it has written, then asks the encoder. This second "
    "attention, the **cross-attention**, is the bridge between the two. Here a model learns to translate English into "
    "Tamari, an invented language whose grammar is known, so every answer can be checked."
)
show(ROOM["translate"], every=live.pace("translation"))
layout.section(
    "The bridge",
    "One computation in three places: only who asks and who answers differs. The models below are the ones trained "
    "above: yours, or the example.",
)
show(ROOM["roles"])
show(ROOM["maps"])
show(ROOM["swap"])
layout.section(
    "Trained with the truth, used without",
    "In training the decoder reads the true words so far, which is called **teacher forcing**, and so learns all "
    "positions at once.",
)
show(ROOM["forced-or-free"])
show(ROOM["rivals"], every=live.pace("translation-rivals"))
layout.section("Searching and judging", "Which of all possible texts to write, and how good a written one is.")
show(ROOM["beams"])
show(ROOM["bleu-caveats"])
layout.section(
    "One model, many uses",
    "A summary, an answer, names, a verdict: any task that turns one text into another suits the same model.",
)
show(ROOM["applications"], every=live.pace("applications"))
