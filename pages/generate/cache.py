"""The cache: keys and values that are kept, what that saves, what it costs, and how it goes wrong."""

from core.ui.frame import layout

layout.page_header(
    "The cache",
    "A transformer that writes needn't reread its whole text for each new token. See what it keeps, what that saves "
    "and costs, and how it goes wrong.",
)

from core.rooms.cache import inputs, memory, mistakes, same_words, tables  # noqa: E402  (the title stands before torch)
from core.rooms.cache.room import ROOM  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

layout.prose(
    "A model that writes is asked again and again what comes next, each time with one more token. Under a **causal "
    "mask** no token sees a later one, so nothing that was computed for the earlier tokens changes. Of all their "
    "numbers, later tokens need only the **keys and values**: a key is how attention finds a token, a value what it "
    "brings along. Kept in tables, they are **the cache**. What a token looks for keys with is its **query**."
)
looked = inputs.look_here()
if looked is not None:
    show(same_words.same_words, looked)
    layout.section("What is kept", "Two tables for each head: here they are, number by number, as the text grows.")
    show(tables.tables_that_grow, looked)
    layout.section("What it costs", "The time saved is paid for with memory, and for long texts memory runs out first.")
    show(memory.how_much_memory, looked.key)
    layout.section(
        "How it goes wrong",
        "A cache is right only while everything in it is. Here are mistakes that are easy to make, and what they do to "
        "the text.",
    )
    show(mistakes.break_it, looked)
