"""Next token: what a model expects at each position of a text, and how a text is written from that."""

from core.ui import layout

layout.page_header(
    "Next token",
    "A language model does one thing, **next-token prediction**: it gives every token in its vocabulary a probability "
    "of coming next. See these probabilities at each position of a text, and how a new text grows out of them.",
)

from core.exhibits import generation, next_token  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame import show  # noqa: E402
from core.ui.looking import look  # noqa: E402
from core.ui.models import WRITERS  # noqa: E402

looked = look(most=next_token.MOST_TOKENS, kinds=WRITERS)
if looked is not None:
    place = next_token.choose_place(looked)
    show(next_token.each_token, looked, place)
    show(next_token.what_comes_next, looked, place)
    layout.section(
        "From probabilities to text",
        "The model never writes. It only gives probabilities. A random number picks one token, which is added to the "
        "text, and the model is asked again.",
    )
    show(generation.write, looked)
