"""Each learned position compared with all others, as small maps placed like their patches, and the grid in them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata  # type: ignore[import-untyped]

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.position_properties import cosine_similarities
from core.rooms.patches.experiments import digits
from core.rooms.patches.inputs import DigitsRunInputs
from core.ui.widgets.picture_grid import to_grid

LABELS = module_labels(__name__)

Array = NDArray[np.float64]
N_SHUFFLE = 1_000
NEIGHBOR_DISTANCE = 1.5  # patches; smaller distances are those of neighbors: left, right, above, below, or at a corner
POSITION_GROUPS = (
    LABELS["group.beside"],
    LABELS["group.above_or_below"],
    LABELS["group.row"],
    LABELS["group.column"],
    LABELS["group.elsewhere"],
)


@dataclass(frozen=True)
class PositionMaps:
    """A table of positions, compared with the grid of the patches."""

    cosine: Array  # (P, P) similarity of every two patches' positions; the class token's is left out
    distance: Array  # (P, P) distance between the two patches, in patches
    # rank correlation of similarity with nearness over all pairs: 1 if nearer positions are always more similar, about
    # 0 if the table knows nothing of the grid
    found: float
    by_chance: Array  # (N,) the same for the same table with the patches randomly permuted, N times
    beside: int  # number of patches whose most similar one is a neighbor in the grid, including corners
    groups: (
        Array  # mean cosine with the patches of each of `POSITION_GROUPS`; nan if there are none, as in a grid of 2 x 2
    )

    @property
    def n_as_good(self) -> int:
        """The number of random permutations that fit the grid at least as well."""
        return int((self.by_chance >= self.found).sum())


def position_maps(table: NDArray[np.floating]) -> PositionMaps:
    """Compare learned positions with the grid.

    Args:
        table: (1 + P, D) a ViT's positions; row 0, the class token's, is left out. P is a square number above 1.

    Raises:
        ValueError: if the patches don't form a square.

    Source: the maps: Dosovitskiy et al. 2020 (2010.11929), figure 7; the permutation test: Mantel 1967.
    """
    n = round((len(table) - 1) ** 0.5)
    if n < 2 or n * n != len(table) - 1:
        raise ValueError(f"{len(table) - 1} patches don't form a square of at least 2 x 2")
    cosine = cosine_similarities(table[1:])
    places = np.stack(np.divmod(np.arange(n * n), n), 1)  # (P, 2) row and column
    down, across = np.abs(places[:, None] - places[None]).transpose(2, 0, 1)
    distance = np.sqrt(down**2 + across**2)
    one, other = np.triu_indices(n * n, 1)
    alike = _ranks(cosine[one, other])
    near = np.zeros_like(distance)
    near[one, other] = _ranks(-distance[one, other])
    near += near.T
    rng = np.random.default_rng(0)
    orders = np.stack([np.arange(n * n), *(rng.permutation(n * n) for _ in range(N_SHUFFLE))])  # first: unchanged
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
        beside=int((distance[np.arange(n * n), others.argmax(1)] < NEIGHBOR_DISTANCE).sum()),
        groups=np.array([cosine[group].mean() if group.any() else np.nan for group in groups]),
    )


def _ranks(values: Array) -> Array:
    """Return ranks with mean 0 and standard deviation 1; equal values share a rank."""
    rank: Array = rankdata(values.round(12))
    spread = rank.std()
    return np.zeros_like(rank) if spread == 0 else (rank - rank.mean()) / spread


CODE = (position_maps, cosine_similarities)


class Inputs(DigitsRunInputs):
    """Only the trained ViT."""


class PositionSimilarity(Result):
    """The ViT's positions before training, and the learned ones."""

    before: PositionMaps
    after: PositionMaps
    n_patch: int
    # mean cosine of each of `POSITION_GROUPS` that exists, before training and now
    groups: list[tuple[str, float, float]]
    formula: str  # two of the cosines

    def table(self) -> Table:
        """Return one row per group."""
        before, now = self.before.groups.tolist(), self.after.groups.tolist()
        return {
            LABELS["table.patch"]: list(POSITION_GROUPS),
            LABELS["table.mean_cosine_before_training"]: before,
            LABELS["table.mean_cosine_now"]: now,
        }


def compute(inputs: Inputs) -> PositionSimilarity:
    """Compute the cosine of every two positions: before training, and as learned."""
    run = inputs.run
    began = digits.vit_trainer(digits.Options(**run.options), run.seed).model.pos_emb.weight.detach().numpy()
    before, after = map(position_maps, (began, run.record["model.vit.pos_emb.weight"].astype(np.float32)))
    groups = zip(POSITION_GROUPS, map(float, before.groups), map(float, after.groups), strict=True)
    cosine = after.cosine
    n = len(cosine)
    return PositionSimilarity(
        before=before,
        after=after,
        n_patch=n,
        groups=[group for group in groups if np.isfinite(group[2])],
        formula=rf"\cos(0, 1) = {cosine[0, 1]:.3f} \qquad \cos(0, {n - 1}) = {cosine[0, -1]:.3f}",
    )


def draw(result: PositionSimilarity, inputs: Inputs) -> None:
    """Draw maps of similarity before and after training, and how well they fit the grid."""
    run = inputs.run
    after = LABELS["after_training"] if run.is_done else LABELS("after_steps", step=run.step)
    n_patch, side = result.n_patch, round(result.n_patch**0.5)
    for place, title, maps in zip(
        ui.two_columns("similarity", alike=True),
        (LABELS["before_training"], after),
        (result.before, result.after),
        strict=True,
    ):
        with place:
            ui.pictures(
                np.zeros((n_patch, side, side), np.uint8),
                key=f"similarity-{'before' if maps is result.before else 'after'}-{run.seed}-{n_patch}",
                label=title,
                takeaway=ui.section_text("maps", title=title, beside=maps.beside),
                titles=[f"{i}" for i in range(n_patch)],
                details=[LABELS("position", i=i) for i in range(n_patch)],
                weights=to_grid(maps.cosine),
                weight_title=LABELS["cosine"],
                limits=(-1, 1),
                kind="signed",
                lines=1 if side < 8 else None,  # on cells of a few pixels they would hide the values
                columns=side,
                size=96 if side < 8 else 48,
                least=24,  # a phone keeps the grid, because the position of a map is the position of its patch
            )
