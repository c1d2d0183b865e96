"""The chain rule with a short memory: the probability of a sentence, factor by factor, one row for each order."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import isolate_right_to_left, visible_token
from core.data.tokenizers import known_word_normalization
from core.exhibit import NothingToShow, Result, Table, segmented_control, text_input
from core.models.ngram import NGram, Smoothing
from core.rooms.ngrams.inputs import (
    MAX_ORDER,
    SMOOTHING_NAMES,
    CountedText,
    NGramInputs,
    added_count_input,
    format_perplexity,
    smoothing_input,
)
from core.ui.widgets.mount import to_nested_lists

LABELS = module_labels(__name__)

MAX_TOKENS = 60  # of a sentence
N_LONG_FACTOR = 1_000  # factors of the long product
LONG_ORDER = 2
MAX_SENTENCE = 300  # characters; more would not fit into a row of factors
N_SAMPLE_TOKEN = 5_000  # tokens of a text, enough to suggest words from
STRENGTH, DISCOUNT = 4, 0.75  # the defaults of core.models.ngram.NGram
NEW_SENTENCE, OWN_SENTENCE = "validation", "own"
SENTENCES = {
    "courage": "It takes great courage to let yourself appear weak.",
    "full": "I poured water from the bottle into the cup until it was full. It is the cup.",
    "empty": "I poured water from the bottle into the cup until it was empty. It is the bottle.",
}
NEW_TOKENS = {"char": 30, "word": 12, "bpe": 12}
WRITTEN_ORDERS = (1, 2, 3, 4)  # those whose formula is written out


class Inputs(NGramInputs, prefix="markov_"):
    smoothing: Smoothing = smoothing_input("mle")
    k: float = added_count_input()
    sentence: str = segmented_control((NEW_SENTENCE, *SENTENCES, OWN_SENTENCE), NEW_SENTENCE)
    own: str = text_input(
        "She saw a dog.",
        max_chars=MAX_SENTENCE,
        name="markov_text",
        when=lambda i: i.sentence == OWN_SENTENCE,
    )
    order: int = segmented_control(WRITTEN_ORDERS, 2, when=lambda i: ui.depth_at_least("numbers"))


class SentenceFactors(Result):
    """A sentence of T tokens under O models. Arrays are (O, T); the counts of a factor are those of its own context."""

    p: NDArray[np.float64]  # the factors
    n_context: NDArray[np.int64]  # tokens of the past that each factor uses: n - 1, fewer at the start of the text
    counts: NDArray[np.float64]  # c(h, w)
    totals: NDArray[np.float64]  # c(h)
    types: NDArray[np.float64]  # t(h)
    # p(w | h') of the next lower order, which some smoothings mix in; 1 / V below the unigrams
    lower: NDArray[np.float64]
    product: NDArray[np.float64]  # (O,) p(x_1, ..., x_T)
    log_sum: NDArray[np.float64]  # (O,) sum of the logarithms of the factors, nats; -inf if one of them is 0
    perplexity: NDArray[np.float64]  # (O,) exp(-log_sum / T)


class LongProduct(Result):
    """A long product of probabilities in float64 (about 16 digits; smallest number 5e-324)."""

    product: float
    zero_after: int | None  # number of factors after which the product underflows to 0; None: it doesn't
    log_sum: float  # sum of their logarithms, nats


def factor_sentence(models: Sequence[NGram], ids: Sequence[int]) -> SentenceFactors:
    """Compute every factor of a sentence under every model.

    At the start of the text, with fewer than n - 1 tokens before, the lower order with a context of that length is
    used:
    p(x_1) p(x_2 | x_1) p(x_3 | x_1, x_2) ...

    Args:
        models: fitted, all with the same vocabulary.
        ids: (T,) at least one.
    """
    parts = [_factors(model, np.asarray(ids, dtype=np.int64)) for model in models]
    p, n_context, counts, totals, types, lower = (np.stack(rows) for rows in zip(*parts, strict=True))
    with np.errstate(divide="ignore"):
        log_sum = np.log(p).sum(1)
    return SentenceFactors(
        p=p,
        n_context=n_context,
        counts=counts,
        totals=totals,
        types=types,
        lower=lower,
        product=p.prod(1),
        log_sum=log_sum,
        perplexity=np.exp(-log_sum / len(ids)),
    )


def _factors(model: NGram, ids: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """Return p, context length, counts, totals, types and the lower order's p of one model, each (T,)."""
    n_context = np.minimum(np.arange(len(ids)), model.order - 1)
    lower = np.full(len(ids), 1 / model.vocab_size)
    picked = [np.full(len(ids), np.nan) for _ in range(5)]
    for n, level in enumerate(model.evidence(ids)):
        here = n_context == n
        for array, values in zip(picked, (level.p, level.counts, level.total, level.types, lower), strict=True):
            array[here] = values[here]
        lower = level.p
    p, *rest = picked
    return (p, n_context, *rest)


