"""BLEU: how many word n-grams of a translation also occur in a reference, and what that misses.

    BLEU = BP · exp(mean of log p_n, n = 1..4)        BP = min(1, exp(1 - r / c))

p_n is the fraction of n-grams that also occur in the reference, each counted at most as often as it occurs there. All
sentences are counted together, not averaged. c is the number of words written, r the number in the references.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

MAX_ORDER = 4

WordSequence = Sequence[str]


@dataclass(frozen=True)
class BleuScore:
    """The BLEU score and its parts."""

    score: float  # between 0 and 1; often given times 100
    matches: tuple[int, ...]  # for n = 1..4, n-grams that also occur in a reference
    totals: tuple[int, ...]  # for n = 1..4, n-grams that were written
    precisions: tuple[float, ...]  # for n = 1..4, matches / totals as used in the mean, after smoothing
    brevity: float  # the brevity penalty BP; 1 if at least as many words were written as the references have
    n_written: int  # n_written, n_reference: the total number of words, c and r
    n_reference: int


def bleu(
    references: Sequence[Sequence[WordSequence]], written: Sequence[WordSequence], *, add_one: bool = False
) -> BleuScore:
    """Compute BLEU-4 of a set of sentences.

    Args:
        add_one: smoothing for few sentences: adds 1 to matches and totals of all n-grams with n > 1 (Lin and Och
            2004). Without it, the score is 0 if no four words in a row are right.

    Raises:
        ValueError: if there is no sentence, or not one non-empty list of references for each sentence.

    Source: Papineni et al. 2002, section 2.3; the length of the closest reference counts, the shorter one on a tie.
    (NLTK's corpus_bleu counts one n-gram for a sentence of fewer than n words, which cannot match; here, as in the
    paper, such a sentence has no n-gram. The two agree if every sentence has at least four words.)
    """
    if not written or len(references) != len(written) or not all(references):
        raise ValueError(f"{len(written)} translations need as many lists of references, not {len(references)}")
    matches, totals = [0] * MAX_ORDER, [0] * MAX_ORDER
    n_reference = 0
    for right, words in zip(references, written, strict=True):
        n_reference += min((len(one) for one in right), key=lambda n: (abs(n - len(words)), n))
        for order in range(1, MAX_ORDER + 1):
            have, allowed = count_ngrams(words, order), Counter[tuple[str, ...]]()
            for one in right:
                allowed |= count_ngrams(one, order)  # the most that any reference has
            matches[order - 1] += (have & allowed).total()
            totals[order - 1] += have.total()
    n_written = sum(map(len, written))
    added = [0, *[int(add_one)] * (MAX_ORDER - 1)]
    precisions = tuple((m + a) / max(1, t + a) for m, t, a in zip(matches, totals, added, strict=True))
    brevity = 1.0 if n_written >= n_reference else math.exp(1 - n_reference / n_written) if n_written else 0.0
    mean = sum(map(math.log, precisions)) / MAX_ORDER if all(precisions) else -math.inf
    score = brevity * math.exp(mean) if matches[0] else 0.0  # without one right word there is nothing to smooth
    return BleuScore(score, tuple(matches), tuple(totals), precisions, brevity, n_written, n_reference)


def count_ngrams(words: WordSequence, order: int) -> Counter[tuple[str, ...]]:
    """Count all n-grams of this order in a sentence."""
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))
