"""One vector for a whole sentence, the mean of its tokens' vectors, and the similarities between sentences."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data import lines
from core.data.localization.labels import module_labels
from core.data.sentences import GENERAL
from core.exhibit import MAX_TRACES, NothingToShow, Result, Table, custom_control, memoize, segmented_control
from core.inspect.attention_record import as_batch, to_numpy
from core.inspect.model_inputs.model_and_text import encode_text, load_text_reader, sample_text_of
from core.inspect.model_inputs.model_key import ModelKey
from core.nn.tap import Trace
from core.rooms.embeddings import facts
from core.rooms.embeddings.inputs import EmbeddingInputs
from core.rooms.embeddings.word_path import default_sentences

LABELS = module_labels(__name__)

MAX_SENTENCES = 8
MAX_TOKENS = 128  # in a sentence
STORIES = (
    "Mia looked for the red ball.",
    "Tom looked for the blue kite.",
    "Mia found the ball under the bench.",
    "Tom found the kite under the tree.",
    "The dog ran to the park.",
    "Anna was happy.",
)
# For models trained on general text: three pairs of sentences with similar meaning in different words.
GENERAL_SENTENCES = (
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
    vectors: NDArray[np.float32]  # (N, D) the mean of the last layer's output over each sentence's tokens
    cosines: NDArray[np.float64]  # (N, N) of each pair; nan for a zero vector
    nearest: list[int]  # (N,) the nearest other sentence; the sentence itself if no cosine exists
    pairs: list[tuple[float, int, int]]  # each pair with its cosine, the nearest first

    def table(self) -> Table:
        """Return one row for each pair of sentences."""
        rows = [(self.sentences[j], self.sentences[i], round(cosine, 5)) for cosine, i, j in self.pairs]
        return (
            dict(
                zip((LABELS["one"], LABELS["other"], LABELS["cosine"]), map(list, zip(*rows, strict=True)), strict=True)
            )
            if rows
            else {}
        )


def compare_sentences(
    sentences: tuple[str, ...], vectors: NDArray[np.float32], cosines: NDArray[np.float64]
) -> SentenceVectors:
    """Find each sentence's nearest sentence, and sort all pairs; see `SentenceVectors`."""
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
    """Return the mean over all tokens, special tokens included, of the last layer's normalized output (D,).

    Source: Reimers and Gurevych 2019 (1908.10084), section 3: the strategy "MEAN".
    """
    with torch.no_grad(), Trace(model) as trace:
        model(as_batch(model, ids))
    return to_numpy(trace["final"][0].float().mean(0))


def pairwise_cosines(vectors: NDArray[np.floating], *, centered: bool = False) -> NDArray[np.float64]:
    """Return the cosine of each pair of vectors (N, D) as (N, N); `centered` subtracts the mean of all first."""
    x = np.asarray(vectors, dtype=np.float64)
    x = x - x.mean(0) if centered else x
    lengths = np.linalg.norm(x, axis=1)
    both = lengths[:, None] * lengths
    return np.divide(x @ x.T, both, out=np.full(both.shape, np.nan), where=both > 0).clip(-1, 1)


CODE = (sentence_vector, pairwise_cosines)


def example_sentences(key: ModelKey) -> str:
    """Return sentences that a model should understand, one per line."""
    if facts.training_corpus(key) in ("stories", ""):
        return "\n".join(GENERAL_SENTENCES if sample_text_of(key) == GENERAL else STORIES)
    return "\n".join(default_sentences(key)[:2])


class Inputs(EmbeddingInputs):
    """Some sentences, and the way in which their vectors are compared."""

    sentences: str = custom_control(
        "core.rooms.embeddings.pick_sentences:pick_lines", lambda i: example_sentences(i.key), key=lambda i: i.key
    )
    measure: str = segmented_control(("plain", "centered"), "plain", name="sentence_measure")


def sentence_lines(text: str) -> tuple[str, ...]:
    """Return the sentences of a text that has one per line."""
    return tuple(lines.nonempty_lines(text))[:MAX_SENTENCES]


@memoize(MAX_TRACES)
def _cached_vector(key: ModelKey, sentence: str) -> NDArray[np.float32]:
    """Return the vector of one sentence; of a long one, only the last tokens are read."""
    found = encode_text(key, sentence, MAX_TOKENS)
    if not found.ids:
        raise NothingToShow(LABELS["no_tokens"])
    return sentence_vector(load_text_reader(key), found.ids)


def compute(inputs: Inputs) -> SentenceVectors:
    """Compute each sentence's mean vector, and the cosine of each pair."""
    lines = sentence_lines(inputs.sentences)
    if len(lines) < 2:
        raise NothingToShow(LABELS["too_few"])
    vectors = np.stack([_cached_vector(inputs.key, line) for line in lines])
    return compare_sentences(lines, vectors, pairwise_cosines(vectors, centered=inputs.measure == "centered"))


def draw(result: SentenceVectors, inputs: Inputs) -> None:
    """Draw a map of all pairs, and next to each sentence the one nearest to it."""
    numbers = [str(i) for i in range(1, len(result.sentences) + 1)]
    left, right = ui.two_columns("sentences")
    with left:
        ui.matrix(
            result.cosines,
            rows=numbers,
            columns=numbers,
            kind="signed",
            limits=(-1.0, 1.0),
            row_title=LABELS["sentence"],
            column_title=LABELS["sentence"],
            value_title=LABELS["cosine"],
            key="sentence-cosines",
            label=ui.section_text("label"),
        )
    with right:
        ui.show_text_section("list")
