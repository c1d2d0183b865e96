"""The little stories as an encoder reads them: rows of words that begin with `<class>`, with masks and padding.

Every word is one token, wherever it occurs. A row begins where a sentence begins and ends when it is full.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from core.data import corpora
from core.data.tokenizers import WordTokenizer, known_word_normalization
from core.data.tokenizers.known_word_normalization import RecasedText
from core.data.tokenizers.word_vocabulary import CLASS, MASK, PAD, UNKNOWN

ENDS = (".", "!", "?")
SHORTEST = 8  # tokens; a shorter row has too little context for its gaps
FROM_START = 0.4  # of the rows begin where a story begins, the others at any of its sentences


class StoryVocabulary:
    """The words of the stories, the last of which is the unknown token, and three tokens that no text contains.

    Ids below `n_plain` are words.
    """

    def __init__(self, tokenizer: WordTokenizer) -> None:
        self.tokenizer = tokenizer
        self.unknown_id = self.n_plain = tokenizer.vocab_size - 1
        self.class_id, self.mask_id, self.pad_id = range(tokenizer.vocab_size, tokenizer.vocab_size + 3)
        self.vocab_size = tokenizer.vocab_size + 3

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text's words, without `<class>`. Line ends and doubled spaces count as one space."""
        return self.tokenizer.encode(_plain(text))

    def normalize(self, text: str) -> RecasedText:
        """Write a text's words as the stories write them, and list the words that no story contains."""
        return known_word_normalization.recase_words_to_vocabulary(self.tokenizer, _plain(text))

    def labels(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens for display, without the space in front."""
        special = {self.class_id: CLASS, self.mask_id: MASK, self.pad_id: PAD, self.unknown_id: UNKNOWN}
        return [special.get(i) or self.tokenizer.decode([i]).strip() for i in map(int, ids)]

    def vocabulary(self) -> list[str]:
        """The labels of all tokens in the order of their ids."""
        return self.labels(range(self.vocab_size))

    def eligible(self, ids: Int[Tensor, "B T"]) -> Bool[Tensor, "B T"]:
        """Return which tokens a gap may replace: the words."""
        return ids < self.n_plain


@dataclass(frozen=True)
class _StoryRows:
    """Concatenated texts, and the positions at which a row may begin."""

    ids: Int[Tensor, " N"]
    starts: Int[Tensor, " M"]  # where the rows begin: at a sentence
    ends: Int[Tensor, " M"]  # where the text of each start ends
    of_text: Int[Tensor, " K"]  # those starts that begin a text

    def draw(self, n: int, length: int, words: StoryVocabulary, generator: torch.Generator) -> Int[Tensor, "B T"]:
        """Draw n rows of `length` tokens, `<class>` first, padded at the end."""
        any_start = torch.randint(len(self.starts), (n,), generator=generator)
        text_start = self.of_text[torch.randint(len(self.of_text), (n,), generator=generator)]
        begins = torch.rand(n, generator=generator) < FROM_START
        return self.take(torch.where(begins, text_start, any_start), length, words)

    def take(self, which: Int[Tensor, " B"], length: int, words: StoryVocabulary) -> Int[Tensor, "B T"]:
        """Return the rows that begin at the starts with these indices."""
        place = self.starts[which][:, None] + torch.arange(length - 1)  # (B, T - 1)
        there = place < self.ends[which][:, None]
        rows = torch.where(there, self.ids[place.clamp(max=len(self.ids) - 1)], words.pad_id)
        return torch.cat([torch.full((len(which), 1), words.class_id), rows], dim=1)


@cache
def story_texts() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the training stories and the held-out stories."""
    learned, held = corpora.split_validation(corpora.load("stories").text.strip().split("\n\n"))
    return tuple(learned), tuple(held)


@cache
def masked_story_vocabulary() -> StoryVocabulary:
    """Return the words of all stories."""
    learned, held = story_texts()
    return StoryVocabulary(WordTokenizer.train("".join(_plain(story) for story in learned + held)))


@cache
def tokenized_story_split() -> tuple[_StoryRows, _StoryRows]:
    """Return the training stories and the held-out stories, as rows can be drawn from them."""
    learned, held = story_texts()
    return _make_rows(learned, masked_story_vocabulary()), _make_rows(held, masked_story_vocabulary())


def _make_rows(stories: Sequence[str], words: StoryVocabulary) -> _StoryRows:
    """Prepare texts so that rows can be drawn from them."""
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    of_text: list[int] = []
    full_stops = {i for sign in ENDS for i in words.encode(f"x{sign}")[1:]}
    for story in stories:
        encoded = words.encode(story)
        begin, end = len(ids), len(ids) + len(encoded)
        of_text.append(len(starts))
        sentences = [0] + [i + 1 for i, token in enumerate(encoded[:-SHORTEST]) if token in full_stops]
        starts += [begin + i for i in sentences]
        ends += [end] * len(sentences)
        ids += encoded
    return _StoryRows(torch.tensor(ids), torch.tensor(starts), torch.tensor(ends), torch.tensor(of_text))


def _plain(text: str) -> str:
    """Put one space before every word, so that a text's first word is the same token as elsewhere."""
    return "".join(f" {word}" for word in text.split())
