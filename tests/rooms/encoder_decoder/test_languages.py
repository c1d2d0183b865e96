"""English and Tamari: one translation each way, agreement, word order, and a count that is right."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.compute.languages import LONGER, USUAL, Phrase, Sentence


@st.composite
def phrases(draw: st.DrawFn) -> Phrase:
    adjectives = draw(st.lists(st.sampled_from(list(languages.ADJECTIVES)), max_size=2, unique=True))
    return Phrase(
        draw(st.sampled_from(list(languages.NOUNS))), draw(st.booleans()), draw(st.booleans()), tuple(adjectives)
    )


@st.composite
def any_sentence(draw: st.DrawFn) -> Sentence:
    has_object = draw(st.booleans())
    verbs = languages.TRANSITIVE if has_object else languages.INTRANSITIVE
    return Sentence(
        draw(phrases()),
        draw(st.sampled_from(list(verbs))),
        draw(phrases()) if has_object else None,
        draw(st.booleans()),
        draw(st.sampled_from(["", *languages.ADVERBS])),
    )


@given(any_sentence())
def test_every_sentence_has_one_translation_each_way(sentence: Sentence) -> None:
    english, tamari = sentence.english(), sentence.tamari()
    assert languages.read_english(english) == sentence == languages.read_tamari(tamari)
    assert languages.to_tamari(english) == tamari and languages.to_english(tamari) == english
    for text in (english, tamari):
        assert languages.decode(languages.encode_target(text)) == text
        assert " ".join(languages.tokens(languages.encode(text))) == text
    assert not languages.read(english)[1] and len(languages.read(tamari)[1]) == len(tamari.split())


@given(any_sentence())
def test_agreement_and_order(sentence: Sentence) -> None:
    words = sentence.tamari().split()
    assert (words[-1] == "ne") == sentence.negated
    verb = words[-2] if sentence.negated else words[-1]
    assert verb.endswith("n") == sentence.subject.plural  # whatever stands between the two
    phrase = sentence.subject.tamari()
    assert len({word[-1] for word in phrase}) == 1  # article, noun and adjectives end alike
    first = 1 if sentence.adverb else 0
    assert words[first : first + len(phrase)] == phrase


@given(any_sentence())
def test_the_alignment_names_the_word_that_is_translated(sentence: Sentence) -> None:
    english, tamari, places = sentence.english().split(), sentence.tamari().split(), sentence.alignment()
    assert len(places) == len(tamari) and len(set(places)) == len(places)
    left_out = [word for i, word in enumerate(english) if i not in places]
    assert left_out in ([], ["does"], ["do"])
    for place, word in zip(places, tamari, strict=True):
        plain = english[place].removesuffix("s")
        stems = {**languages.ADJECTIVES, **languages.VERBS, **languages.ADVERBS, "not": "ne", "the": "l", "a": "un",
                 "some": "un", **{noun: stem for noun, (stem, _) in languages.NOUNS.items()}}  # fmt: skip
        assert word.startswith(stems[plain]), (english, tamari)


def test_examples_by_hand() -> None:
    assert (
        languages.to_tamari("the small dog does not see some white cats now")
        == "nu lo kano pico une mile blane vides ne"
    )
    assert languages.to_tamari("Some small red queens  sing") == "une fire roje pice kantan"
    for wrong in ("", "dog", "the dog see a cat", "a dogs sleep", "the dog sees", "the dog sleeps a cat",
                  "now a dog sleeps", "the red red dog sleeps", "the red big small dog sleeps",
                  "the dog does not sleeps"):  # fmt: skip
        assert languages.to_tamari(wrong) is None, wrong
    for wrong in (
        "",
        "ne",
        "lo kano dormin",
        "la kano dormis",
        "lo kano vides",
        "lo kano la mila",
        "lo kano dormis nu",
    ):
        assert languages.to_english(wrong) is None, wrong


def test_how_many_sentences_there_are() -> None:
    assert languages.n_sentence(USUAL) == 7_011_520
    assert languages.n_sentence(LONGER) == 80_640_000
    # Counted one by one, without adjectives.
    bare = [Phrase(n, p, d) for n, p, d in itertools.product(languages.NOUNS, (False, True), (False, True))]
    every = {Sentence(a, v, b).english() for a, b in itertools.product(bare, bare) for v in languages.TRANSITIVE}
    every |= {Sentence(a, v).english() for a in bare for v in languages.INTRANSITIVE}
    assert len(every) * 8 == languages.n_sentence((0,))


def test_draws_are_those_of_the_seed_and_leave_out_what_they_must() -> None:
    one = languages.draw(300, np.random.default_rng(3))
    assert one == languages.draw(300, np.random.default_rng(3)) and len(set(one)) > 280
    held = {english for english, _ in one[:100]}
    rest = languages.draw(300, np.random.default_rng(3), without=held)
    assert not held & {english for english, _ in rest}
    counts = {languages.read_english(english).n_adjective for english, _ in one}  # type: ignore[union-attr]
    assert counts == set(USUAL)
    longer = languages.draw(300, np.random.default_rng(3), n_adjective=LONGER)
    assert {languages.read_english(english).n_adjective for english, _ in longer} == set(LONGER)  # type: ignore[union-attr]
    assert max(len(tamari.split()) for _, tamari in longer) > max(len(tamari.split()) for _, tamari in one)
    with pytest.raises(ValueError, match="adjectives"):
        languages.draw(1, np.random.default_rng(0), n_adjective=(5,))


def test_words_of_both_languages_are_told_apart() -> None:
    assert len(set(languages.VOCABULARY)) == languages.VOCAB_SIZE == 126
    assert (languages.PAD, languages.START, languages.END) == (0, 1, 2)
    assert languages.VOCABULARY[: len(languages.SPECIAL)] == languages.SPECIAL
    assert languages.encode("the xylophone DOG") == languages.encode("the dog")
    assert languages.decode([languages.START, *languages.encode("lo kano"), languages.END, 40]) == "lo kano"
