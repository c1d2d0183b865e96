"""BLEU: how many of the word groups of a translation also stand in a reference, and what that does not see.

    BLEU = BP · exp(mean of log p_n, n = 1..4)        BP = min(1, exp(1 - r / c))

p_n is the share of groups of n words that also stand in the reference, each counted at most as often as there; all
sentences are counted together, not averaged. c words were written, r are in the references.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MAX_ORDER = 4

Words = Sequence[str]


@dataclass(frozen=True)
class Bleu:
    """The score and what it is made of."""

    score: float  # between 0 and 1; often told times 100
    matches: tuple[int, ...]  # for n = 1..4, groups of n words that also stand in a reference
    totals: tuple[int, ...]  # for n = 1..4, groups of n words that were written
    precisions: tuple[float, ...]  # for n = 1..4, their quotient as it went into the mean, after smoothing
    brevity: float  # the brevity penalty BP, 1 if no fewer words were written than the references have
    n_written: int  # n_written, n_reference: words in all; c and r
    n_reference: int


def bleu(references: Sequence[Sequence[Words]], written: Sequence[Words], *, add_one: bool = False) -> Bleu:
    """BLEU-4 of a whole set of sentences.

    Args:
        add_one: smoothing for few sentences: 1 is added to matches and totals from pairs of words on (Lin and Och
            2004). Without it, a set that has no four words in a row right gets 0.

    Raises:
        ValueError: if there is no sentence, as many references as sentences are not there, or one has none.

    Source: Papineni et al. 2002, section 2.3; the length of the closest reference counts, the shorter one on a tie.
    (NLTK's corpus_bleu gives a sentence of fewer than n words one group of n words, which cannot match; here, as in the
    paper, it has none. Where every sentence has four words the two agree.)
    """
    if not written or len(references) != len(written) or not all(references):
        raise ValueError(f"{len(written)} translations need as many lists of references, not {len(references)}")
    matches, totals = [0] * MAX_ORDER, [0] * MAX_ORDER
    n_reference = 0
    for right, words in zip(references, written, strict=True):
        n_reference += min((len(one) for one in right), key=lambda n: (abs(n - len(words)), n))
        for order in range(1, MAX_ORDER + 1):
            have, allowed = groups(words, order), Counter[tuple[str, ...]]()
            for one in right:
                allowed |= groups(one, order)  # the most that any reference has
            matches[order - 1] += (have & allowed).total()
            totals[order - 1] += have.total()
    n_written = sum(map(len, written))
    added = [0, *[int(add_one)] * (MAX_ORDER - 1)]
    precisions = tuple((m + a) / max(1, t + a) for m, t, a in zip(matches, totals, added, strict=True))
    brevity = 1.0 if n_written >= n_reference else math.exp(1 - n_reference / n_written) if n_written else 0.0
    mean = sum(map(math.log, precisions)) / MAX_ORDER if all(precisions) else -math.inf
    score = brevity * math.exp(mean) if matches[0] else 0.0  # without one right word there is nothing to smooth
    return Bleu(score, tuple(matches), tuple(totals), precisions, brevity, n_written, n_reference)


def groups(words: Words, order: int) -> Counter[tuple[str, ...]]:
    """All groups of so many words in a row, and how often each stands there."""
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))
