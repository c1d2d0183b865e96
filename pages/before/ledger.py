"""The ledger."""

from core.ui.frame import layout

layout.page_header(
    "The ledger",
    "One sentence, token by token: how well do a table of counts, a recurrent net and a transformer predict each one?",
)

from core.rooms.ledger.room import ROOM  # noqa: E402  (the title stands before torch)
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)

layout.prose(
    "A language model gives every token a probability, given the tokens before it. Multiplied, they are the "
    "probability of the sentence. The **loss** of a token is how surprised the model was: nothing if it "
    "was certain, more the less it expected it; and losses add up. So one ledger holds models of every kind, all "
    "learned from the same text: tables of counts (**n-grams**, which look at the last few tokens), a **recurrent "
    "net** (a **GRU**, which carries a state from token to token) and a small transformer (a **GPT**)."
)
depth.note("The loss of a token of probability p is −ln p, in nats.")
show(ROOM["ledger"], every=live.pace("ledger", "ledger-topics"))
layout.section(
    "Is newer better?",
    "Counting takes a fraction of a second; a net learns for as long as you let it. Which is ahead depends on how much "
    "text there is, how long the training lasts, and how far back the text refers.",
)
show(ROOM["when-ngram-wins"], every=live.pace("budget", "budget-stories"))
