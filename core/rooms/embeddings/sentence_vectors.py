"""One vector for a whole sentence: the mean of its tokens' vectors, and which sentences are near to which."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data import lines
from core.data.sentences import GENERAL
from core.exhibit import MAX_TRACES, NothingToShow, Result, Table, custom, memoize, segmented
from core.inspect.reading.model_and_text import encode, reader, sample_of
from core.inspect.reading.model_key import ModelKey
from core.inspect.trace import as_batch, to_numpy
from core.nn.tap import Trace
from core.rooms.embeddings import facts
from core.rooms.embeddings.inputs import Looked
from core.rooms.embeddings.word_path import default_sentences

MOST_SENTENCES = 8
MOST_TOKENS = 128  # of a sentence
MEASURES = {"plain": "as they are", "centered": "less their mean"}
STORIES = (
    "Mia looked for the red ball.",
    "Tom looked for the blue kite.",
    "Mia found the ball under the bench.",
    "Tom found the kite under the tree.",
    "The dog ran to the park.",
    "Anna was happy.",
)
# For models that were trained on nearly everything: three pairs that mean nearly the same in other words.
ANYTHING = (
    "The man bought a new car.",
    "He got himself another vehicle.",
    "It rained all day.",
    "The weather was wet.",
    "The bank lends money.",
    "We sat on the river bank.",
)


class SentenceVectors(Result):
    """Sentences and their vectors."""

    sentences: tuple[str, ...]
    vectors: NDArray[np.float32]  # (N, D) the mean over each sentence's tokens of what comes out of the last layer
    cosines: NDArray[np.float64]  # (N, N) of each two; of a vector without length, nan
    nearest: list[int]  # (N,) the other sentence nearest to each; the sentence itself where none has a cosine with it
    pairs: list[tuple[float, int, int]]  # each two with their cosine, the nearest first

    def table(self) -> Table:
        """One line for each two sentences."""
        rows = [(self.sentences[j], self.sentences[i], round(cosine, 5)) for cosine, i, j in self.pairs]
        return dict(zip(("one", "other", "cosine"), map(list, zip(*rows, strict=True)), strict=True)) if rows else {}


def compared(sentences: tuple[str, ...], vectors: NDArray[np.float32], cosines: NDArray[np.float64]) -> SentenceVectors:
    """Find the nearest sentence of each, and the order of all pairs; see `SentenceVectors`."""
    n = len(sentences)
    others = np.where(np.eye(n, dtype=bool), np.nan, cosines)
    found = [(float(cosines[i, j]), i, j) for i in range(n) for j in range(i)]
    return SentenceVectors(
        sentences=sentences,
        vectors=vectors,
        cosines=cosines,
        nearest=[i if np.isnan(row).all() else int(np.nanargmax(row)) for i, row in enumerate(others)],
        pairs=sorted((one for one in found if not np.isnan(one[0])), reverse=True),
    )


def sentence_vector(model: nn.Module, ids: Sequence[int]) -> NDArray[np.float32]:
    """(D,) the mean over all tokens of what comes out of the last layer and its norm; marks around a text count too.

    Source: Reimers and Gurevych 2019 (1908.10084), section 3: the strategy "MEAN".
    """
    with torch.no_grad(), Trace(model) as trace:
        model(as_batch(model, ids))
    return to_numpy(trace["final"][0].float().mean(0))


def cosines(vectors: NDArray[np.floating], *, centered: bool = False) -> NDArray[np.float64]:
    """(N, N) cosine of each two of (N, D) vectors; centered: the mean of all is taken off first."""
    x = np.asarray(vectors, dtype=np.float64)
    x = x - x.mean(0) if centered else x
    lengths = np.linalg.norm(x, axis=1)
    both = lengths[:, None] * lengths
    return np.divide(x @ x.T, both, out=np.full(both.shape, np.nan), where=both > 0).clip(-1, 1)


CODE = (sentence_vector, cosines)


def examples(key: ModelKey) -> str:
    """Sentences that a model should understand, one on each line."""
    if facts.corpus(key) in ("stories", ""):
        return "\n".join(ANYTHING if sample_of(key) == GENERAL else STORIES)
    return "\n".join(default_sentences(key)[:2])


class Inputs(Looked):
    """Some sentences, and how their vectors are compared."""

    sentences: str = custom(
        "core.rooms.embeddings.pick_sentences:pick_lines", lambda i: examples(i.key), key=lambda i: i.key
    )
    measure: str = segmented("Compare the vectors", MEASURES, "plain", name="sentence_measure")


def lines_of(text: str) -> tuple[str, ...]:
    """The sentences of a text that has one on each line."""
    return tuple(lines.lines_of(text))[:MOST_SENTENCES]


@memoize(MAX_TRACES)
def vector_of(key: ModelKey, sentence: str) -> NDArray[np.float32]:
    """The vector of one sentence, of which the last tokens are read where it is long."""
    found = encode(key, sentence, MOST_TOKENS)
    if not found.ids:
        raise NothingToShow("One of the sentences has no token that this model knows.")
    return sentence_vector(reader(key), found.ids)


def compute(inputs: Inputs) -> SentenceVectors:
    """Each sentence's mean, and the cosine of each two."""
    lines = lines_of(inputs.sentences)
    if len(lines) < 2:
        raise NothingToShow("Type at least two sentences, each on a line of its own.")
    vectors = np.stack([vector_of(inputs.key, line) for line in lines])
    return compared(lines, vectors, cosines(vectors, centered=inputs.measure == "centered"))


def draw(result: SentenceVectors, inputs: Inputs) -> None:
    """A map of each two, and beside each sentence the one that is nearest to it."""
    numbers = [str(i) for i in range(1, len(result.sentences) + 1)]
    left, right = ui.pair("sentences")
    with left:
        ui.matrix(
            result.cosines,
            rows=numbers,
            columns=numbers,
            kind="signed",
            limits=(-1.0, 1.0),
            row_title="sentence",
            column_title="sentence",
            value_title="cosine",
            key="sentence-cosines",
            label=ui.words("label"),
        )
    with right:
        ui.say("list")
