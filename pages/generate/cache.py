"""The cache: keys and values that are kept, what that saves, what it costs, and how it goes wrong."""

from core.ui.frame import layout

layout.page_header(
    "The cache",
    "A transformer that writes needn't reread its whole text for each new token. See what it keeps, what that saves "
    "and costs, and how it goes wrong.",
)

from core.rooms.cache.inputs import Looked  # noqa: E402  (the title stands before torch is imported)
from core.rooms.cache.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.prose(
    "A model that writes is asked again and again what comes next, each time with one more token. Under a **causal "
    "mask** no token sees a later one, so nothing that was computed for the earlier tokens changes. Of all their "
    "numbers, later tokens need only the **keys and values**: a key is how attention finds a token, a value what it "
    "brings along. Kept in tables, they are **the cache**. What a token looks for keys with is its **query**."
)
looked = ask(Looked)
if looked is not None:
    show(ROOM["same-words"], looked)
    layout.section("What is kept", "Two tables for each head: here they are, number by number, as the text grows.")
    show(ROOM["tables-that-grow"], looked)
    layout.section("What it costs", "The time saved is paid for with memory, and for long texts memory runs out first.")
    show(ROOM["how-much-memory"], looked)
    layout.section(
        "How it goes wrong",
        "A cache is right only while everything in it is. Here are mistakes that are easy to make, and what they do to "
        "the text.",
    )
    show(ROOM["break-it"], looked)
