"""N-grams: count which token follows which, and see how far counting alone goes."""

from core.ui.frame import layout

layout.page_header(
    "N-grams",
    "Count which token follows which. That's already a language model: it predicts, it writes, and it sets the bar for "
    "every later model.",
)

from core.rooms.ngrams.inputs import Looked  # noqa: E402  (the title stands before torch)
from core.rooms.ngrams.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.prose(
    "An **n-gram** is n tokens in a row. A model of **order** 3 predicts the third of three tokens from the two before "
    "it, by looking up what followed wherever those two occur in its training text. Nothing is trained. There are "
    "only counts."
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["counting-pairs"], looked)
    layout.section(
        "More memory, fewer examples",
        "A longer past tells more about what comes next. But the longer it is, the less often exactly that past occurs "
        "in any text. **Smoothing** decides what to do about what was never seen.",
    )
    show(ROOM["how-far-back"], looked)
    layout.section(
        "The chain rule with a short memory",
        "The **chain rule**: the probability of a text is that of its first token, times that of the second given the "
        "first, and so on. That's exact. An n-gram model looks back only a few tokens each time (the **Markov "
        "assumption**).",
    )
    show(ROOM["factor-by-factor"], looked)
    show(ROOM["slips"])
