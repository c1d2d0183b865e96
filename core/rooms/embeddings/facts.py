"""Facts about a model's tokens: their vectors, kinds, and counts in the model's training text."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core.exhibit import MAX_FIGURES, MAX_MODELS, Result, memoize
from core.inspect import vocabulary_facts
from core.inspect.model_inputs import model_key
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings.compute import embeddings

# More points cannot be distinguished on a screen, and t-SNE would take minutes.
MAX_TOKENS = 1_000
MAX_SOLID = 400  # for t-SNE in three dimensions, which takes several times as long as in two
N_NEAREST = 5  # neighbors in the check of a map


class TokenLayout(Result):
    """The positions of tokens on a map."""

    ids: tuple[int, ...]  # (N,) the tokens' ids, in order
    points: NDArray[np.float64]  # (N, n_axis)
    shares: NDArray[np.float64]  # (n_axis,) share of the variance along each axis; (0,) if axes have no meaning
    kept: float  # the share of near neighbors that are near on the map


def training_corpus(key: ModelKey) -> str:
    """Return the name of the text that the model was trained on; "" if unknown."""
    return str((model_key.read_model_provenance(key.folder).get("recipe") or {}).get("corpus", ""))


def embedding_table(key: ModelKey) -> Tensor:
    """Return the embedding of every token (V, D), which is the model's own table and not a copy."""
    return embeddings.token_table(load_text_model(key).model)


def load_vectors(key: ModelKey, ids: Sequence[int]) -> NDArray[np.float32]:
    """Return the embeddings of some tokens (N, D)."""
    return embeddings.token_vectors(load_text_model(key).model, ids)


@memoize(MAX_MODELS)
def token_lengths(key: ModelKey) -> NDArray[np.float64]:
    """Return the length of every token's vector (V,)."""
    return embeddings.vector_lengths(embedding_table(key))


@memoize(MAX_MODELS)
def token_labels(key: ModelKey) -> tuple[str, ...]:
    """Return printable, unique names of all tokens; duplicates are numbered."""
    return vocabulary_facts.token_labels(model_vocabulary(key))


@memoize(MAX_MODELS)
def token_counts(key: ModelKey) -> NDArray[np.int64] | None:
    """Return how often each token occurs in the first part of the model's training text (V,); None if unknown."""
    return vocabulary_facts.corpus_token_counts(
        load_text_model(key).text_tokenizer, len(model_vocabulary(key)), training_corpus(key)
    )


@memoize(MAX_MODELS)
def token_kinds(key: ModelKey) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the kind of every token, and the kinds in order, by the stories' grammar if it wrote the text."""
    return vocabulary_facts.token_kinds(
        load_text_model(key).text_tokenizer, model_vocabulary(key), training_corpus(key)
    )


@memoize(MAX_MODELS)
def count_unused_bytes(key: ModelKey) -> int:
    """Return the number of byte tokens kept for spelling unknown words, which the model's text never uses."""
    tokens = model_vocabulary(key)
    return len(tokens) - len(
        vocabulary_facts.tokens_except_unused_bytes(load_text_model(key).text_tokenizer, tokens, token_counts(key))
    )


@memoize(MAX_FIGURES)
def lay_out_tokens(key: ModelKey, method: str, n_axis: int, perplexity: float, seed: int) -> TokenLayout:
    """Return a map of all tokens in use, or of the most frequent ones; t-SNE takes up to a few seconds.

    Args:
        method: "pca" or "tsne"; only "tsne" uses the perplexity and the seed.
    """
    most = MAX_SOLID if (method, n_axis) == ("tsne", 3) else MAX_TOKENS
    ids = vocabulary_facts.select_map_token_ids(
        load_text_model(key).text_tokenizer, model_vocabulary(key), token_counts(key), most
    )
    chosen = load_vectors(key, ids)
    if method == "pca":
        found = embeddings.principal_components(chosen, n_axis)
        points, shares = found.points, found.shares
    else:
        perplexity = min(perplexity, max(2, (len(ids) - 1) // 3))
        points, shares = embeddings.tsne(chosen, n_axis, float(perplexity), seed), np.zeros(0)
    kept = embeddings.neighbor_preservation(chosen, points, N_NEAREST)
    return TokenLayout(ids=ids, points=points, shares=shares, kept=kept)


def default_token(key: ModelKey) -> int:
    """Return the token shown if a link names none: a toy of the stories, else the most frequent word-like token."""
    tokens, how_often = model_vocabulary(key), token_counts(key)
    if " ball" in tokens:
        return tokens.index(" ball")
    order = range(len(tokens)) if how_often is None else np.argsort(-how_often, kind="stable").tolist()
    return next((int(i) for i in order if len(tokens[i].strip()) > 2 and tokens[i].strip().isalpha()), 0)
