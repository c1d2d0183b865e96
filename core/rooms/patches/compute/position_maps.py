"""What a ViT has learned about where its patches are: each position beside all others, and whether it makes a grid."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata  # type: ignore[import-untyped]

from core.inspect.positions import cosines

Array = NDArray[np.float64]
N_SHUFFLE = 1_000
BESIDE = 1.5  # a distance below it is that of a neighbor: beside, above, below, or at a corner
GROUPS = ("left or right of it", "above or below it", "farther in its row", "farther in its column", "elsewhere")


@dataclass(frozen=True)
class PositionMaps:
    """A table of positions, compared with the grid that the patches lie in."""

    cosine: Array  # (P, P) similarity of every two patches' positions; the class token's is left out
    distance: Array  # (P, P) how far apart the two patches lie, in patches
    # rank correlation of similarity with nearness over all pairs: 1 if the nearer is always the more alike, about 0 if
    # the table knows nothing of the grid
    found: float
    by_chance: Array  # (N,) the same for the same table with the patches' places drawn anew, N times
    beside: int  # how many patches have their most similar one beside them in the grid, corners included
    groups: Array  # mean cosine with the patches of each of `GROUPS`; nan where there are none, as in a grid of 2 x 2

    @property
    def n_as_good(self) -> int:
        """How many of the random orders fit the grid at least as well."""
        return int((self.by_chance >= self.found).sum())


def position_maps(table: NDArray[np.floating]) -> PositionMaps:
    """Compare learned positions with the grid.

    Args:
        table: (1 + P, D) a ViT's positions; row 0, the class token's, is left out. P is a square number above 1.

    Raises:
        ValueError: if the patches make no square.

    Source: the maps: Dosovitskiy et al. 2020 (2010.11929), figure 7; the test against random orders: Mantel 1967.
    """
    n = round((len(table) - 1) ** 0.5)
    if n < 2 or n * n != len(table) - 1:
        raise ValueError(f"{len(table) - 1} patches make no square of at least 2 x 2")
    cosine = cosines(table[1:])
    places = np.stack(np.divmod(np.arange(n * n), n), 1)  # (P, 2) row and column
    down, across = np.abs(places[:, None] - places[None]).transpose(2, 0, 1)
    distance = np.sqrt(down**2 + across**2)
    one, other = np.triu_indices(n * n, 1)
    alike = _ranks(cosine[one, other])
    near = np.zeros_like(distance)
    near[one, other] = _ranks(-distance[one, other])
    near += near.T
    rng = np.random.default_rng(0)
    orders = np.stack([np.arange(n * n), *(rng.permutation(n * n) for _ in range(N_SHUFFLE))])  # first: as it is
    scores = near[orders[:, one], orders[:, other]] @ alike / len(one)
    others = np.where(np.eye(n * n, dtype=bool), -np.inf, cosine)
    beside, below = (down == 0) & (across == 1), (across == 0) & (down == 1)
    row, column = (down == 0) & (across > 1), (across == 0) & (down > 1)
    groups = (beside, below, row, column, (down > 0) & (across > 0))
    return PositionMaps(
        cosine=cosine,
        distance=distance,
        found=float(scores[0]),
        by_chance=scores[1:],
        beside=int((distance[np.arange(n * n), others.argmax(1)] < BESIDE).sum()),
        groups=np.array([cosine[group].mean() if group.any() else np.nan for group in groups]),
    )


def _ranks(values: Array) -> Array:
    """Ranks with mean 0 and deviation 1; equal values share theirs."""
    rank: Array = rankdata(values.round(12))
    spread = rank.std()
    return np.zeros_like(rank) if spread == 0 else (rank - rank.mean()) / spread
