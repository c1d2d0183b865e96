"""Next token: what a model expects at each position of a text, and how a text is written from that."""

from core.ui.frame import layout

layout.page_header(
    "Next token",
    "A language model does one thing, **next-token prediction**: it gives every token in its vocabulary a probability "
    "of coming next. See these probabilities at each position of a text, and how a new text grows out of them.",
)

from core.rooms.next_token.inputs import Looked, Place  # noqa: E402  (the title stands before torch is imported)
from core.rooms.next_token.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

looked = ask(Looked)
if looked is not None:
    place = ask(Place, looked)
    show(ROOM["each-token"], place)
    show(ROOM["what-comes-next"], place)
    layout.section(
        "From probabilities to text",
        "The model never writes. It only gives probabilities. A random number picks one token, which is added to the "
        "text, and the model is asked again.",
    )
    show(ROOM["write"], looked)
