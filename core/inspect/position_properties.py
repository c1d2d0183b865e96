"""Measurements of position vectors: constant norm, dot products by distance, a rotation for each shift."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.nn.positions import rotate, sinusoidal

LABELS = module_labels(__name__)

FloatArray = NDArray[np.float64]


def sinusoidal_frequencies(d_model: int, base: float = 10000.0) -> Float[FloatArray, " pair"]:
    """Return the frequency of each of the D / 2 pairs of numbers, in radians per position.

    Source: Vaswani et al. 2017, section 3.5.
    """
    return base ** (-2 * np.arange(d_model // 2) / d_model)


def sinusoidal_shift_matrix(shift: int, d_model: int) -> Float[FloatArray, "D D"]:
    """Return the rotation R with PE(p + shift) = R PE(p) for every p, which has a 2 x 2 block for each pair.

    The shift may be negative; the width must be even.

    Source: Vaswani et al. 2017, section 3.5: "PE(pos + k) can be represented as a linear function of PE(pos)".
    """
    matrix = np.zeros((d_model, d_model))
    for i, angle in enumerate(shift * sinusoidal_frequencies(d_model)):
        cos, sin = np.cos(angle), np.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]  # acts on (sin, cos)
    return matrix


@dataclass(frozen=True)
class SinusoidalShiftByRotation:
    """The result of applying one rotation, `matrix`, to every position."""

    matrix: Float[FloatArray, "D D"]
    vectors: Float[FloatArray, "T D"]  # PE(p)
    moved: Float[FloatArray, "T D"]  # the rotation times PE(p)
    wanted: Float[FloatArray, "T D"]  # PE(p + shift), computed directly
    residual: Float[FloatArray, " T"]  # largest difference between the two at each position
    shift: int
    products: Float[FloatArray, "T T"]  # dot products of all positions

    @property
    def formula(self) -> str:
        """The blocks of the first and the last pair, as a formula."""
        n_pair = len(self.matrix) // 2
        return rf"\begin{{gathered}} {self._block(0)} \\[1ex] {self._block(n_pair - 1)} \end{{gathered}}"

    def _block(self, pair: int) -> str:
        (cos, sin), (minus, _) = self.matrix[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] + 0.0  # never -0
        rows = rf"{cos:.4f} & {sin:.4f} \\ {minus:.4f} & {cos:.4f}"
        name = LABELS["formula.pair"]
        return rf"\text{{{name} }} {pair}:\ \begin{{pmatrix}} {rows} \end{{pmatrix}}"

    def arrays(self) -> dict[str, FloatArray]:
        return {
            "rotation": self.matrix,
            "table": self.vectors,
            "products": self.products,
            "residual": self.residual,
        }

    def table(self) -> Table:
        """Return a table with a row for each position: the largest error of the rotation there."""
        return {
            LABELS["column.position_t"]: np.arange(len(self.residual)),
            LABELS["column.rotation_error"]: self.residual,
        }


def compare_sinusoidal_rotation(n_position: int, d_model: int, shift: int) -> SinusoidalShiftByRotation:
    """Rotate every PE(p) by the rotation of the shift, and compare with PE(p + shift), in float64.

    The width is even, the shift 0 or more.

    Source: Vaswani et al. 2017, section 3.5.
    """
    table = sinusoidal(n_position + shift, d_model, dtype=torch.float64).numpy()
    matrix = sinusoidal_shift_matrix(shift, d_model)
    moved = table[:n_position] @ matrix.T
    wanted, vectors = table[shift:], table[:n_position]
    residual = np.abs(moved - wanted).max(-1)
    return SinusoidalShiftByRotation(matrix, vectors, moved, wanted, residual, shift, vectors @ vectors.T)


@dataclass(frozen=True)
class PositionVectorProperties:
    """The three properties of a table of position vectors, as measured."""

    vectors: Float[FloatArray, "T D"]
    squared_norm: Float[FloatArray, " T"]  # constant if each pair is a sine and a cosine of the same angle
    products: Float[FloatArray, "T S"]  # dot products of all pairs of positions
    spread: Float[FloatArray, " T"]  # range of the products at each distance; 0 if they depend only on the distance
    shift: int  # number of positions of the shift
    misfit: float  # largest error of the best matrix for that shift; 0 if a single matrix shifts every position


def measure_position_properties(
    table: Float[Tensor, "T D"], longer: Float[Tensor, "U D"], shift: int = 5
) -> PositionVectorProperties:
    """Measure the three properties of a table of position vectors, in float64.

    longer: the same scheme over more positions, for fitting the matrix: with fewer positions than dimensions, some
    matrix always fits, which would prove nothing.

    Raises ValueError if `longer` has fewer than twice as many shifted pairs as a vector has dimensions.
    """
    n_move, d_model = len(longer) - shift, longer.shape[1]
    if n_move < 2 * d_model:
        raise ValueError(f"{n_move} moves are too few to judge a matrix of {d_model} x {d_model} numbers")
    products = table @ table.T
    before, after = longer[:-shift], longer[shift:]
    best = torch.linalg.lstsq(before, after, driver="gelsd").solution  # (D, D), least squares
    return PositionVectorProperties(
        vectors=table.numpy(),
        squared_norm=table.square().sum(-1).numpy(),
        products=products.numpy(),
        spread=range_by_distance(products.numpy()),
        shift=shift,
        misfit=float((before @ best - after).abs().max()),
    )


def range_by_distance(products: Float[FloatArray, "T S"]) -> Float[FloatArray, " T"]:
    """Return the range (T,) of the entries of each diagonal 0 .. T - 1 of a (T, T) table."""
    return np.array([np.ptp(np.diagonal(products, distance)) for distance in range(len(products))])


def random_query_and_key(d_head: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return a query and a key before rotation, (K,) each, with normally distributed random numbers."""
    q, k = np.random.default_rng(seed).standard_normal((2, d_head))
    return q, k


