"""What the room knows of a model's tokens: their vectors, their kinds, how often its text holds them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.exhibit import MAX_FIGURES, MAX_MODELS, Result, memoize
from core.inspect import token_facts
from core.inspect.reading import model_key
from core.inspect.reading.model_and_text import load, vocabulary
from core.inspect.reading.model_key import ModelKey
from core.rooms.embeddings.compute import embeddings

# More points cannot be told apart on a screen, and a map of neighbors would take minutes.
MOST_TOKENS = 1_000
MOST_SOLID = 400  # of t-SNE in three dimensions, which takes several times as long as in two
N_NEAREST = 5  # neighbors in the check of a map


class TokenMap(Result):
    """Where tokens lie on a map."""

    ids: tuple[int, ...]  # (N,) of the tokens, in their order
    points: NDArray[np.float64]  # (N, n_axis)
    shares: NDArray[np.float64]  # (n_axis,) of the variance along each axis; (0,) where axes have no meaning
    kept: float  # the share of near neighbors that are near on the map


def corpus(key: ModelKey) -> str:
    """The name of the text that the model was trained on; "" if unknown."""
    return str((model_key.facts(key.folder).get("recipe") or {}).get("corpus", ""))


def table(key: ModelKey) -> Tensor:
    """(V, D) the embedding of every token: the model's own table, so it is not kept a second time."""
    return embeddings.token_table(load(key).model)


def vectors(key: ModelKey, ids: Sequence[int]) -> NDArray[np.float32]:
    """(N, D) the embeddings of some tokens."""
    return embeddings.token_vectors(load(key).model, ids)


@memoize(MAX_MODELS)
def lengths(key: ModelKey) -> NDArray[np.float64]:
    """(V,) the length of every token's vector."""
    return embeddings.lengths_of(table(key))


@memoize(MAX_MODELS)
def labels(key: ModelKey) -> tuple[str, ...]:
    """Every token as it can be read, each different: doubles get their number."""
    return token_facts.labels(vocabulary(key))


@memoize(MAX_MODELS)
def counts(key: ModelKey) -> NDArray[np.int64] | None:
    """(V,) how often each token stands in the first part of the text that the model was trained on; None if unknown."""
    return token_facts.counts(load(key).text_tokenizer, len(vocabulary(key)), corpus(key))


@memoize(MAX_MODELS)
def kinds(key: ModelKey) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kind of every token, and the kinds in their order: by the stories' grammar where it wrote the text."""
    return token_facts.kinds(load(key).text_tokenizer, vocabulary(key), corpus(key))


@memoize(MAX_MODELS)
def n_unused(key: ModelKey) -> int:
    """How many bytes the vocabulary keeps for spelling unknown words, though the model's text never needs them."""
    tokens = vocabulary(key)
    return len(tokens) - len(token_facts.in_use(load(key).text_tokenizer, tokens, counts(key)))


@memoize(MAX_FIGURES)
def token_map(key: ModelKey, method: str, n_axis: int, perplexity: float, seed: int) -> TokenMap:
    """A map of all tokens in use, or the most frequent ones; t-SNE takes up to a few seconds.

    Args:
        method: "pca" or "tsne", which alone has a perplexity and a seed.
    """
    most = MOST_SOLID if (method, n_axis) == ("tsne", 3) else MOST_TOKENS
    ids = token_facts.on_map(load(key).text_tokenizer, vocabulary(key), counts(key), most)
    chosen = vectors(key, ids)
    if method == "pca":
        found = embeddings.principal_components(chosen, n_axis)
        points, shares = found.points, found.shares
    else:
        perplexity = min(perplexity, max(2, (len(ids) - 1) // 3))
        points, shares = embeddings.tsne(chosen, n_axis, float(perplexity), seed), np.zeros(0)
    kept = embeddings.neighbors_kept(chosen, points, N_NEAREST)
    return TokenMap(ids=ids, points=points, shares=shares, kept=kept)


def first_token(key: ModelKey) -> int:
    """The token to look at when a link names none: a toy of the stories, else the most frequent word-like one."""
    tokens, how_often = vocabulary(key), counts(key)
    if " ball" in tokens:
        return tokens.index(" ball")
    order = range(len(tokens)) if how_often is None else np.argsort(-how_often, kind="stable").tolist()
    return next((int(i) for i in order if len(tokens[i].strip()) > 2 and tokens[i].strip().isalpha()), 0)
