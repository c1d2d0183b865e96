"""Byte-level byte-pair encoding: start from 256 bytes, and merge the most frequent pair again and again.

Two libraries share the work. Training is done by `tokenizers` (a megabyte takes under half a second), encoding by
`tiktoken` (17 megabytes a second). They share the list of merges, in the order they were learned.

Source: Sennrich, Haddow and Birch 2015, "Neural Machine Translation of Rare Words with Subword Units", section 3.2;
on bytes as in Radford et al. 2019 (GPT-2), section 2.2.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import tiktoken
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from core.data import checks
from core.data.localization.labels import module_labels
from core.data.printable import replace_surrogates
from core.data.tokenizers.tokenizer_base import N_BYTE, ByteStringTokenizer, save_glassformer_tokenizer

LABELS = module_labels(__name__)

# Merges never cross the border of a piece. These are GPT-2's pieces (a word with its space, a number, signs, white
# space), limited to 64 characters. Without the limit, a text without spaces is one giant piece, and training on a
# million characters of Chinese takes minutes instead of 0.1 s.
PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}{1,64}| ?\p{N}{1,64}| ?[^\s\p{L}\p{N}]{1,64}|\s{1,64}(?!\S)|\s{1,64}"
DEFAULT_VOCAB_SIZE = 1024
MAX_VOCAB_SIZE = 65_536
MAX_TRAINING_BYTES = 1_000_000  # more would hardly change the merges, but make the learner wait


class BPETokenizer(ByteStringTokenizer):
    """The 256 single bytes (ids 0 to 255) and then one token per merge, in order.

    Attributes:
        merges: pairs of byte strings in the order in which they were learned. Ties between equally frequent pairs
            go to the pair whose parts have the lower ids in the `tokenizers` library (printable bytes come first).
        ranks: byte string -> id. Two merges may make the same byte string (`(a, bc)` and `(ab, c)`): it keeps the
            first id, so there can be fewer tokens than 256 + the number of merges.
    """

    kind = "bpe"

    def __init__(self, merges: Iterable[tuple[bytes, bytes]]) -> None:
        self.merges = list(merges)
        self.ranks: dict[bytes, int] = {bytes([b]): b for b in range(N_BYTE)}
        for left, right in self.merges:
            if left not in self.ranks or right not in self.ranks:
                raise ValueError(LABELS("unmade_merge", left=repr(left), right=repr(right)))
            self.ranks.setdefault(left + right, len(self.ranks))
        self._bytes = list(self.ranks)  # id -> byte string
        self._encoding = tiktoken.Encoding(
            "glassformer-bpe",
            pat_str=PATTERN,
            mergeable_ranks=self.ranks,
            special_tokens={},
            explicit_n_vocab=len(self.ranks),
        )

    @classmethod
    def train(cls, text: str, vocab_size: int | None = None) -> Self:
        """Learn merges from the first megabyte of a text. Raises ValueError or TypeError for invalid arguments.

        `vocab_size` includes the 256 bytes; None: 1,024. A short or monotonous text gives fewer tokens, because there
        is nothing left to merge.
        """
        vocab_size = checks.check_whole("vocab_size", DEFAULT_VOCAB_SIZE if vocab_size is None else vocab_size)
        if not checks.check_text("text", text):
            raise ValueError(LABELS["empty"])
        if not N_BYTE <= vocab_size <= MAX_VOCAB_SIZE:
            raise ValueError(LABELS("vocab_size", vocab_size=vocab_size, n_byte=N_BYTE, most=MAX_VOCAB_SIZE))
        beginning = replace_surrogates(text).encode("utf-8")[:MAX_TRAINING_BYTES].decode("utf-8", "ignore")
        return cls(_learn_merges(beginning, vocab_size))

    @property
    def vocab_size(self) -> int:
        return len(self.ranks)

    def encode(self, text: str) -> list[int]:
        return self._encoding.encode_ordinary(replace_surrogates(text))

    def token_bytes(self, i: int) -> bytes:
        return self._bytes[i]

    def save(self, folder: Path | str) -> None:
        save_glassformer_tokenizer(
            folder, self.kind, {"merges": [[left.hex(), right.hex()] for left, right in self.merges]}
        )

    @classmethod
    def from_dict(cls, data: dict[str, object]) -> Self:
        """Rebuild a tokenizer from the content of its file. Raises ValueError if that is damaged."""
        merges = data.get("merges")
        if not isinstance(merges, list) or len(merges) > MAX_VOCAB_SIZE * 2:
            raise ValueError(LABELS["no_merges"])
        try:
            return cls([(bytes.fromhex(left), bytes.fromhex(right)) for left, right in merges])
        except (TypeError, ValueError) as error:
            raise ValueError(LABELS("damaged_merge", error=error)) from error


def _learn_merges(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    letters = byte_letters()
    tokenizer = Tokenizer(models.BPE())
    pieces = pre_tokenizers.Split(Regex(PATTERN), "isolated")
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pieces, as_bytes])
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=list(letters), special_tokens=[], show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(bytes(map(letters.__getitem__, left)), bytes(map(letters.__getitem__, right))) for left, right in merges]


def byte_letters() -> dict[str, int]:
    """Return the letter that represents each byte in the `tokenizers` library, as in GPT-2.

    Printable bytes are represented by themselves, the others by the letters from U+0100 on: a space is `Ġ`.
    """
    visible = [b for b in range(N_BYTE) if chr(b).isprintable() and chr(b) != " "]
    hidden = [b for b in range(N_BYTE) if b not in visible]
    return {chr(b): b for b in visible} | {chr(N_BYTE + i): b for i, b in enumerate(hidden)}
