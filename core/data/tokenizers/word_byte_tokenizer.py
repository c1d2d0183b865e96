"""A tokenizer of words that can encode any text, because unknown words are spelled in bytes."""

import re
from collections.abc import Sequence, Set
from pathlib import Path
from random import Random
from typing import Self

from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.data.tokenizers.tokenizer_base import N_BYTE, ByteStringTokenizer, save_glassformer_tokenizer
from core.data.tokenizers.vocabulary_tokenizers import UNKNOWN, WordTokenizer

LABELS = module_labels(__name__)


class WordByteTokenizer(ByteStringTokenizer):
    """A tokenizer of words and the 256 bytes after them: " zebra" becomes " ", "z", "e", "b", "r", "a".

    A text of known words has the same ids as with a `WordTokenizer`.

    Attributes:
        words: the known words in the order of their ids; byte b has the id len(words) + b.

    Source: "byte fallback" of SentencePiece (Kudo and Richardson 2018), as used by Llama (Touvron et al. 2023,
    2302.13971, section 2.1).
    """

    kind = "word_bytes"

    def __init__(self, words: Sequence[str]) -> None:
        if not words or len(set(words)) != len(words):
            raise ValueError(LABELS["duplicates"])
        self.words = tuple(words)
        self._ids = {word: i for i, word in enumerate(self.words)}
        self._bytes = [*(word.encode("utf-8") for word in self.words), *(bytes([b]) for b in range(N_BYTE))]

    split = staticmethod(WordTokenizer.split)

    @classmethod
    def train(cls, text: str, vocab_size: int | None = None) -> Self:
        """List the words of a text in sorted order; with `vocab_size`, the 256 bytes included, the most frequent ones.

        Raises ValueError if the text is empty, or the size leaves no room for a single word.
        """
        if vocab_size is not None and vocab_size <= N_BYTE:
            raise ValueError(LABELS("no_room", vocab_size=vocab_size, n_byte=N_BYTE))
        # The list of words ends with the unknown token, which the bytes replace.
        listed = WordTokenizer.train(text, None if vocab_size is None else vocab_size - N_BYTE + 1)
        return cls([word for word in listed.vocabulary if word != UNKNOWN])

    @property
    def vocab_size(self) -> int:
        return len(self.words) + N_BYTE

    def encode(self, text: str) -> list[int]:
        return self._encode(replace_surrogates(text), frozenset())

    def encode_spelled(self, text: str, share: float, seed: int) -> list[int]:
        """Encode the text with some known words spelled, so that a model that trains on it learns letters, too.

        Each line draws the share (0 to 1) of its words that are spelled; such a word is spelled everywhere in the line.
        So a model can learn that a word that was spelled once will be spelled again, and that words don't switch to
        being spelled at random.

        Source: Provilkov et al. 2019 (1910.13267), BPE-dropout, where rare tokens are learned from other segmentations.
        """
        rng, ids = Random(seed), []
        for line in re.findall(r"[^\n]*\n|[^\n]+", replace_surrogates(text)):
            words = sorted({word for word in self.split(line) if len(word.strip()) > 1 and word.strip().isalpha()})
            ids += self._encode(line, {word for word in words if rng.random() < share})
        return ids

    def token_bytes(self, i: int) -> bytes:
        return self._bytes[i]

    def save(self, folder: Path | str) -> None:
        save_glassformer_tokenizer(folder, self.kind, {"words": self.words})

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> Self:
        """Rebuild a tokenizer from the content of its file. Raises ValueError if that is damaged."""
        words = data.get("words")
        listed = [*words, UNKNOWN] if isinstance(words, list) else words
        return cls(WordTokenizer.from_dict({"vocabulary": listed}).vocabulary[:-1])

    def _encode(self, text: str, spelled: Set[str]) -> list[int]:
        n_word, ids = len(self.words), []
        for word in self.split(text):
            known = None if word in spelled else self._ids.get(word)
            ids += [n_word + b for b in word.encode("utf-8")] if known is None else [known]
        return ids
