"""N-grams: count which token follows which, and see how far counting alone goes."""

from core.ui import layout

layout.page_header(
    "N-grams",
    "Count which token follows which. That alone makes a language model: it gives probabilities, writes texts, and "
    "shows what every later model has to do better.",
)

from core.exhibits.ngrams import counts, markov, orders, slips  # noqa: E402  (the title stands before torch)
from core.exhibits.ngrams.choice import choose  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402

contents(counts.counting_pairs, orders.how_far_back, markov.factor_by_factor, slips.slips)

layout.prose(
    "An *n-gram* is n tokens in a row. A model of order n guesses the next token from the n − 1 before it, by "
    "looking up what came next at the places in its training text where the same tokens stood. Nothing is trained: "
    "there are only counts."
)
chosen = choose()
if chosen is not None:
    show(counts.counting_pairs, chosen)
    layout.section(
        "More memory, fewer examples",
        "A longer past tells more about what comes next. But the longer it is, the fewer places there are in any text "
        "where exactly it stood. *Smoothing* decides what to do about what was never seen.",
    )
    show(orders.how_far_back, chosen)
    layout.section(
        "The chain rule with a short memory",
        "The probability of a text is a product: of its first token, of the second given the first, and so on. That is "
        "exact. An n-gram model shortens every condition to the last n − 1 tokens (the *Markov* assumption).",
    )
    show(markov.factor_by_factor, chosen)
    show(slips.slips)