def rotary_scores(
    q: Float[FloatArray, " K"],
    k: Float[FloatArray, " K"],
    n_position: int,
    base: float = 10000.0,
    interleaved: bool = False,
) -> Float[FloatArray, "T S"]:
    """Return the dot products of a query with a key, for all pairs of positions: (T, T), query down, key across.

    K is even; `base` and `interleaved` as in `rotate`.

    Source: Su et al. 2021 (2104.09864), section 3.2.
    """
    places = torch.arange(n_position)
    rows = torch.tensor(np.stack([q, k]), dtype=torch.float64)[:, None].expand(-1, n_position, -1)  # (2, T, K)
    turned_q, turned_k = rotate(rows, places, base, interleaved)
    return np.asarray((turned_q @ turned_k.T).numpy())


def scores_by_distance(scores: Float[FloatArray, "T S"]) -> Float[FloatArray, " distance"]:
    """Return scores that depend only on the distance, by key minus query from -(T - 1) to T - 1: (2 T - 1,)."""
    return np.concatenate([scores[:0:-1, 0], scores[0]])


def cosine_similarities(table: Float[NDArray[np.floating], "T D"]) -> Float[FloatArray, "T S"]:
    """Return the cosine similarity of all pairs of rows: (T, T); a row of zeros has cosine 0 with every row."""
    rows = np.asarray(table, np.float64)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(length > 0, length, 1)
    return unit @ unit.T


def mean_by_distance(similarity: Float[NDArray[np.floating], "T S"]) -> Float[FloatArray, " T"]:
    """Return the mean of each diagonal of a (T, T) table: entry d averages all pairs that are d positions apart."""
    return np.array([np.diagonal(similarity, distance).mean() for distance in range(len(similarity))])


@dataclass(frozen=True)
class LearnedPositions:
    """A table of learned position vectors: the norm of each row, and the cosine of all pairs of rows."""

    vectors: Float[NDArray[np.float32], "T D"]
    length: Float[FloatArray, " T"]
    cosine: Float[FloatArray, "T S"]

    @property
    def by_distance(self) -> FloatArray:
        """The mean cosine of all pairs at each distance, (T,)."""
        return mean_by_distance(self.cosine)

    def table(self) -> Table:
        """Return a table with a row for each position, and for the distance of the same number."""
        n = len(self.vectors)
        return {
            LABELS["column.position"]: range(n),
            LABELS["column.length"]: self.length,
            LABELS["column.distance"]: range(n),
            LABELS["column.cosine"]: self.by_distance,
        }


def learned_position_similarities(table: Float[NDArray[np.floating], "T D"]) -> LearnedPositions:
    """Compare all pairs of rows of a (T, D) table.

    Source: Wang and Chen 2020 (2010.04903).
    """
    rows = np.asarray(table, np.float32)
    return LearnedPositions(rows, np.linalg.norm(rows.astype(np.float64), axis=1), cosine_similarities(rows))
