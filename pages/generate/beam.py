"""Beam search: several texts kept at once, drawn as a tree and held against the truth."""

from core.ui import layout

layout.page_header(
    "Beam search",
    "Greedy search takes the likeliest token and never looks back. Beam search keeps several texts at once, and "
    "chooses at the end.",
)

from core.exhibits.beam import shortlist, tree, truth  # noqa: E402  (the title stands before torch is imported)
from core.ui import live  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402
from core.ui.looking import look  # noqa: E402

contents(tree.tree, truth.truth, shortlist.b_squared)

layout.prose(
    "A text is scored by its *log-probability*: the sum of the logarithms of its tokens' probabilities. No such "
    "logarithm is above 0, so further tokens can only lower the sum: short texts have an advantage. Many programs "
    "therefore divide by a power of the length, and call the exponent the *length penalty*. The name misleads: the "
    "larger it is, the better for long texts. Formulas differ between programs; ours stands below the tree."
)
looked = look(most=tree.MOST_TOKENS)
if looked is not None:
    show(tree.tree, looked)
layout.section(
    "Does it find the best text?",
    "With a real vocabulary nobody can tell: there are more texts than can ever be listed. Here is a language of eight "
    "tokens, and a model that learned it. All that it can write is listed below, so we know what is best, and see who "
    "finds it. Only do not take the likeliest text for the best one to read: what people write is less predictable, "
    "and for a Transformer base that translates, the likeliest text of all was the empty one for more than half of the "
    "sentences (Stahlberg and Byrne, 2019).",
)
show(truth.truth, every=live.pace(truth.NAME))
layout.section(
    "How many candidates does a step need?",
    "Beam search is often described like this: from each of the B texts take the B best next tokens, and of these "
    "B × B candidates keep the B best. Is that the same as the best of all?",
)
show(shortlist.b_squared)
