"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.ui import layout

layout.page_header(
    "Encoder",
    "It reads the whole text at once. It learns by filling gaps, and then anything else faster.",
)

from core.exhibits.encoder import (  # noqa: E402  # noqa: E402
    class_attention,
    directions,
    entities,
    finetune,
    gaps,
    lab,
    next_sentence,
    pretrain,
    slips,
    together,
)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(
    lab.masking_lab, pretrain.pretrain, gaps.gaps, together.together, next_sentence.next_sentence, slips.slips,
    directions.directions, finetune.finetune, class_attention.class_attention, entities.entities,
)  # fmt: skip

layout.prose(
    "An encoder reads everything, so “what comes next?” is no question to it. BERT (2018) hides some words and asks "
    "which they were: the text is its own answer. Of all words, 15% are chosen; 80% of these become the mask token. "
    "But real texts have no masks: a model that met nothing else would learn that a word it can see needs no thought. "
    "So 10% are replaced by a random word, and any word may be wrong; and 10% stay, so that the word which stands "
    "there remains the best guess. The model is asked about all three alike, and not told which is which."
)
show(lab.masking_lab)
layout.section(
    "Learning from gaps", "A BERT of two layers, on our own short stories. At first it knows only the words."
)
show(pretrain.pretrain, every=live.pace(pretrain.NAME))
show(gaps.gaps)
show(together.together)
layout.section(
    "BERT's second task", "Do two sentences follow each other? (Here `[CLS]` is `<class>`, `[SEP]` `<sep>`.)"
)
show(next_sentence.next_sentence, every=live.pace(next_sentence.NAME))
show(slips.slips)
layout.section(
    "To the right of the gap",
    "A decoder was trained beside it, with equal blocks, on the same stories. It reads to the left only. What is lost?",
)
show(directions.directions)
layout.section(
    "Fine-tuning",
    "The body stays; a small new layer on top reads its `<class>` vector. It alone learns (body frozen), or all does.",
)
show(finetune.finetune, every=live.pace(finetune.NAME))
show(class_attention.class_attention)
show(entities.entities, every=live.pace(entities.NAME))
