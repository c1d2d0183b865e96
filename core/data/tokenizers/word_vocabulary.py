"""The words of a small grammar with their ids, and the special tokens that an encoder needs."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

PAD, CLASS, MASK, UNKNOWN = "<pad>", "<class>", "<mask>", "<unknown>"
_NOT = re.compile(r"(?<=\w)n['’]t\b")


def bare_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation; other signs stay, so that they can be reported."""
    return [word.lower() for word in WordVocabulary.split(text) if not category(word[0]).startswith("P")]


class WordVocabulary:
    """A vocabulary of plain words, in their order, then `<pad>`, `<class>`, `<mask>` and `<unknown>`.

    The plain words and signs are in lower case, without duplicates.

    Raises ValueError if a word occurs twice.
    """

    def __init__(self, words: Sequence[str]):
        if len(set(words)) != len(words):
            raise ValueError("a word occurs twice in the list")
        self.words = (*words, PAD, CLASS, MASK, UNKNOWN)
        self.n_plain = len(words)
        self.pad_id, self.class_id, self.mask_id, self.unknown_id = range(self.n_plain, len(self.words))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words[: self.n_plain])}

    def __len__(self) -> int:
        return len(self.words)

    @staticmethod
    def split(text: str) -> list[str]:
        """Split a text into words and signs as written; "wasn't" becomes "was" and "not"."""
        return re.findall(r"\w+|[^\w\s]", _NOT.sub(" not", text))

    def encode(self, words: Iterable[str]) -> list[int]:
        """Encode words after `<class>`; capitals are read as lower case, and unknown words become `<unknown>`."""
        return [self.class_id, *(self._ids.get(word.lower(), self.unknown_id) for word in words)]

    def batch(self, rows: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Encode texts as one array (N, T) of ids, `<class>` first, padded at the end."""
        encoded = [self.encode(row) for row in rows]
        longest = max(map(len, encoded), default=1)
        return np.array([[*row, *[self.pad_id] * (longest - len(row))] for row in encoded]).reshape(-1, longest)
