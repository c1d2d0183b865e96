"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.ui.frame import layout

layout.page_header(
    "Encoder",
    "It reads the whole text at once, learns by filling gaps, and then learns anything else faster.",
)

from core.rooms.encoder.room import ROOM  # noqa: E402  (the title first)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "An encoder reads the whole text, so “What comes next?” is no question for it: it can see the answer. **BERT** "
    "(2018) hides some words instead and guesses them from the rest. It chooses 15%. Of these, 80% become a blank, the "
    "**mask token**. But real texts have no blanks: a model that met only those would learn that a word it can see "
    "needs no thought. So 10% become a random word, and any word may be wrong; and 10% stay, so the word on the page "
    "remains the best guess. The model has to predict all three kinds, and isn't told which is which."
)
show(ROOM["masking-lab"])
layout.section(
    "Learning from gaps", "A BERT of two layers reads our own short stories. At first it knows only the words."
)
show(ROOM["pretrain"], every=live.pace("masked"))
show(ROOM["gaps"])
show(ROOM["together"])
layout.section("BERT's second task", "Do two sentences follow each other?")
show(ROOM["next-sentence"], every=live.pace("next-sentence"))
show(ROOM["slips"])
layout.section(
    "To the right of the gap",
    "A decoder with equal blocks learned from the same stories, but it reads only to the left. What does it miss?",
)
show(ROOM["directions"])
layout.section(
    "Fine-tuning",
    "Training a finished model further, for a task, is **fine-tuning**. The body stays; a small new layer on top reads "
    "the vector of `<class>`. Either only that layer learns (“body frozen”), or everything does (“all free”).",
)
show(ROOM["finetune"], every=live.pace("finetune"))
show(ROOM["class-attention"])
show(ROOM["entities"], every=live.pace("entities"))