def multiply_factors(log_probs: NDArray[np.float64]) -> LongProduct | None:
    """Multiply factors, given their logarithms (T,), one by one in float64; None if one of them is 0."""
    if not np.isfinite(log_probs).all():
        return None
    running = np.exp(log_probs).cumprod()
    zeros = np.flatnonzero(running == 0)
    zero_after = int(zeros[0]) + 1 if len(zeros) else None
    return LongProduct(product=float(running[-1]), zero_after=zero_after, log_sum=float(log_probs.sum()))


CODE = (factor_sentence, NGram, multiply_factors)


class SentenceProbability(Result):
    """A sentence under six orders."""

    tokens: tuple[str, ...]  # (T,) the tokens that are shown
    n_token: int  # of the whole sentence
    n_unknown: int  # unknown tokens among those shown
    factors: SentenceFactors  # under the orders 1 to 6
    zero_orders: list[str]  # orders under which a factor is 0
    order: int  # the order whose formula is written out
    long: LongProduct | None  # of the first factors of the validation text; None if one of them is 0
    n_factor: int  # of the long product

    @property
    def formula(self) -> str:
        """The factors of one order: in symbols, and with the sentence's numbers."""
        n, row, factors = len(self.tokens), self.order - 1, self.factors
        p, perplexity = [_format_tex(value) for value in factors.p[row]], factors.perplexity[row]
        product = r" \cdot ".join(p if len(p) < 7 else p[:5]) + (rf" \cdots {p[-1]}" if len(p) > 6 else "")
        total = f"{factors.log_sum[row]:.2f}" if np.isfinite(perplexity) else r"-\infty"
        value, name = _format_tex(factors.product[row]), LABELS["formula.perplexity"]
        told = format_perplexity(perplexity).replace(",", "{,}") if np.isfinite(perplexity) else r"\infty"
        return (
            rf"\begin{{gathered}} {chain_rule_latex(self.order, n)} \\ {product} \\ = {value} \\ "
            rf"\textstyle\sum \ln p = {total}, \qquad \text{{{name}}} = {told} \end{{gathered}}"
        )

    def table(self) -> Table:
        n, factors = len(self.tokens), self.factors
        return {
            LABELS["order_column"]: [
                LABELS("n_gram", order=order) for order in range(1, MAX_ORDER + 1) for _ in range(n)
            ],
            LABELS["position"]: list(range(n)) * MAX_ORDER,
            LABELS["token"]: list(self.tokens) * MAX_ORDER,
            LABELS["n_context"]: factors.n_context.ravel().tolist(),
            "c(h, w)": factors.counts.ravel().tolist(),
            "c(h)": factors.totals.ravel().tolist(),
            LABELS["factor"]: factors.p.ravel().tolist(),
        }


def format_number(value: float) -> str:
    """Format a number of any size: 0.0312, 3.1·10⁻⁸, 0, infinite."""
    if not math.isfinite(value):
        return LABELS["infinite"]
    return f"{value:.3g}" if value == 0 or value >= 1e-3 else ui.format_power_of_ten(value, 2)


def _format_tex(value: float) -> str:
    """Format a probability for a formula."""
    if value == 0 or value >= 1e-3:
        return f"{value:.3g}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{{{digits} \cdot 10^{{{int(power)}}}}}"  # in braces, to prevent a line break


def chain_rule_latex(order: int, n: int) -> str:
    """Return the factors of one order for a sentence of n tokens, starting with those that have a shorter context."""
    whole = rf"p(x_1, \dots, x_{{{n}}})" if n > 1 else "p(x_1)"
    if order == 1:
        return rf"{whole} = \prod_{{t=1}}^{{{n}}} p(x_t)" if n > 1 else f"{whole} = p(x_1)"
    start = []
    for t in range(1, min(order, n) + 1):
        before = ", ".join(f"x_{{{s}}}" for s in range(1, t))
        start.append(rf"p(x_{{{t}}} \mid {before})" if before else "p(x_{1})")
    past = ", ".join(f"x_{{t-{back}}}" for back in range(order - 1, 0, -1))
    rest = rf" \prod_{{t={order + 1}}}^{{{n}}} p(x_t \mid {past})" if n > order else ""
    return f"{whole} = {' '.join(start)}{rest}"


