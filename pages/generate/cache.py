"""The cache: keys and values that are kept, what that saves, what it costs, and how it goes wrong."""

from core.ui import layout

layout.page_header(
    "The cache",
    "Why a transformer that writes need not read everything anew: what it keeps, what that saves, what it costs, and "
    "how it goes wrong.",
)

from core.exhibits.cache import memory, mistakes, room, same_words, tables  # noqa: E402  (the title stands before torch)
from core.ui.frame import contents, show  # noqa: E402

contents(same_words.same_words, tables.tables_that_grow, memory.how_much_memory, mistakes.break_it)

layout.prose(
    "A model that writes is asked again and again: what comes next? Each time the text is one token longer. With a "
    "causal mask no earlier token can see the new one, so nothing that was computed for it changes. Of all those "
    "numbers, later tokens ask only for the **keys**, by which attention finds a token, and the **values**, which it "
    "brings along. Kept in tables, they are the cache."
)
looked = room.look_here()
if looked is not None:
    show(same_words.same_words, looked)
    layout.section("What is kept", "Two tables for each head. Here they are, number by number, while the text grows.")
    show(tables.tables_that_grow, looked)
    layout.section("What it costs", "Time is paid for with memory, and for long texts this is what runs out first.")
    show(memory.how_much_memory, looked.key)
    layout.section(
        "How it goes wrong",
        "A cache is right only as long as everything in it is. Mistakes that are easy to make, and what becomes of the "
        "text.",
    )
    show(mistakes.break_it, looked)
