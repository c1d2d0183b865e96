"""The stories as rows for an encoder: one token per word, special tokens apart, and where rows begin and end."""

from functools import cache

import torch
from hypothesis import given, settings, strategies as st

from core.data.synthetic import masked_stories
from core.data.synthetic.masked_stories import CLASS, ENDS, PAD


def test_a_word_is_one_token_wherever_it_stands() -> None:
    words = masked_stories.masked_story_vocabulary()
    tom, ran, stop = words.encode("Tom")[0], words.encode("ran")[0], words.encode("a.")[1]
    assert words.encode("Tom ran.  \n Tom") == [tom, ran, stop, tom]
    assert words.labels(words.encode("Anna saw a zebra.")) == ["Anna", "saw", "a", "<unknown>", "."]
    read = words.normalize("the ZEBRA saw anna.")
    assert read.unknown == ("ZEBRA",) and read.changed == {"anna": "Anna"}
    assert words.normalize("A dog was sad.").unknown == () and words.encode("") == []


def test_special_tokens_are_no_words_and_no_text_contains_them() -> None:
    words = masked_stories.masked_story_vocabulary()
    special = [words.class_id, words.mask_id, words.pad_id]
    assert sorted({*range(words.n_plain), words.unknown_id, *special}) == list(range(words.vocab_size))
    ids = torch.tensor([[*special, words.unknown_id, 0, words.n_plain - 1]])
    assert words.eligible(ids).tolist() == [[False] * 4 + [True] * 2]
    assert not set(words.encode("<class> <mask> <pad>")) & set(special)
    learned, held = masked_stories.tokenized_story_split()
    assert int(learned.ids.max()) < words.n_plain and int(held.ids.max()) < words.n_plain


def test_held_out_stories_are_not_learned() -> None:
    learned, held = masked_stories.story_texts()
    assert len(learned) == 3600 and len(held) == 400 and not set(learned) & set(held)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**31 - 1), length=st.integers(2, 60))
def test_rows_begin_at_a_sentence_and_stay_in_their_story(seed: int, length: int) -> None:
    words, rows = masked_stories.masked_story_vocabulary(), masked_stories.tokenized_story_split()[1]
    drawn = rows.draw(4, length, words, torch.Generator().manual_seed(seed))
    assert drawn.shape == (4, length) and torch.equal(
        drawn, rows.draw(4, length, words, torch.Generator().manual_seed(seed))
    )
    for row in drawn:
        labels = words.labels(row)
        assert labels[0] == CLASS
        told = [label for label in labels[1:] if label != PAD]
        assert labels[1 + len(told) :] == [PAD] * (length - 1 - len(told))
        assert any(_is_part(told, story) for story in _held_out())


@cache
def _held_out() -> list[list[str]]:
    words = masked_stories.masked_story_vocabulary()
    return [words.labels(words.encode(story)) for story in masked_stories.story_texts()[1]]


def _is_part(told: list[str], story: list[str]) -> bool:
    starts = [0] + [i + 1 for i, label in enumerate(story) if label in ENDS]
    return any(story[start : start + len(told)] == told for start in starts)


def test_rows_are_what_taking_them_by_hand_gives() -> None:
    words = masked_stories.masked_story_vocabulary()
    rows = masked_stories._make_rows(["Tom had a dog. The dog was sad. It ran away to play again!", "Mia ran."], words)
    assert rows.starts.tolist() == [0, 5, 17] and rows.ends.tolist() == [17, 17, 20]
    got = rows.take(torch.tensor([1, 2]), 6, words)
    assert words.labels(got[0]) == [CLASS, "The", "dog", "was", "sad", "."]
    assert words.labels(got[1]) == [CLASS, "Mia", "ran", ".", PAD, PAD]
