"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.ui import layout

layout.page_header(
    "Encoder",
    "It reads the whole text at once. It learns by filling gaps, and then anything else faster.",
)

from core.exhibits.encoder import (  # noqa: E402  (the title stands before torch)
    class_attention,
    directions,
    entities,
    finetune,
    gaps,
    lab,
    pretrain,
    together,
)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(
    lab.masking_lab,
    pretrain.pretrain,
    gaps.gaps,
    together.together,
    directions.directions,
    finetune.finetune,
    class_attention.class_attention,
    entities.entities,
)

layout.prose(
    "A decoder is asked for the next word. An encoder reads everything, so the next word would be no question: it "
    "stands there. BERT (2018) therefore hides some words of a text and asks which ones they were. No person has to "
    "label anything: the text is its own answer."
)
layout.prose(
    "Of all words, 15 % are chosen. Most of these, 80 %, become the mask token. But in a real text there are no masks: "
    "a model that met nothing else would learn that a word which it can see needs no thought. So 10 % are replaced by "
    "a random word: any word may be wrong, and has to be checked against the others. And 10 % stay as they are, so "
    "that the word which stands there remains the best guess. The model is asked about all three kinds alike, and is "
    "not told which is which."
)
show(lab.masking_lab)
layout.section(
    "Learning from gaps",
    "A BERT of two layers, on the little stories of this house. It begins knowing nothing but the list of words.",
)
show(pretrain.pretrain, every=live.pace(pretrain.NAME))
show(gaps.gaps)
show(together.together)
layout.section(
    "To the right of the gap",
    "Beside the encoder a decoder was trained, with blocks of the same sizes, on the same stories. It reads from left "
    "to right only. What does it miss?",
)
show(directions.directions)
layout.section(
    "Fine-tuning",
    "What was learned from gaps is worth more than gaps: with few labelled examples, a pre-trained encoder learns a "
    "task that the same net from scratch does not.",
)
show(finetune.finetune, every=live.pace(finetune.NAME))
show(class_attention.class_attention)
show(entities.entities, every=live.pace(entities.NAME))
