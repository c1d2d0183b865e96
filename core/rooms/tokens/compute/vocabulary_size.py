"""What a larger vocabulary buys and costs: fewer tokens per text, a larger table of embeddings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.data.corpora import split
from core.data.tokenizers import Tokenizer, train
from core.data.tokenizers.base import N_BYTE
from core.data.tokenizers.bpe import MAX_TRAINING_BYTES, BPETokenizer

# A shorter text has no tenth to spare: what would be left to measure on is a few words.
MIN_TO_SPLIT = 5_000
# So much of the held-out text is cut at most: enough for three digits, and well under a tenth of a second per size.
MAX_MEASURED = 100_000


@dataclass(frozen=True)
class Cost:
    """One vocabulary on one text."""

    kind: str  # "char", "word" or "bpe"
    vocab_size: int  # tokens it knows
    n_token: int  # tokens of the measured text
    n_character: int  # characters (code points) of that text
    n_unknown: int  # of the tokens, how many stand for something unknown

    @property
    def tokens_per_thousand(self) -> float:
        """Tokens per 1,000 characters."""
        return 1000 * self.n_token / self.n_character

    @property
    def characters_per_token(self) -> float:
        return self.n_character / self.n_token

    def n_embedding(self, d_model: int) -> int:
        """Numbers in the table of embeddings: V x d_model."""
        return self.vocab_size * d_model


@dataclass(frozen=True)
class Comparison:
    """Vocabularies of many sizes, learned from one part of a text and measured on another."""

    bpe: tuple[Cost, ...]  # by rising size; sizes that the text cannot fill are left out
    char: Cost  # char, word: the other two ways of cutting
    word: Cost
    is_held_out: bool  # False for a short text, which is measured on what was learned from

    def bpe_of(self, vocab_size: float) -> Cost:
        """With so many tokens. Raises StopIteration if that size was not measured."""
        return next(one for one in self.bpe if one.vocab_size == vocab_size)

    def table(self, d_model: int) -> dict[str, list[Any]]:
        """One line for each vocabulary, and what its table of embeddings holds at a width."""
        costs = (*self.bpe, self.char, self.word)
        return {
            "kind": [one.kind for one in costs],
            "vocabulary": [one.vocab_size for one in costs],
            "tokens": [one.n_token for one in costs],
            "characters": [one.n_character for one in costs],
            "characters per token": [round(one.characters_per_token, 3) for one in costs],
            "unknown tokens": [one.n_unknown for one in costs],
            f"embedding numbers at width {d_model}": [one.n_embedding(d_model) for one in costs],
        }


def compare(text: str, sizes: Sequence[int]) -> Comparison:
    """Train on the first nine tenths of a text and count tokens in the last one.

    One training serves all sizes of BPE: the merges of a small vocabulary are the first merges of a large one.

    Args:
        text: at least one character; of long texts 100,000 held-out characters are measured.
        sizes: BPE vocabularies wanted, 256 or more each.

    Raises:
        ValueError: if the text is empty.
    """
    is_held_out = len(text) >= MIN_TO_SPLIT
    learned, measured = split(text) if is_held_out else (text, text)
    measured = measured[:MAX_MEASURED]
    largest = BPETokenizer.train(learned, max(sizes))
    bpe = {one.vocab_size: one for one in (first_merges(largest, size) for size in sorted(sizes))}
    learned = learned[:MAX_TRAINING_BYTES]  # words and characters learn from no more than BPE does
    return Comparison(
        tuple(_cost(one, measured) for one in bpe.values()),
        _cost(train("char", learned), measured),
        _cost(train("word", learned), measured),
        is_held_out,
    )


def first_merges(tokenizer: BPETokenizer, vocab_size: int) -> BPETokenizer:
    """The smaller vocabulary that training on the same text would have stopped at."""
    return BPETokenizer(tokenizer.merges[: max(0, vocab_size - N_BYTE)])


def _cost(tokenizer: Tokenizer, text: str) -> Cost:
    ids = tokenizer.encode(text)
    unknown = getattr(tokenizer, "unknown_id", None)
    n_unknown = 0 if unknown is None else ids.count(unknown)
    return Cost(tokenizer.kind, tokenizer.vocab_size, len(ids), len(text), n_unknown)
