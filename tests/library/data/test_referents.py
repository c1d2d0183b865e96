"""The bottle-and-cup task: words, places, and a split that leaves no way to guess."""

import pytest
from hypothesis import given, strategies as st

from core.data.synthetic import NOUNS, BottleAndCup, referents


def test_places_and_words_are_those_of_the_sentence() -> None:
    sentence = BottleAndCup("jug", "vase", "empty")
    words = referents.sentence_tokens(sentence)
    assert " ".join(words) == "I poured water from the jug into the vase until it was empty ."
    places = (referents.FIRST_POSITION, referents.SECOND_POSITION, referents.IT_POSITION, referents.ENDING_POSITION)
    assert [words[i] for i in places] == ["jug", "vase", "it", "empty"]
    assert len(words) == referents.N_TOKEN == 14
    assert len(set(referents.WORDS)) == len(referents.WORDS) == 20
    assert tuple(referents.WORDS[i] for i in referents.NOUN_IDS) == NOUNS


def test_encode_gives_the_words_and_the_answer() -> None:
    sentences = [BottleAndCup("cup", "pot", ending) for ending in referents.ENDINGS]
    ids, answers = referents.encode_referent_sentences(sentences)
    assert [[referents.WORDS[i] for i in row] for row in ids] == [
        list(referents.sentence_tokens(one)) for one in sentences
    ]
    assert [referents.WORDS[i] for i in answers] == ["pot", "cup"]
    assert [referents.referent_position(one) for one in sentences] == [
        referents.SECOND_POSITION,
        referents.FIRST_POSITION,
    ]
    assert referents.encode_referent_sentences([])[0].shape == (0, 14)
    with pytest.raises(ValueError, match="teapot"):
        referents.encode_referent_sentences([BottleAndCup("teapot", "cup", "full")])


@given(st.integers(0, 2**31 - 1))
def test_held_out_nouns_never_meet_in_training_and_every_sentence_has_its_twins(seed: int) -> None:
    train, held = referents.bottle_and_cup_split(seed)
    assert (len(train), len(held), len(set(train + held))) == (84, 28, 112)
    assert not {frozenset((s.first, s.second)) for s in train} & {frozenset((s.first, s.second)) for s in held}
    for part in (train, held):
        for s in part:
            assert BottleAndCup(s.second, s.first, s.ending) in part
            assert BottleAndCup(s.first, s.second, "empty" if s.ending == "full" else "full") in part


def test_whoever_cannot_see_order_or_ending_is_right_in_half_at_best() -> None:
    """The claim of the room, by enumeration: the best answer to each group of look-alikes is right in half of it."""
    held = referents.bottle_and_cup_split(0)[1]
    for blind in (lambda s: (s.first, s.second), lambda s: (frozenset((s.first, s.second)), s.ending)):
        groups: dict[object, list[str]] = {}
        for s in held:
            groups.setdefault(blind(s), []).append(s.referent)
        assert sum(max(answers.count(a) for a in answers) for answers in groups.values()) == len(held) / 2
