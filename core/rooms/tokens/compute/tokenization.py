"""Tokenize texts, and measure vocabulary sizes: a larger one makes fewer tokens but needs a larger table."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.corpora import split_validation
from core.data.localization.labels import module_labels
from core.data.printable import printable_text, replace_surrogates
from core.data.tokenizers import Tokenizer, train_tokenizer
from core.data.tokenizers.bpe import MAX_TRAINING_BYTES, BPETokenizer
from core.data.tokenizers.tokenizer_base import N_BYTE
from core.exhibit import Table

LABELS = module_labels(__name__)

MOST_QUOTED = 24  # characters of an unknown piece to show: a longer one fills the line
# A shorter text cannot spare a tenth for evaluation: only a few words would be left.
MIN_TO_SPLIT = 5_000
# At most this much held-out text is tokenized: enough for three digits, in well under a tenth of a second per size.
MAX_MEASURED = 100_000


@dataclass(frozen=True)
class Tokenization:
    """A text split by one tokenizer."""

    ids: tuple[int, ...]  # (T,)
    tokens: tuple[str, ...]  # (T,) printable
    pieces: tuple[str, ...]  # (T,) the text of each token; differs from the token only for unknown pieces
    n_character: int  # characters of the text: Unicode code points, so an emoji may count as several
    vocab_size: int  # size of the tokenizer's vocabulary
    n_unknown: int  # unknown tokens, whose text is lost

    @property
    def n_token(self) -> int:
        return len(self.ids)

    @property
    def characters_per_token(self) -> float:
        """Characters per token; nan for an empty text."""
        return self.n_character / self.n_token if self.n_token else float("nan")

    @property
    def ratio(self) -> str:
        """The same as text."""
        return f"{self.characters_per_token:.2f}" if self.n_token else "–"


def tokenize_text(tokenizer: Tokenizer, text: str) -> Tokenization:
    """Tokenize a text. Lone surrogates become `�` first, as in every tokenizer (see `core.data.printable`)."""
    ids = tokenizer.encode(text)
    tokens = pieces = tuple(tokenizer.tokens(ids))
    split_into = getattr(tokenizer, "split", None)  # byte tokenizers have none, because every byte is a token
    if split_into is not None:
        cut = split_into(replace_surrogates(text))
        pieces = tuple(printable_text(piece[:MOST_QUOTED]) + "…" * (len(piece) > MOST_QUOTED) for piece in cut)
    n_unknown = _n_unknown(tokenizer, ids)
    return Tokenization(tuple(ids), tokens, pieces, len(replace_surrogates(text)), tokenizer.vocab_size, n_unknown)


def _n_unknown(tokenizer: Tokenizer, ids: list[int]) -> int:
    return ids.count(getattr(tokenizer, "unknown_id", -1))


@dataclass(frozen=True)
class VocabularyCost:
    """The token count of one vocabulary on one text."""

    kind: str  # "char", "word" or "bpe"
    vocab_size: int  # size of the vocabulary
    n_token: int  # tokens of the measured text
    n_character: int  # characters (code points) of that text
    n_unknown: int  # unknown tokens among them

    @property
    def tokens_per_thousand(self) -> float:
        """Tokens per 1,000 characters."""
        return 1000 * self.n_token / self.n_character

    @property
    def characters_per_token(self) -> float:
        return self.n_character / self.n_token

    def n_embedding(self, d_model: int) -> int:
        """Return the number of parameters in the embedding table: V x d_model."""
        return self.vocab_size * d_model


@dataclass(frozen=True)
class VocabularyComparison:
    """Vocabularies of many sizes, learned from one part of a text and evaluated on another."""

    bpe: tuple[VocabularyCost, ...]  # by rising size; sizes that the text cannot fill are left out
    char: VocabularyCost  # char, word: the other two kinds of tokenizer
    word: VocabularyCost
    is_held_out: bool  # False for a short text, which is evaluated on its training text

    def bpe_of(self, vocab_size: float) -> VocabularyCost:
        """Return the cost with this vocabulary size. Raises StopIteration if that size was not measured."""
        return next(one for one in self.bpe if one.vocab_size == vocab_size)

    def table(self, d_model: int) -> Table:
        """Return one row per vocabulary, with the size of its embedding table at a width."""
        costs = (*self.bpe, self.char, self.word)
        return {
            LABELS["table.kind"]: [one.kind for one in costs],
            LABELS["table.vocabulary"]: [one.vocab_size for one in costs],
            LABELS["table.tokens"]: [one.n_token for one in costs],
            LABELS["table.characters"]: [one.n_character for one in costs],
            LABELS["table.characters_per_token"]: [round(one.characters_per_token, 3) for one in costs],
            LABELS["table.unknown_tokens"]: [one.n_unknown for one in costs],
            LABELS("table.embedding_numbers", d_model=d_model): [one.n_embedding(d_model) for one in costs],
        }


def compare_vocabularies(text: str, sizes: Sequence[int]) -> VocabularyComparison:
    """Train on the first nine tenths of a text and count tokens in the last one.

    One BPE training serves all sizes, because a small vocabulary's merges are the first merges of a large one.

    For long texts 100,000 held-out characters are measured. Sizes are of BPE vocabularies, 256 or more each.

    Raises:
        ValueError: if the text is empty.
    """
    is_held_out = len(text) >= MIN_TO_SPLIT
    learned, measured = split_validation(text) if is_held_out else (text, text)
    measured = measured[:MAX_MEASURED]
    largest = BPETokenizer.train(learned, max(sizes))
    bpe = {one.vocab_size: one for one in (first_merges(largest, size) for size in sorted(sizes))}
    learned = learned[:MAX_TRAINING_BYTES]  # words and characters learn from no more text than BPE does
    return VocabularyComparison(
        tuple(_cost(one, measured) for one in bpe.values()),
        _cost(train_tokenizer("char", learned), measured),
        _cost(train_tokenizer("word", learned), measured),
        is_held_out,
    )


def first_merges(tokenizer: BPETokenizer, vocab_size: int) -> BPETokenizer:
    """Return the smaller vocabulary that training on the same text would have stopped at."""
    return BPETokenizer(tokenizer.merges[: max(0, vocab_size - N_BYTE)])


def _cost(tokenizer: Tokenizer, text: str) -> VocabularyCost:
    ids = tokenizer.encode(text)
    return VocabularyCost(tokenizer.kind, tokenizer.vocab_size, len(ids), len(text), _n_unknown(tokenizer, ids))
