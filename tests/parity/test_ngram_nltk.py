"""Our n-gram models against NLTK's, on the same text.

NLTK counts the unknown word and the padding signs as members of its vocabulary, so ours gets the same size. Its
trigram Kneser-Ney is left out: its rows sum to as much as 1.14; ours is checked by hand in test_ngram.py.
"""

import math
import random

import pytest
import torch
from nltk.lm import MLE, KneserNeyInterpolated, Laplace, Lidstone, Vocabulary
from nltk.util import everygrams

from core.models.ngram import NGram

WORDS = list("abcdefg")
TEXT = random.Random(0).choices(WORDS, weights=range(1, 8), k=400)
NEW = random.Random(1).choices(WORDS, k=60)
VOCABULARY = sorted(Vocabulary(TEXT))  # the words and <UNK>
IDS = {word: i for i, word in enumerate(VOCABULARY)}


def fitted(theirs, order: int):
    theirs.fit([list(everygrams(TEXT, max_len=order))], vocabulary_text=TEXT)
    assert len(theirs.vocab) == len(VOCABULARY)
    return theirs


def ids(words: list[str]) -> list[int]:
    return [IDS[word] for word in words]


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("make", "smoothing", "options"),
    [(MLE, "mle", {}), (Laplace, "laplace", {}), (lambda n: Lidstone(0.3, n), "lidstone", {"gamma": 0.3})],
)
def test_counting_models_equal_nltk(make, order: int, smoothing: str, options: dict) -> None:
    theirs = fitted(make(order), order)
    ours = NGram(order, len(VOCABULARY), smoothing, **options).fit(ids(TEXT))
    for t in range(order - 1, len(NEW)):
        context = NEW[t - order + 1 : t]
        expected = [theirs.score(word, context) for word in VOCABULARY]
        assert ours.probabilities(ids(context)).tolist() == pytest.approx(expected, abs=1e-12)


def test_perplexity_equals_nltk() -> None:
    theirs = fitted(Laplace(3), 3)
    ours = NGram(3, len(VOCABULARY), "laplace").fit(ids(TEXT))
    trigrams = [tuple(NEW[t - 2 : t + 1]) for t in range(2, len(NEW))]
    mean = ours.log_probs(ids(NEW))[2:].mean()  # NLTK is given full trigrams only
    assert math.exp(-mean) == pytest.approx(theirs.perplexity(trigrams), rel=1e-12)


@pytest.mark.parametrize("discount", [0.1, 0.75])
def test_bigram_kneser_ney_equals_nltk(discount: float) -> None:
    theirs = fitted(KneserNeyInterpolated(2, discount=discount), 2)
    ours = NGram(2, len(VOCABULARY), "kneser_ney", discount=discount).fit(ids(TEXT))
    for word in WORDS:
        expected = [theirs.score(following, [word]) for following in VOCABULARY]
        assert ours.probabilities(ids([word])).tolist() == pytest.approx(expected, abs=1e-12)


def test_logits_are_log_probabilities() -> None:
    ours = NGram(2, len(VOCABULARY), "laplace").fit(ids(TEXT))
    logits = ours(torch.tensor([ids(NEW)]))
    torch.testing.assert_close(logits.logsumexp(-1), torch.zeros(1, len(NEW), dtype=torch.float64), atol=1e-12, rtol=0)
