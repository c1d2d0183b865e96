"""Our n-gram models against NLTK's, on the same text.

NLTK counts the unknown word and the padding signs as members of its vocabulary, so ours gets the same size. Its
Kneser-Ney is right inside of a text, but after padding signs its rows of order 3 sum to as much as 1.14; ours have no
padding, and sum to 1 after every context (test_ngram.py). Its Witten-Bell ends with the bare counts of single words,
ours one step lower, with equal shares; so that formula is checked by hand (test_ngram.py).
"""

import math
import random
from itertools import product

import pytest
import torch
from nltk.lm import MLE, KneserNeyInterpolated, Laplace, Lidstone, Vocabulary
from nltk.lm.preprocessing import padded_everygram_pipeline
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
@pytest.mark.parametrize("order", [2, 3])
def test_kneser_ney_equals_nltk(order: int, discount: float) -> None:
    theirs = fitted(KneserNeyInterpolated(order, discount=discount), order)
    ours = NGram(order, len(VOCABULARY), "kneser_ney", discount=discount).fit(ids(TEXT))
    for context in product(WORDS, repeat=order - 1):
        expected = [theirs.score(following, context) for following in VOCABULARY]
        assert ours.probabilities(ids(list(context))).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("order", [2, 3])
def test_kneser_neys_perplexity_is_infinite_in_nltk_too_where_a_word_never_followed_another(order: int) -> None:
    theirs = fitted(KneserNeyInterpolated(order, discount=0.75), order)
    ours = NGram(order, len(VOCABULARY), "kneser_ney").fit(ids(TEXT))
    for new in (NEW, [*NEW, "<UNK>", *NEW]):
        full = [tuple(new[t : t + order]) for t in range(len(new) - order + 1)]
        mean = ours.log_probs(ids(new))[order - 1 :].mean()  # NLTK is given full n-grams only
        assert math.exp(-mean) == pytest.approx(theirs.perplexity(full), rel=1e-12)
        assert math.isinf(theirs.perplexity(full)) == ("<UNK>" in new)


def test_rows_of_nltk_after_padding_do_not_sum_to_one_and_ours_do() -> None:
    train, vocabulary = padded_everygram_pipeline(3, [TEXT[i : i + 8] for i in range(0, 400, 8)])
    theirs = KneserNeyInterpolated(3, discount=0.75)
    theirs.fit(train, vocabulary)
    assert sum(theirs.score(word, ("<s>", "<s>")) for word in theirs.vocab) > 1.01
    ours = NGram(3, len(VOCABULARY), "kneser_ney", discount=0.75).fit(ids(TEXT))
    for start in ([], ["a"], ["a", "b"]):
        assert ours.probabilities(ids(start)).sum().item() == pytest.approx(1, abs=1e-12)


def test_logits_are_log_probabilities() -> None:
    ours = NGram(2, len(VOCABULARY), "laplace").fit(ids(TEXT))
    logits = ours(torch.tensor([ids(NEW)]))
    torch.testing.assert_close(logits.logsumexp(-1), torch.zeros(1, len(NEW), dtype=torch.float64), atol=1e-12, rtol=0)
