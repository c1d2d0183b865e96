"""Reviews and entities: their labels, which no single word reveals, and spans counted by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.linear_model import LogisticRegression

from core.data.synthetic import entities, reviews
from core.data.tokenizers.word_vocabulary import WordVocabulary
from core.rooms.encoder.experiments import finetune
from core.rooms.encoder.finetune import BAG_OF_WORDS


def truth(words: tuple[str, ...]) -> int:
    """Return the verdict by the rule: the part after "but" counts, a negation inverts it, and all sentences agree."""
    verdicts = set()
    for sentence in " ".join(words).split(" ."):
        clause = sentence.split("but")[-1].split()
        if clause:
            good, turned = clause[-1] in reviews.GOOD, bool(set(clause) & set(reviews.NEGATIONS))
            verdicts.add(int(good != turned))
    (only,) = verdicts
    return only


def test_reviews_are_what_their_rule_says() -> None:
    drawn = reviews.draw_reviews(2_000, np.random.default_rng(0))
    assert all(truth(one.words) == one.label for one in drawn)
    assert 0.45 < np.mean([one.label for one in drawn]) < 0.55
    assert max(len(one.words) for one in drawn) <= 15 <= reviews.MAX_REVIEW_WORDS
    assert {word for one in drawn for word in one.words} == set(reviews.WORDS.words[: reviews.WORDS.n_plain])
    assert not any("but" in one.words and set(one.words) & set(reviews.NEGATIONS) for one in drawn)
    twice = reviews.draw_reviews(5, np.random.default_rng(0))
    assert twice == drawn[:5] and twice[0].text.count(".") == twice[0].words.count(".")


def test_a_bag_of_words_cannot_judge_them() -> None:
    """With all 1,000 labels it is right on four in five, and on two in three of those with a negation or "but"."""
    shares, turned = [], []
    for seed in (0, 1, 2):
        own, held = finetune.labeled_reviews(seed), finetune.held_out_reviews(seed)
        counts = np.zeros((len(own) + len(held), len(reviews.WORDS)))
        for row, one in zip(counts, [*own, *held], strict=True):
            np.add.at(row, reviews.WORDS.encode(one.words), 1)
        labels = np.array([one.label for one in [*own, *held]])
        right = LogisticRegression(max_iter=2_000).fit(counts[:1000], labels[:1000]).predict(counts) == labels
        hard = np.array([bool(set(one.words) & {*reviews.NEGATIONS, "but"}) for one in held])
        shares.append(right[1000:].mean())
        turned.append(right[1000:][hard].mean())
    assert shares[0] == pytest.approx(BAG_OF_WORDS, abs=0.006)
    assert max(shares) < 0.85 and max(turned) < 0.7


def test_own_reviews_are_read_like_the_others() -> None:
    for text, words in {
        "The soup wasn't good!": "soup not good .",
        "Soup NOT good, but the waiter was great...": "soup not good but waiter great .",
        "": "", "...": "", "a " * 40: "", "soup " * 40: "soup " * 20,
    }.items():  # fmt: skip
        assert reviews.tokenize_review(text) == words.split()


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    assert (
        len(reviews.tokenize_review(text)) <= reviews.MAX_REVIEW_WORDS
        and len(entities.tokenize_sentence(text)) <= entities.MAX_SENTENCE_WORDS
    )
    ids = reviews.WORDS.encode(reviews.tokenize_review(text))
    assert ids[0] == reviews.WORDS.class_id and max(ids) < len(reviews.WORDS)


def test_word_list() -> None:
    words = WordVocabulary(("b", "a"))
    assert words.batch([["A", "b"], ["x"]]).tolist() == [[3, 1, 0], [3, 5, 2]]
    assert words.words[2:] == ("<pad>", "<class>", "<mask>", "<unknown>") and words.n_plain == 2
    with pytest.raises(ValueError, match="twice"):
        WordVocabulary(("a", "a"))


def test_entities_are_of_every_kind_for_every_shared_name() -> None:
    drawn = entities.draw_entity_sentences(4_000, np.random.default_rng(0))
    kinds: dict[str, set[int]] = {}
    for one in drawn:
        assert len(one.words) == len(one.labels) <= entities.MAX_SENTENCE_WORDS
        for start, end, kind in entities.entity_spans(one.labels):
            for word in one.words[start:end]:
                kinds.setdefault(word, set()).add(kind)
    assert all(kinds[name] == {0, 1, 2} for name in entities.AMBIGUOUS_NAMES)
    assert all(kinds[name] == {i} for i, names in enumerate(entities.UNAMBIGUOUS_NAMES) for name in names)


def test_a_list_of_names_cannot_solve_them() -> None:
    held = entities.draw_entity_sentences(400, np.random.default_rng(1))
    table = entities.learn_word_labels(entities.draw_entity_sentences(2_000, np.random.default_rng(2)))
    found = entities.score_entities(
        [entities.look_up_word_labels(table, one.words) for one in held], [one.labels for one in held]
    )
    assert 0.3 < found.f1 < 0.45
    assert entities.look_up_word_labels(table, ["never-seen"]) == [entities.OTHER]


PER, IN_PER, PLACE, IN_PLACE, ORG = 1, 2, 3, 4, 5


def test_spans_and_f1_counted_by_hand() -> None:
    assert entities.entity_spans([0, PER, IN_PER, 0, PLACE]) == {(1, 3, 0), (4, 5, 1)}
    assert entities.entity_spans([PER, PER]) == {(0, 1, 0), (1, 2, 0)}
    assert entities.entity_spans([IN_PER, IN_PLACE]) == {(0, 1, 0), (1, 2, 1)}  # each I begins one of its own
    assert entities.entity_spans([]) == entities.entity_spans([0, 0]) == set()
    true = [[PER, IN_PER, 0, PLACE], [ORG, 0, PLACE]]  # 4 entities
    said = [[PER, 0, 0, PLACE], [ORG, 0, 0]]  # 3 said; the person is cut short, so 2 right
    found = entities.score_entities(said, true)
    assert (found.right, found.said, found.true) == (2, 3, 4)
    assert found.precision == 2 / 3 and found.recall == 1 / 2 and found.f1 == pytest.approx(4 / 7)
    assert entities.score_entities([[0]], [[0]]).f1 == 0
    with pytest.raises(ValueError, match="1 labels were said for 2"):
        entities.score_entities([[0]], [[0, 0]])
