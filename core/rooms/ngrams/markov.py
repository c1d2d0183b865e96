"""The chain rule with a short memory: the probability of a sentence, factor by factor, one row for each order."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import memoize
from core.models.ngram import NGram
from core.rooms.ngrams import choice
from core.rooms.ngrams.choice import MAX_ORDER, SMOOTHINGS, Chosen, Reading
from core.rooms.ngrams.compute import ngram_chain
from core.rooms.ngrams.compute.ngram_chain import Chain, LongProduct
from core.rooms.ngrams.formatting import factor_in_words, formula, large, size, with_numbers
from core.rooms.ngrams.ngram_factors_widget import MAX_TOKENS, ngram_factors
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import SAMPLE, read_words
from core.ui.text import escape_markdown

if TYPE_CHECKING:
    from core.models.ngram import Smoothing

MAX_CHAINS = 128
MANY = 1_000  # factors of the long product
LONG_ORDER = 2
MAX_SENTENCE = 300  # characters: more would not fit into a row of factors
NEW, OWN = "from the validation text", "your own"
SENTENCES = {
    "great courage": "It takes great courage to let yourself appear weak.",
    "bottle and cup, full": "I poured water from the bottle into the cup until it was full. It is the cup.",
    "bottle and cup, empty": "I poured water from the bottle into the cup until it was empty. It is the bottle.",
}
NEW_TOKENS = {"char": 30, "word": 12, "bpe": 12}


@memoize(MAX_CHAINS)
def chain_of(source: str, cut: str, smoothing: "Smoothing", k: float, text: str) -> Chain:
    """Every factor of a text under the orders 1 to 6."""
    ids = encoded(choice.reading(source, cut), text)
    models = [choice.model(Chosen(source, cut), order, smoothing, k) for order in range(1, MAX_ORDER + 1)]
    return ngram_chain.chain(models, ids)


@memoize(MAX_CHAINS)
def long_product(source: str, cut: str, smoothing: "Smoothing", k: float) -> LongProduct | None:
    """The first 1,000 factors of the validation text under the bigram model; None where one of them is 0."""
    ids = choice.reading(source, cut).val[:MANY]
    log_probs = choice.model(Chosen(source, cut), LONG_ORDER, smoothing, k).log_probs(ids).numpy()
    return ngram_chain.multiply(log_probs) if np.isfinite(log_probs).all() else None


def encoded(read: Reading, text: str) -> list[int]:
    """The tokens of a sentence, as many as are shown."""
    return read.tokenizer.encode(text)[:MAX_TOKENS]


def new_sentence(read: Reading, cut: str) -> str:
    """A piece of the validation text: from its first line end on, or from its beginning."""
    names = read.names(read.val[:2_000])
    ends = [i for i, name in enumerate(names) if "\n" in name and i + 1 < len(names) and "\n" not in names[i + 1]]
    start = ends[0] + 1 if ends else 0
    return read.tokenizer.decode(read.val[start : start + NEW_TOKENS[cut]].tolist())


@exhibit(
    title="A sentence, factor by factor",
    look_for="how much of the past each **factor** sees; a factor is one token's probability. Point at one: what it "
    "doesn't see is struck out. Multiplied, a row's factors are the probability of the whole sentence.",
    try_this=[
        (
            "Point along one column, from order 1 to order 6.",
            "The context grows by one token per row until it reaches the beginning of the text. From there on the rows "
            "are alike: there's no more past to look at.",
        ),
        (
            "Choose no smoothing and the sentence about great courage.",
            "Words missing from the text get probability 0. One factor of 0 is enough: the product is 0, and its "
            "logarithm is minus infinity.",
        ),
        (
            "Keep that sentence and choose a smoothing.",
            "No factor is 0 any more. The sentence is very unlikely, but it can be compared with others again.",
        ),
    ],
    code=(ngram_chain.chain, NGram, ngram_chain.multiply),
    formula=r"p(x_1, \dots, x_N) = \prod_{t=1}^{N} p(x_t \mid x_1, \dots, x_{t-1}) \approx "
    r"\prod_{t=1}^{N} {p(x_t \mid x_{t-n+1}, \dots, x_{t-1})}",  # braces: no line breaks within
)
def factor_by_factor(chosen: Chosen) -> Shown | None:
    """The sentence, the table of factors, the formulas of the lowest orders, and the long product."""
    read = choice.reading(chosen.source, chosen.cut)
    smoothing, k = choice.ask_smoothing("markov", "mle")
    text = _ask_text(read, chosen.cut)
    ids = encoded(read, text)
    if not ids:
        st.info("The sentence is empty. Type at least one letter.")
        return None
    factors = chain_of(chosen.source, chosen.cut, smoothing, k, text)
    tokens = read.names(ids)
    n_token = len(read.tokenizer.encode(text))
    if n_token > len(ids):
        st.caption(f"The sentence has {n_token} tokens; the first {len(ids)} are shown.")
    rows = [f"{order}-gram" for order in range(1, MAX_ORDER + 1)]
    ngram_factors(
        factors.p,
        factors.n_context,
        tokens=tokens,
        rows=rows,
        details=_details(factors, tokens, smoothing, k, read.tokenizer.vocab_size),
        products=factors.product,
        log_sums=factors.log_sum,
        perplexities=factors.perplexity,
        plain=not depth.at_least("numbers"),
        key="markov-factors",
        label=f"Each token's probability, given what the order sees (smoothing: {SMOOTHINGS[smoothing]})",
        takeaway=_takeaway(factors),
    )
    _zeros(factors, tokens, ids, chosen, smoothing)
    if depth.at_least("formula"):
        order = controls.segmented("markov_order", "Formula of the", [1, 2, 3, 4], 2, labels=_ORDER_NAMES)
        st.latex(formula(order, len(ids)))
        st.latex(with_numbers(factors, order))
    depth.note(
        "An n-gram model looks at the n − 1 tokens before (a lecture note's L is n − 1). At the start of the text, "
        "where there are fewer, the lower orders take over; there are no padding tokens."
    )
    if depth.at_least("numbers"):
        _long(long_product(chosen.source, chosen.cut, smoothing, k), smoothing, min(MANY, len(read.val)))
    return Shown(
        numbers=lambda: factors.table(tokens),
        script=lambda: _script(chosen, smoothing, k, text),
        arrays=lambda: {name: getattr(factors, name) for name in ("p", "n_context", "counts", "totals", "types")},
    )


def _script(chosen: Chosen, smoothing: "Smoothing", k: float, text: str) -> str:
    return scripts.script(
        """
        $imports
        from core.rooms.ngrams.compute import ngram_chain
        from core.rooms.ngrams.compute.ngram_tables import names

        $counted
        # A sentence, token by token, under the orders 1 to 6.
        ids = tokenizer.encode($text)[:$most]
        models = [counts.model(order, $smoothing, **$options) for order in range(1, $orders)]
        print_table(ngram_chain.chain(models, ids).table(names(tokenizer, ids)))
        """,
        **choice.in_script(chosen),
        text=text,
        most=MAX_TOKENS,
        smoothing=smoothing,
        options=choice.options(smoothing, k),
        orders=MAX_ORDER + 1,
    )


_ORDER_NAMES = {1: "1-gram (unigram)", 2: "2-gram (bigram)", 3: "3-gram (trigram)", 4: "4-gram"}


def _ask_text(read: Reading, cut: str) -> str:
    which = controls.segmented("markov_sentence", "Sentence", [NEW, *SENTENCES, OWN], NEW)
    if which == OWN:
        text = controls.text_input("markov_text", "Your sentence", "She saw a dog.", max_chars=MAX_SENTENCE)
        sample = read.tokenizer.decode(read.train[:SAMPLE].tolist())
        return read_words(read.tokenizer, "markov_text", text, "", sample=sample, who="These models don't")
    return SENTENCES.get(which) or new_sentence(read, cut)


def _details(factors: Chain, tokens: list[str], smoothing: "Smoothing", k: float, vocab_size: int) -> list[list[str]]:
    return [
        [
            factor_in_words(
                tokens[t - int(factors.n_context[row, t]) : t],
                tokens[t],
                count=float(factors.counts[row, t]),
                total=float(factors.totals[row, t]),
                types=float(factors.types[row, t]),
                lower=float(factors.lower[row, t]),
                p=float(factors.p[row, t]),
                smoothing=smoothing,
                k=k,
                vocab_size=vocab_size,
                is_highest=int(factors.n_context[row, t]) == row,
                plainly=not depth.at_least("numbers"),
            )
            for t in range(len(tokens))
        ]
        for row in range(MAX_ORDER)
    ]


def _takeaway(factors: Chain) -> str:
    told = ", ".join(f"{order}-gram {size(p)}" for order, p in enumerate(factors.product, 1))
    return f"Factors of a sentence of {factors.p.shape[1]} tokens under six orders. Products: {told}."


def _zeros(factors: Chain, tokens: list[str], ids: list[int], chosen: Chosen, smoothing: "Smoothing") -> None:
    """What a factor of 0 does, where there is one, and the tokens that the text does not have."""
    n_zero = (factors.p == 0).sum(1)
    if n_zero.any():
        orders = [f"{order}-gram" for order, n in enumerate(n_zero, 1) if n]
        st.markdown(
            f"**A single factor of 0 makes the whole product 0**, here under the {', '.join(orders)}, however likely "
            "the rest. The remedy is smoothing: give a little to what was never seen, too."
        )
    unknown = getattr(choice.reading(chosen.source, chosen.cut).tokenizer, "unknown_id", None)
    n_unknown = ids.count(unknown) if unknown is not None else 0
    if n_unknown:
        st.caption(
            f"{n_unknown} of the {len(tokens)} tokens "
            + ("is" if n_unknown == 1 else "are")
            + f" not among the {escape_markdown(chosen.plural)} of this text: shown as &lt;unknown&gt;."
        )


def _long(long: LongProduct | None, smoothing: "Smoothing", n_factor: int) -> None:
    """A product of many numbers below 1 is soon too small for a computer; a sum of logarithms is not."""
    if long is None:
        st.markdown(
            f"**Why sums of logarithms?** Choose a smoothing to see. With “{SMOOTHINGS[smoothing]}”, one of the "
            f"first {n_factor:,} factors of the validation text is exactly 0, and so is the product."
        )
        return
    start = (
        f"**Why sums of logarithms?** Multiply the first {long.n_factor:,} factors of the validation text under the "
        f"{LONG_ORDER}-gram model, none of them 0, in float64 (a computer's usual numbers; the smallest is "
        "5·10⁻³²⁴). "
    )
    if long.zero_after is None:
        total = f"the sum of the logarithms is {_sum(long)}{depth.unit('nats')}"
        st.markdown(f"{start}The product is {size(long.product)}; {total}.")
        return
    st.markdown(
        f"{start}After **{long.zero_after}** factors the computer's product is **0**: too small to write down. The "
        f"sum of the logarithms is **{_sum(long)}**{depth.unit('nats')}, so the perplexity can still be computed: "
        f"**{large(np.exp(-long.log_sum / long.n_factor))}**."
    )


def _sum(long: LongProduct) -> str:
    return f"{long.log_sum:,.1f}".replace("-", "−")
