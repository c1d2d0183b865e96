"""Heads at work: small models trained in front of the visitor, on tasks whose answer is known."""

from core.ui import layout

layout.page_header(
    "Heads at work",
    "Small transformers trained in front of you, in seconds, on tasks whose answer is known: what are the mask, the "
    "positions, the second layer, and each head good for?",
)

from core.exhibits.work import explanation, induction, three_switches  # noqa: E402  (the title stands before torch)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(three_switches.three_switches, induction.induction, explanation.explanation)

layout.prose(
    "*I poured water from the bottle into the cup until it was full.* What was full? The cup. Had it been *empty*, it "
    "would be the bottle. One word, near the end, decides what “it” means. A model learns that here from 84 sentences "
    "of this kind, and three others try with one thing changed: with a causal mask, without positions, or with one "
    "layer."
)
show(three_switches.three_switches, every=live.pace(three_switches.NAME))
layout.section(
    "One head writes, another reads",
    "*A B … A*: what comes next? Whoever copies says *B*. The tokens here are random, so copying is all there is to "
    "learn, and these models have no feed-forward part: attention has to do it. It takes two heads, one above the "
    "other.",
)
show(induction.induction, every=live.pace(induction.NAME))
layout.section(
    "Is a map an explanation?",
    "Three models learn what “it” is, alike in everything but the numbers they start from. They end equally good. Do "
    "they look at the same words, and do the heads with the most weight matter most?",
)
show(explanation.explanation, every=live.pace(explanation.NAME))