def _validation_sentence(text: CountedText) -> str:
    """Return a piece of the validation text, after its first line break or from its beginning."""
    names = text.names(text.val[:2_000])
    ends = [i for i, name in enumerate(names[:-1]) if "\n" in name and "\n" not in names[i + 1]]
    start = ends[0] + 1 if ends else 0
    return text.tokenizer.decode(text.val[start : start + NEW_TOKENS[text.unit]].tolist())


def compute(inputs: Inputs) -> SentenceProbability:
    """Compute every factor of a sentence under the orders 1 to 6, and of a long text under the bigram model."""
    text, of = inputs.text, (inputs.smoothing, inputs.k)
    is_own = inputs.sentence == OWN_SENTENCE
    own = (
        known_word_normalization.recase_words_to_vocabulary(text.tokenizer, inputs.own).text
        if is_own
        else _validation_sentence(text)
    )
    all_ids = text.tokenizer.encode(SENTENCES.get(inputs.sentence, own))
    ids = all_ids[:MAX_TOKENS]
    if not ids:
        raise NothingToShow(LABELS["no_sentence"])
    log_probs = text.model(LONG_ORDER, *of).log_probs(text.val[:N_LONG_FACTOR]).numpy()
    factors = factor_sentence([text.model(order, *of) for order in range(1, MAX_ORDER + 1)], ids)
    return SentenceProbability(
        tokens=text.names(ids),
        n_token=len(all_ids),
        n_unknown=ids.count(getattr(text.tokenizer, "unknown_id", -1)),
        factors=factors,
        zero_orders=[LABELS("n_gram", order=order) for order, p in enumerate(factors.p, 1) if (p == 0).any()],
        order=inputs.order,
        long=multiply_factors(log_probs),
        n_factor=len(log_probs),
    )


def draw(result: SentenceProbability, inputs: Inputs) -> None:
    """Draw the table of factors, the effect of a zero factor, and the long product."""
    factors, text = result.factors, inputs.text
    if inputs.sentence == OWN_SENTENCE:
        sample = text.tokenizer.decode(text.train[:N_SAMPLE_TOKEN].tolist())
        ui.recase_text_and_warn_unknown(text.tokenizer, "markov_text", inputs.own, "", sample=sample, readers="models")
    products = ", ".join(
        LABELS("product", order=order, product=format_number(p)) for order, p in enumerate(factors.product, 1)
    )
    ui.add_template_values(shown_name=SMOOTHING_NAMES[inputs.smoothing])
    if long := result.long:
        log_sum = f"{long.log_sum:,.1f}".replace("-", "−") + ui.unit_suffix(LABELS["nats"])
        perplexity = format_perplexity(math.exp(-long.log_sum / result.n_factor))
        ui.add_template_values(product=format_number(long.product), log_sum=log_sum, perplexity=perplexity)
    ui.mount_widget(
        "ngram_factors",
        key="markov-factors",
        p=factors.p,
        n_context=factors.n_context,
        tokens=result.tokens,
        rows=[LABELS("n_gram", order=order) for order in range(1, MAX_ORDER + 1)],
        details=[[_detail(result, inputs, row, t) for t in range(len(result.tokens))] for row in range(MAX_ORDER)],
        products=factors.product.tolist(),  # float32 would underflow for products of many factors
        log_sums=to_nested_lists(factors.log_sum),
        perplexities=to_nested_lists(factors.perplexity),
        plain=not ui.depth_at_least("numbers"),
        label=ui.section_text("label"),
        takeaway=ui.section_text("takeaway", products=products),
    )


def _detail(result: SentenceProbability, inputs: Inputs, row: int, t: int) -> str:
    """Describe one factor in a line: p(w | h), its origin, and its value."""
    factors, at = result.factors, (row, t)
    past, p = result.tokens[t - int(factors.n_context[at]) : t], float(factors.p[at])
    plainly = not ui.depth_at_least("numbers")
    return ui.section_text(
        "factor",
        plainly=plainly,
        h=isolate_right_to_left("".join(map(visible_token, past))),
        w=isolate_right_to_left(visible_token(result.tokens[t])),
        count=factors.counts[at],
        total=factors.totals[at],
        types=factors.types[at],
        lower=format_number(factors.lower[at]),
        value=LABELS("one_in", n_possible=1 / p) if plainly and 0 < p < 1e-3 else format_number(p),
        is_highest=len(past) == row,
        V=inputs.text.tokenizer.vocab_size,
        strength=STRENGTH,
        discount=DISCOUNT,
    )
