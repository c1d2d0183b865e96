"""Token vectors: comparing two, finding near ones, and the share of the table that a flat map can show."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table

LABELS = module_labels(__name__)

Vectors = NDArray[np.floating]


class TokenNeighbors(Result):
    """The tokens nearest to one token, by two measures that need not agree."""

    by_cosine: NDArray[np.int64]  # by_cosine, by_dot: (n,) ids, the nearest first, without the token itself
    by_dot: NDArray[np.int64]
    cosines: NDArray[np.float64]  # (V,) cosine of the angle to every token, -1 to 1; nan if a vector is zero
    dots: NDArray[np.float64]  # (V,) dot product with every token: cosine times both lengths, unbounded
    lengths: NDArray[np.float64]  # (V,) the length of every vector

    def table(self, labels: Sequence[str]) -> Table:
        """Return all tokens in the order of their ids, with printable names."""
        return {
            "id": list(range(len(labels))),
            LABELS["token"]: list(labels),
            LABELS["cosine"]: self.cosines.round(5).tolist(),
            LABELS["dot"]: self.dots.round(4).tolist(),
            LABELS["length"]: self.lengths.round(4).tolist(),
        }


class Projection(Result):
    """Principal components of a cloud of vectors."""

    points: NDArray[np.float64]  # (N, n) the coordinates of each vector on the n axes
    shares: NDArray[np.float64]  # (n,) the share of the variance along each axis, the largest first
    axes: NDArray[np.float64]  # (n, D) the axes: orthogonal, of length 1; the largest entry of each is positive


ROWS_AT_ONCE = 8_192  # rows of a large table converted to float64 at once: 50 MB for a GPT-2, instead of 300


def token_table(model: nn.Module) -> Float[Tensor, "V D"]:
    """Return a model's embedding matrix as stored, perhaps in half precision; row i is the vector of token i."""
    return model.get_parameter("tok_emb.weight").detach()


def token_vectors(model: nn.Module, ids: Sequence[int] | None = None) -> NDArray[np.float32]:
    """Return the vectors of tokens, before any position is added.

    Args:
        ids: (N,) of the tokens; None: all tokens, which shares the model's own memory if that is float32.

    Returns:
        (N, D) or (V, D), read-only.
    """
    table = token_table(model)
    rows = table if ids is None else table[torch.tensor(list(ids), device=table.device)]
    found: NDArray[np.float32] = rows.to("cpu", torch.float32).numpy()
    found.flags.writeable = False
    return found


def vector_lengths(vectors: Vectors | Tensor) -> NDArray[np.float64]:
    """Return the Euclidean length of each vector (V,)."""
    return np.concatenate([np.linalg.norm(part, axis=1) for part in _parts(vectors)])


def nearest_tokens(vectors: Vectors | Tensor, index: int, n: int = 8) -> TokenNeighbors:
    """Return the n tokens nearest to one token by cosine, and the n nearest by dot product.

    Args:
        vectors: (V, D) one row for each token.
        n: the number of neighbors; fewer if there are fewer tokens.

    Raises:
        ValueError: if there is no such token.
    """
    if not 0 <= index < len(vectors):
        raise ValueError(f"there is no token {index}: the table has the rows 0..{len(vectors) - 1}")
    row = next(_parts(vectors[index : index + 1]))[0]
    lengths = vector_lengths(vectors)
    dots = np.concatenate([part @ row for part in _parts(vectors)])
    both = lengths * lengths[index]
    cosines = np.divide(dots, both, out=np.full(len(dots), np.nan), where=both > 0).clip(-1, 1)

    def nearest(values: NDArray[np.float64]) -> NDArray[np.int64]:
        order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
        found: NDArray[np.int64] = order[order != index][:n]
        return found

    return TokenNeighbors(by_cosine=nearest(cosines), by_dot=nearest(dots), cosines=cosines, dots=dots, lengths=lengths)


def _parts(vectors: Vectors | Tensor) -> Iterator[NDArray[np.float64]]:
    """Yield the table in float64, some rows at a time."""
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        part = vectors[start : start + ROWS_AT_ONCE]
        yield part.double().cpu().numpy() if isinstance(part, Tensor) else np.asarray(part, dtype=np.float64)


def cosine_similarity(a: Vectors, b: Vectors) -> float:
    """Return the cosine of the angle between two vectors (dot product over both lengths); nan if one is zero."""
    both = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.clip(np.dot(a, b) / both, -1, 1)) if both > 0 else float("nan")


def principal_components(vectors: Vectors, n: int) -> Projection:
    """Return the n directions along which the vectors vary most, and the coordinates of each vector on them.

    Args:
        vectors: (N, D).
        n: 1 or more; axes beyond what N and D allow are zero.

    Source: Pearson 1901; here by the singular value decomposition of the centered table.
    """
    table = np.asarray(vectors, dtype=np.float64)
    centered = table - table.mean(0)
    _, sizes, directions = np.linalg.svd(centered, full_matrices=False)
    # An axis and its negative are equivalent; the sign is fixed, so that maps do not flip between runs.
    largest = np.abs(directions).argmax(1)
    directions = directions * np.where(directions[np.arange(len(directions)), largest] < 0, -1.0, 1.0)[:, None]
    axes, shares = np.zeros((n, table.shape[1])), np.zeros(n)
    found = min(n, len(sizes))
    axes[:found] = directions[:found]
    total = float((sizes**2).sum())
    if total > 0:
        shares[:found] = sizes[:found] ** 2 / total
    return Projection(points=centered @ axes.T, shares=shares, axes=axes)


