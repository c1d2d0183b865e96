"""Inputs that all exhibits of the room share: a text, the kind of tokens, and the smoothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.data import corpora, tokenizers
from core.data.localization.labels import module_labels
from core.data.tokenizers import Tokenizer
from core.exhibit import Inputs, custom_control, memoize, segmented_control
from core.models.ngram import NGram, Smoothing
from core.rooms.ngrams.compute.counting import NGramCounts

LABELS = module_labels(__name__)

MAX_CHARACTERS = 300_000  # with these, counting all orders takes about a second on a slow machine
MAX_ORDER = 6
BPE_SIZE = 1024
MAX_WORDS = 20_000  # a row of this many probabilities, for each generated token, takes some milliseconds
MAX_CACHED_TEXTS = 6  # texts that are cached; the counts of one take up to 15 MB
MIN_TOKENS = 100  # with fewer, there is too little to learn from nine tenths and test on the rest
LONGEST_NAME = 40
TOKEN_UNITS = LABELS.options("unit", "char", "word", "bpe")
SMOOTHING_NAMES: Mapping[Smoothing, str] = LABELS.options("smoothing", "mle", "lidstone", "interpolated", "kneser_ney")
DEFAULT_K = 0.1


@dataclass(frozen=True)
class CountedText:
    """A text split into tokens; the first nine tenths are counted, the rest is held out for testing."""

    corpus: str = "stories"  # its key
    unit: str = "word"  # one of `TOKEN_UNITS`

    @property
    def plural(self) -> str:
        """The plural name of the tokens."""
        return TOKEN_UNITS[self.unit]

    @property
    def n_character(self) -> tuple[int, int]:
        """The characters of the part that is used, and of the whole text."""
        whole = len(corpora.load(self.corpus).text)
        return min(whole, MAX_CHARACTERS), whole

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer, whose vocabulary was made from both parts."""
        return _read(self)[0]

    @property
    def train(self) -> NDArray[np.int64]:
        return _read(self)[1]

    @property
    def val(self) -> NDArray[np.int64]:
        return _read(self)[2]

    @property
    def counts(self) -> NGramCounts:
        """All n-grams of the training text. Raises CorpusRefused or ValueError if there is nothing to count."""
        return _counts(self)

    def model(self, order: int, smoothing: Smoothing, k: float = DEFAULT_K) -> NGram:
        """Return the model of one order, using the counts that exist."""
        return self.counts.model(order, smoothing, **smoothing_options(smoothing, k))

    def names(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return one printable string for each id, truncated if it is too long to draw."""
        found = self.tokenizer.tokens(np.asarray(ids).tolist())
        return tuple(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…" for name in found)


@memoize(MAX_CACHED_TEXTS)
def _read(text: CountedText) -> tuple[Tokenizer, NDArray[np.int64], NDArray[np.int64]]:
    used = corpora.load(text.corpus).text[:MAX_CHARACTERS]
    tokenizer = tokenizers.train_tokenizer(text.unit, used, BPE_SIZE if text.unit == "bpe" else MAX_WORDS)
    ids = np.array(tokenizer.encode(used), dtype=np.int64)
    if len(ids) < MIN_TOKENS:
        raise ValueError(LABELS("too_short", n_token=len(ids), unit=text.plural, least=MIN_TOKENS))
    return tokenizer, *corpora.split_validation(ids)  # type: ignore[type-var]


@memoize(MAX_CACHED_TEXTS)
def _counts(text: CountedText) -> NGramCounts:
    return NGramCounts.of(text.train, text.tokenizer.vocab_size, MAX_ORDER)


def smoothing_options(smoothing: str, k: float) -> dict[str, float]:
    """Return this room's options for a smoothing; Kneser-Ney also gives unseen tokens some probability (`uniform`)."""
    if smoothing == "kneser_ney":
        return {"uniform": True}
    return {"gamma": k} if smoothing == "lidstone" else {}


class NGramInputs(Inputs):
    """A text, and how it is split into tokens."""

    text: CountedText = custom_control("core.rooms.ngrams.pick_text:pick_text", CountedText())


def smoothing_input(default: Smoothing) -> Smoothing:
    """Return an input for the smoothing."""
    return segmented_control(
        SMOOTHING_NAMES,
        default,
        help=LABELS["smoothing.help"],
        label=LABELS["smoothing"],
    )


def added_count_input() -> float:
    """Return an input for the k of “add k”."""
    options = [0.001, 0.01, 0.1, 1.0, 10.0]
    return segmented_control(options, DEFAULT_K, when=lambda i: i.smoothing == "lidstone", label=LABELS["k"])


def format_perplexity(value: float) -> str:
    """Format a perplexity: 5.284, 123.4, 12,345."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
