"""Tokenizers that look up pieces in a list with one entry per character, or one per word."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar, Self

from core.data import checks
from core.data.localization.labels import module_labels
from core.data.printable import printable_text, replace_surrogates
from core.data.tokenizers.tokenizer_base import check_ids_in_vocabulary, save_glassformer_tokenizer

LABELS = module_labels(__name__)
UNKNOWN = "�"  # the one stand-in for everything that is not in the list
UNKNOWN_NAME = "<unknown>"  # how it is shown as a token
MAX_VOCABULARY = 200_000  # entries; a table of 200,000 x 64 numbers already takes 50 MB


class VocabularyTokenizer(ABC):
    """A tokenizer that splits the text into pieces, and looks each one up in `vocabulary`.

    The id of a piece is its index. The last entry is always the unknown token `�`. Pieces that weren't in the training
    text become `�`, so only texts made of known pieces decode to themselves. Lone surrogates count as `�`.
    """

    kind: ClassVar[str]

    def __init__(self, vocabulary: Sequence[str]) -> None:
        if not vocabulary or vocabulary[-1] != UNKNOWN or len(set(vocabulary)) != len(vocabulary):
            raise ValueError(LABELS(f"duplicates.{self.kind}", unknown=UNKNOWN))
        self.vocabulary = tuple(vocabulary)
        self._ids = {piece: i for i, piece in enumerate(self.vocabulary)}

    @staticmethod
    @abstractmethod
    def split(text: str) -> Iterable[str]:
        """Split the text into pieces that give the text when joined."""

    @classmethod
    def train(cls, text: str, vocab_size: int | None = None) -> Self:
        """List the pieces of a text in sorted order; with `vocab_size`, unknown token included, the most frequent ones.

        Raises ValueError if the text is empty or the size leaves no room for a single piece, TypeError for other types.
        """
        counts = Counter(cls.split(replace_surrogates(text)))
        counts.pop(UNKNOWN, None)
        if not counts:
            raise ValueError(LABELS[f"empty.{cls.kind}"])
        if vocab_size is not None and checks.check_whole("vocab_size", vocab_size) < 2:
            raise ValueError(LABELS(f"no_room.{cls.kind}", vocab_size=vocab_size))
        n_piece = min(vocab_size or MAX_VOCABULARY, MAX_VOCABULARY) - 1
        by_frequency = sorted(counts, key=lambda piece: (-counts[piece], piece))  # ties: alphabetical
        return cls([*sorted(by_frequency[:n_piece]), UNKNOWN])

    @property
    def vocab_size(self) -> int:
        return len(self.vocabulary)

    @property
    def unknown_id(self) -> int:
        return len(self.vocabulary) - 1

    def encode(self, text: str) -> list[int]:
        ids, unknown = self._ids, self.unknown_id
        return [ids.get(piece, unknown) for piece in self.split(replace_surrogates(text))]

    def decode(self, ids: Iterable[int]) -> str:
        """Join the pieces of the ids. Raises ValueError for an id outside of the vocabulary."""
        return "".join([self.vocabulary[i] for i in check_ids_in_vocabulary(ids, self.vocab_size)])

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return one printable string per id. Raises ValueError for an id outside of the vocabulary."""
        names = {self.unknown_id: UNKNOWN_NAME}
        return [
            names.get(i) or printable_text(self.vocabulary[i]) for i in check_ids_in_vocabulary(ids, self.vocab_size)
        ]

    def save(self, folder: Path | str) -> None:
        save_glassformer_tokenizer(folder, self.kind, {"vocabulary": self.vocabulary})

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> Self:
        """Rebuild a tokenizer from the content of its file. Raises ValueError if that is damaged."""
        vocabulary = data.get("vocabulary")
        if not isinstance(vocabulary, list) or not all(isinstance(v, str) and v for v in vocabulary):
            raise ValueError(LABELS[f"no_list.{cls.kind}"])
        if len(vocabulary) > MAX_VOCABULARY:
            raise ValueError(LABELS(f"too_long.{cls.kind}", n=len(vocabulary), most=MAX_VOCABULARY))
        return cls([replace_surrogates(piece) for piece in vocabulary])


class CharTokenizer(VocabularyTokenizer):
    """A tokenizer with one token per character, in the order of code points, as in Karpathy's nanoGPT.

    Ids are the indices in `sorted(set(text))`, so they equal nanoGPT's; the unknown token comes after them.
    """

    kind = "char"

    @staticmethod
    def split(text: str) -> Iterable[str]:
        return text


class WordTokenizer(VocabularyTokenizer):
    """A tokenizer with one token per word or sign, including the space before it, so that joining restores the text.

    " the" and "The" are different tokens, "don't" is one token, and so is every newline or additional space.
    """

    kind = "word"

    @staticmethod
    def split(text: str) -> Iterable[str]:
        return re.findall(r" ?\w+(?:['’]\w+)*| ?[^\w\s]|\s", text)
