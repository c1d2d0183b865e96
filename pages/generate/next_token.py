"""Next token: what a model expects at each position of a text, and how a text is written from that."""

from core.ui.frame import layout

layout.page_header(
    "Next token",
    "A language model does one thing, **next-token prediction**: it gives every token in its vocabulary a probability "
    "of coming next. See these probabilities at each position of a text, and how a new text grows out of them.",
)

from core.rooms.next_token import distributions, write  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame.exhibit import show  # noqa: E402

looked = distributions.look_here()
if looked is not None:
    place = distributions.choose_place(looked)
    show(distributions.each_token, looked, place)
    show(distributions.what_comes_next, looked, place)
    layout.section(
        "From probabilities to text",
        "The model never writes. It only gives probabilities. A random number picks one token, which is added to the "
        "text, and the model is asked again.",
    )
    show(write.write, looked)
