from core.ui.frame.room import Entry, Room

ROOM = Room(
    package=__package__,
    page="pages/generate/cache.py",
    order=4,
    title="The cache",
    icon=":material/memory:",
    card="The same text for far less work, and what happens when it goes wrong.",
    exhibits=(
        Entry("same_words:same_words", bar="inputs:look_here"),
        Entry("tables:tables_that_grow", bar="inputs:look_here"),
        Entry("memory:how_much_memory", bar="inputs:model_here"),
        Entry("mistakes:break_it", bar="inputs:look_here"),
    ),
)
