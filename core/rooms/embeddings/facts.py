"""What the room knows of a model's tokens: their vectors, their kinds, how often its text holds them."""

import numpy as np
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, MAX_MODELS, memoize
from core.inspect import token_facts
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute.embeddings import Neighbors, Projection
from core.ui.models import models
from core.ui.models.models import ModelKey

# More points cannot be told apart on a screen, and a map of neighbors would take minutes.
MOST_TOKENS = 1_000
MOST_SOLID = 400  # of t-SNE in three dimensions, which takes several times as long as in two
N_NEAREST = 5  # neighbors in the check of a map


def vectors(key: ModelKey) -> NDArray[np.float32]:
    """(V, D) the embedding of every token: the model's own table, so it is not kept a second time."""
    return embeddings.token_vectors(models.load(key).model)


@memoize(MAX_MODELS)
def lengths(key: ModelKey) -> NDArray[np.float64]:
    """(V,) the length of every token's vector."""
    return embeddings.lengths_of(vectors(key))


@memoize(MAX_MODELS)
def labels(key: ModelKey) -> tuple[str, ...]:
    """Every token as it can be read, each different: doubles get their number."""
    return token_facts.labels(models.vocabulary(key))


@memoize(MAX_MODELS)
def counts(key: ModelKey) -> NDArray[np.int64] | None:
    """(V,) how often each token stands in the first part of the text that the model was trained on; None if unknown."""
    return token_facts.counts(models.load(key).tokenizer, len(models.vocabulary(key)), models.about(key).corpus)


@memoize(MAX_MODELS)
def kinds(key: ModelKey) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kind of every token, and the kinds in their order: by the stories' grammar where it wrote the text."""
    return token_facts.kinds(models.load(key).tokenizer, models.vocabulary(key), models.about(key).corpus)


@memoize(MAX_MODELS)
def mapped(key: ModelKey, most: int) -> tuple[int, ...]:
    """The ids of the tokens on the map, in their order: all that are in use, or the most frequent ones."""
    return token_facts.on_map(models.load(key).tokenizer, models.vocabulary(key), counts(key), most)


@memoize(MAX_MODELS)
def n_unused(key: ModelKey) -> int:
    """How many bytes the vocabulary keeps for spelling unknown words, though the model's text never needs them."""
    vocabulary = models.vocabulary(key)
    return len(vocabulary) - len(token_facts.in_use(models.load(key).tokenizer, vocabulary, counts(key)))


@memoize(MAX_FIGURES)
def pca(key: ModelKey, n_axis: int) -> Projection:
    """The principal components of the tokens on the map."""
    return embeddings.principal_components(vectors(key)[list(mapped(key, MOST_TOKENS))], n_axis)


@memoize(MAX_FIGURES)
def tsne(key: ModelKey, n_axis: int, perplexity: float, seed: int) -> NDArray[np.float64]:
    """A t-SNE map of the tokens; takes from some tenths of a second to some seconds."""
    most = MOST_TOKENS if n_axis == 2 else MOST_SOLID
    return embeddings.tsne(vectors(key)[list(mapped(key, most))], n_axis, perplexity, seed)


@memoize(MAX_FIGURES)
def kept_by_pca(key: ModelKey, n_axis: int) -> float:
    """The share of near neighbors that the PCA map keeps."""
    chosen = list(mapped(key, MOST_TOKENS))
    return embeddings.neighbors_kept(vectors(key)[chosen], pca(key, n_axis).points, N_NEAREST)


@memoize(MAX_FIGURES)
def kept_by_tsne(key: ModelKey, n_axis: int, perplexity: float, seed: int) -> float:
    """The share of near neighbors that a t-SNE map keeps."""
    chosen = list(mapped(key, MOST_TOKENS if n_axis == 2 else MOST_SOLID))
    return embeddings.neighbors_kept(vectors(key)[chosen], tsne(key, n_axis, perplexity, seed), N_NEAREST)


@memoize(MAX_FIGURES)
def nearest(key: ModelKey, token: int, n: int) -> Neighbors:
    """The tokens nearest to one, by cosine and by dot product."""
    return embeddings.neighbors(vectors(key), token, n)


def first_token(key: ModelKey) -> int:
    """The token to look at when a link names none: a toy of the stories, else the most frequent word-like one."""
    vocabulary = models.vocabulary(key)
    if " ball" in vocabulary:
        return vocabulary.index(" ball")
    how_often = counts(key)
    order = range(len(vocabulary)) if how_often is None else np.argsort(-how_often, kind="stable").tolist()
    return next((int(i) for i in order if len(vocabulary[i].strip()) > 2 and vocabulary[i].strip().isalpha()), 0)
