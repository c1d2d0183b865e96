"""The ledger."""

from core.ui import layout

layout.page_header(
    "The ledger",
    "One sentence, token by token: which loss does each token bring a counter, a recurrent net and a transformer?",
)

from core.exhibits.ledger import budget, ledger  # noqa: E402  (the title stands before torch)
from core.ui.frame import contents, show  # noqa: E402

contents(ledger.ledger, budget.when_ngram_wins)

layout.prose(
    "A language model gives every token a probability p, given the tokens before it. Multiplied, they are the "
    "probability of the sentence. The loss of a token is −ln p, in nats: nothing if it was certain, more the less it "
    "was expected; and losses add up. So models of every kind can be entered in one ledger: tables of counts "
    "(n-grams), a recurrent net (GRU) and a small transformer (GPT), all learned from the same text."
)
show(ledger.ledger, every=ledger.pace())
layout.section(
    "Is newer better?",
    "Counting takes a fraction of a second, and a net learns for as long as you let it. Which one is ahead depends on "
    "how much text there is, how long the training is, and how far back the text refers.",
)
show(budget.when_ngram_wins, every=budget.pace())
