"""Numbers of n-grams in words and formulas: where a factor comes from, what is multiplied, sizes far below 1."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.data.printable import isolated, visible
from core.rooms.ngrams.compute.ngram_chain import Chain
from core.ui.numbers import power_of_ten

if TYPE_CHECKING:
    from core.models.ngram import Smoothing

STRENGTH, DISCOUNT = 4, 0.75  # of core.models.ngram.NGram, by default


def size(value: float) -> str:
    """A number of any size: 0.0312, 3.1·10⁻⁸, 0, infinite."""
    if not math.isfinite(value):
        return "infinite"
    if value == 0 or value >= 1e-3:
        return f"{value:.3g}"
    return power_of_ten(value, 2)


def large(value: float) -> str:
    """A perplexity: 5.284, 123.4, 12,345."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def factor_in_words(
    past: Sequence[str],
    token: str,
    *,
    count: float,
    total: float,
    types: float,
    lower: float,
    p: float,
    smoothing: "Smoothing",
    k: float,
    vocab_size: int,
    is_highest: bool,
    plainly: bool = False,
) -> str:
    """One factor as a line: p(w | h), the formula of the smoothing with the counts, and the value.

    Args:
        past: h, the tokens looked at.
        token: w.
        count, total, types: c(h, w), c(h) and t(h).
        lower: p(w | h') of the order below.
        p: the factor.
        k: of "lidstone".
        is_highest: whether h is as long as the model's order allows; below, Kneser-Ney counts different tokens before.
        plainly: for those who want no formula: the counts, and the probability.
    """
    h, w = isolated("".join(visible(one) for one in past)), isolated(visible(token))
    name = f"p({w} | {h})" if past else f"p({w})"
    if plainly:
        return _plainly(h, w, (count, total), p, smoothing, is_occurrences=is_highest or smoothing != "kneser_ney")
    c, n, t, below = f"{count:,.0f}", f"{total:,.0f}", f"{types:,.0f}", size(lower)
    value = size(p)
    never = f"{name}: “{h}” was never seen before a token, "
    below_name = "the order below" if past else "an equal share for every token"
    match smoothing:
        case "mle":
            if total == 0:
                return f"{never}so there is nothing to divide by: {value}"
            return f"{name} = c(h, w) / c(h) = {c} / {n} = {value}"
        case "interpolated":
            if total == 0:
                return f"{never}so the order below decides: {value}"
            return (
                f"{name} = (c(h, w) + {STRENGTH} t(h) p') / (c(h) + {STRENGTH} t(h)) = "
                f"({c} + {STRENGTH} · {t} · {below}) / ({n} + {STRENGTH} · {t}) = {value}, with p' from {below_name}; "
                "t(h): how many different tokens follow h"
            )
        case "kneser_ney":
            if total == 0:
                return f"{never}so the order below decides: {value}"
            counted = "" if is_highest else "; counted here: different tokens before, not occurrences"
            return (
                f"{name} = max(c(h, w) − {DISCOUNT}, 0) / c(h) + {DISCOUNT} t(h) / c(h) · p' = "
                f"max({c} − {DISCOUNT}, 0) / {n} + {DISCOUNT} · {t} / {n} · {below} = {value}, "
                f"with p' from {below_name}; t(h): how many different tokens follow h{counted}"
            )
        case _:
            return (
                f"{name} = (c(h, w) + k) / (c(h) + k V) = ({c} + {k:g}) / ({n} + {k:g} · {vocab_size:,}) = {value}, "
                "with V different tokens in all"
            )


def _plainly(
    h: str, w: str, counted: tuple[float, float], p: float, smoothing: "Smoothing", *, is_occurrences: bool
) -> str:
    chance = f"{p:.3g}" if p == 0 or p >= 1e-3 else f"1 in {1 / p:,.0f}"
    if counted[1] == 0:
        why = {"mle": "there is nothing to divide by", "lidstone": "all tokens are equally likely"}
        return f"“{h}” was never seen before a token, so {why.get(smoothing, 'a shorter past decides')}: {chance}"
    if not is_occurrences:
        return f"with smoothing, the probability of “{w}”{f' after “{h}”' if h else ''} is {chance}"
    count, total = (f"{one:,.0f}" for one in counted)
    said = f"“{w}” comes {count} of {total} times after “{h}”" if h else f"{count} of {total} tokens are “{w}”"
    return f"{said}: {chance}" if smoothing == "mle" else f"{said}; with smoothing, its probability is {chance}"


def formula(order: int, n: int) -> str:
    """The factors of one order as a formula, for a sentence of n tokens: first those that see a shorter past."""
    n_start = min(order, n)
    start = [rf"p(x_{{{t}}}{_given(range(1, t))})" for t in range(1, n_start + 1)]
    if order == 1:
        return rf"p(x_1, \dots, x_{{{n}}}) = \prod_{{t=1}}^{{{n}}} p(x_t)" if n > 1 else "p(x_1) = p(x_1)"
    whole = rf"p(x_1, \dots, x_{{{n}}})" if n > 1 else "p(x_1)"
    past = ", ".join(f"x_{{t-{back}}}" for back in range(order - 1, 0, -1))
    rest = rf" \prod_{{t={order + 1}}}^{{{n}}} p(x_t \mid {past})" if n > order else ""
    return f"{whole} = {' '.join(start)}{rest}"


def _given(places: range) -> str:
    return r" \mid " + ", ".join(f"x_{{{t}}}" for t in places) if places else ""


def with_numbers(factors: Chain, order: int) -> str:
    """The same with the sentence's numbers: the first factors, the product, the sum of logarithms, the perplexity."""
    p = factors.p[order - 1]
    shown = [_tex(value) for value in p[:6]]
    more = rf" \cdots {_tex(p[-1])}" if len(p) > 7 else rf" \cdot {_tex(p[-1])}" if len(p) == 7 else ""
    log_sum = factors.log_sum[order - 1]
    total = f"{log_sum:.2f}" if np.isfinite(log_sum) else r"-\infty"
    perplexity = factors.perplexity[order - 1]
    told = large(perplexity).replace(",", "{,}") if np.isfinite(perplexity) else r"\infty"
    product = r" \cdot ".join(shown) + more
    return (
        rf"{product} = {_tex(factors.product[order - 1])}, \qquad \textstyle\sum \ln p = {total}, "
        rf"\qquad \text{{perplexity}} = {told}"
    )


def _tex(value: float) -> str:
    if value == 0:
        return "0"
    if value >= 1e-3:
        return f"{value:.3g}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{{{digits} \cdot 10^{{{int(power)}}}}}"  # in braces: no line breaks within
