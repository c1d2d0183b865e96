"""BLEU against NLTK and by hand; and what it does not see."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.bleu import bleu
from core.rooms.encoder_decoder.compute.bleu_blind import FINE, WRONG, changes

words = st.lists(st.sampled_from("abcd"), min_size=4, max_size=9)
corpus = st.lists(st.tuples(st.lists(words, min_size=1, max_size=3), words), min_size=1, max_size=5)


@given(corpus)
@pytest.mark.filterwarnings("ignore::UserWarning")  # NLTK's, where no four words are right
def test_it_is_nltks(pairs: list[tuple[list[list[str]], list[str]]]) -> None:
    references, written = [one for one, _ in pairs], [one for _, one in pairs]
    found = bleu(references, written)
    assert found.score == pytest.approx(corpus_bleu(references, written), abs=1e-12)
    smoothed = corpus_bleu(references, written, smoothing_function=SmoothingFunction().method2)
    assert bleu(references, written, add_one=True).score == pytest.approx(smoothed, abs=1e-12)
    assert 0 <= found.score <= 1 and found.brevity <= 1


def test_by_hand() -> None:
    found = bleu([[["the", "cat", "sat", "on", "the", "mat"]]], [["the", "the", "the", "cat", "sat", "on"]])
    assert found.matches == (5, 3, 2, 1) and found.totals == (6, 5, 4, 3)  # "the" counts twice, as in the reference
    assert found.score == pytest.approx((5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25, rel=1e-12) and found.brevity == 1
    short = bleu([[["a", "b", "c", "d", "e", "f"]]], [["a", "b", "c", "d"]])
    assert short.score == short.brevity == pytest.approx(math.exp(1 - 6 / 4))
    assert bleu([[["a", "b"]]], [["a", "b"]]).score == 0  # no four words in a row
    assert bleu([[["a", "b"]]], [["a", "b"]], add_one=True).score == 1
    assert bleu([[["a", "b", "c", "d"]]], [[]]).score == 0 == bleu([[["a"]]], [["b"]], add_one=True).score


@pytest.mark.parametrize(("references", "written"), [([], []), ([[["a"]]], []), ([[]], [["a"]])])
def test_what_cannot_be_counted(references: list[list[list[str]]], written: list[list[str]]) -> None:
    with pytest.raises(ValueError, match="translations"):
        bleu(references, written)


def test_changes_are_what_they_are_called() -> None:
    sentences = list(islice(languages.sentences(np.random.default_rng(5)), 60))
    for one in sentences:
        for name, rewrite in WRONG.items():
            right, changed = rewrite(one) or ("", "x")
            meaning = languages.to_english(changed)
            assert changed != right and meaning != one.english(), name
            # Two of them leave a right sentence that says something else, two of them none at all.
            if changed != "x":
                assert (meaning is None) == ("ending" in name or "gender" in name)
        for name, rewrite in FINE.items():
            if (pair := rewrite(one)) is not None:
                plain = pair[1].replace("’t", " not").replace("doesn ", "does ").replace("don ", "do ")
                plain = plain.replace("little", "small").replace("large", "big")
                if one.adverb and plain.split()[0] == one.adverb:
                    plain = " ".join([*plain.split()[1:], one.adverb])
                assert plain == pair[0] == one.english(), name
    found = {one.name: one for one in changes(sentences)}
    assert list(found) == [*WRONG, *FINE]
    assert all((found[name].outcome == "the same") == (name in FINE) for name in found)