def tsne(vectors: Vectors, n: int, perplexity: float, seed: int) -> NDArray[np.float64]:
    """Return a map that keeps each vector's nearest neighbors near, without preserving large distances.

    Args:
        vectors: (N, D), at least four.
        n: 2 or 3 axes.
        perplexity: roughly the number of neighbors that count for each vector; must be below N.

    Returns:
        (N, n). Axes, sizes of groups and distances between groups have no meaning.

    Raises:
        ValueError: if there are too few vectors for that perplexity.

    Source: van der Maaten and Hinton 2008; computed by scikit-learn (Barnes-Hut, van der Maaten 2014).
    """
    if not perplexity < len(vectors):
        raise ValueError(f"perplexity {perplexity:g} needs more than {perplexity:g} tokens; there are {len(vectors)}")
    from sklearn.manifold import TSNE  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # One thread, so that sums have a fixed order and a seed gives one map, and other visitors keep their cores.
    with threadpool_limits(1, user_api="openmp"):
        model = TSNE(n, perplexity=perplexity, init="random", random_state=seed, method="barnes_hut")
        points = model.fit_transform(np.asarray(vectors, dtype=np.float32))
    return np.asarray(points, dtype=np.float64)


def neighbor_preservation(vectors: Vectors, points: Vectors, n: int = 5) -> float:
    """Return the share of true near neighbors that a map preserves, 0 to 1; chance is n / (N - 1).

    It is the mean share of each vector's n nearest in the full space that are also among its n nearest on the map, by
    distance.

    Args:
        vectors: (N, D) the full space.
        points: (N, n_axis) the map.
    """
    n = min(n, len(vectors) - 1)
    if n < 1:
        return float("nan")
    true, shown = _nearest_by_distance(vectors, n), _nearest_by_distance(points, n)
    same = [len(set(a) & set(b)) for a, b in zip(true.tolist(), shown.tolist(), strict=True)]
    return float(np.mean(same)) / n


def _nearest_by_distance(points: Vectors, n: int) -> NDArray[np.int64]:
    """Return the ids of the n nearest other points of each point (N, n)."""
    table = np.asarray(points, dtype=np.float64)
    squares = (table**2).sum(1)
    distances = squares[:, None] + squares - 2 * table @ table.T
    np.fill_diagonal(distances, np.inf)
    nearest: NDArray[np.int64] = np.argsort(distances, axis=1, kind="stable")[:, :n]
    return nearest


class VectorPair(NamedTuple):
    """The comparison of two vectors."""

    dot: float  # sum of the products of their numbers; unbounded
    lengths: tuple[float, float]  # of the first and of the second vector
    cosine: float  # dot divided by both lengths, -1 to 1; nan if a vector is zero
    angle: float  # in degrees, 0 to 180; nan if a vector is zero
    distance: float  # the length of their difference


def compare_vectors(q: Sequence[float], k: Sequence[float]) -> VectorPair:
    """Compare two vectors of the same width.

    Raises:
        ValueError: if their widths differ.
    """
    if len(q) != len(k):
        raise ValueError(f"vectors of {len(q)} and {len(k)} numbers cannot be multiplied")
    dot = sum(a * b for a, b in zip(q, k, strict=True))
    lengths = math.hypot(*q), math.hypot(*k)
    both = lengths[0] * lengths[1]
    cosine = max(-1.0, min(1.0, dot / both)) if both > 0 else math.nan
    return VectorPair(dot, lengths, cosine, math.degrees(math.acos(cosine)) if both > 0 else math.nan, math.dist(q, k))


def pair_table(pairs: Sequence[tuple[str, Sequence[float], Sequence[float]]]) -> Table:
    """Return one row for each pair of vectors in the plane."""
    compared = [compare_vectors(q, k) for _, q, k in pairs]
    return {
        LABELS["example"]: [name for name, _, _ in pairs],
        "q": [f"({q[0]:g}, {q[1]:g})" for _, q, _ in pairs],
        "k": [f"({k[0]:g}, {k[1]:g})" for _, _, k in pairs],
        LABELS["dot"]: [round(pair.dot, 4) for pair in compared],
        LABELS["cosine"]: [round(pair.cosine, 4) for pair in compared],
        LABELS["length_q"]: [round(pair.lengths[0], 4) for pair in compared],
        LABELS["length_k"]: [round(pair.lengths[1], 4) for pair in compared],
        LABELS["angle"]: [round(pair.angle, 2) for pair in compared],
        LABELS["distance"]: [round(pair.distance, 4) for pair in compared],
    }
