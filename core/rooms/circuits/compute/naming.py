"""Names for units: the kind of text position that a unit's activation fits best, and how well it fits.

Names are not made up: each is selected from a list of everything that can be said about a token and its neighbors
(`PositionKinds`), on one half of the text, and evaluated on the other half. Neurons and random directions are named by
the same rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.inspect.vocabulary_facts import STORY_CLASSES, story_classes

LABELS = module_labels(__name__)

MIN_COUNT = 40  # the minimum number of positions of a kind
MIN_FIT = 0.8  # minimum precision and recall of a name that fits
MIN_GAIN = 0.05  # the F1 by which a longer name must beat a shorter one
LEVELS = np.array([0.1, 0.25, 0.4, 0.55, 0.7])  # candidate thresholds, as shares of the largest value
OWN, NEIGHBOR, PAIR = range(3)  # subject of a name: the token itself, a neighbor, or the token and its predecessor
# Of one word of each class, in the order of `STORY_CLASSES`; "other" is no name.
SINGULAR = LABELS.options("class", "names", "toys", "colors", "animals", "foods", "places", "pronouns", "signs")


@dataclass(frozen=True)
class PositionKinds:
    """Kinds of positions in a text."""

    names: tuple[str, ...]  # the name of each kind
    of: NDArray[np.int64]  # (P,) `OWN`, `NEIGHBOR` or `PAIR`
    truth: NDArray[np.bool_]  # (N, P) whether each position of the text is of each kind


@dataclass(frozen=True)
class UnitNames:
    """The best name of each of U units, evaluated on text that wasn't used to select it."""

    kind: NDArray[np.int64]  # (U,) index in `PositionKinds.names`
    precision: NDArray[np.float32]  # (U,) the share of positions where it fires that are of this kind
    recall: NDArray[np.float32]  # (U,) the share of positions of this kind where it fires
    level: NDArray[np.float32]  # (U,) it fires above this value; below it, if it is negative

    @property
    def fits(self) -> NDArray[np.bool_]:
        """True where the name fits."""
        return (self.precision >= MIN_FIT) & (self.recall >= MIN_FIT)


def find_kinds(tokens: Sequence[str], ids: Int[Tensor, "N T"], targets: Int[Tensor, "N T"]) -> PositionKinds:
    """Return all kinds that occur often enough: by word and by class, of a token and of its neighbors."""
    words = [token.strip().lower() for token in tokens]  # "": the end of a line
    known = {word: i for i, word in enumerate(dict.fromkeys(words))}
    by_word = np.array([known[word] for word in words])
    by_class = np.array([len(known) + STORY_CLASSES.index(one) for one in story_classes(tokens)])
    said = [*(LABELS("quoted", word=word) if word else LABELS["line_end"] for word in known), *SINGULAR.values(), ""]
    none = len(said) - 1  # class "other", and before the first token: no kind
    here, after = ids.numpy(), targets.numpy()
    own, coming = ([table[some].ravel() for table in (by_word, by_class)] for some in (here, after))
    before = [
        np.pad(table[here][:, :-1], ((0, 0), (1, 0)), constant_values=none).ravel() for table in (by_word, by_class)
    ]
    columns: list[tuple[int, str, NDArray[np.bool_]]] = []
    for level, place, some in ((OWN, "", own), (NEIGHBOR, "after", before), (NEIGHBOR, "before", coming)):
        for one in some:
            columns += [
                (level, LABELS(place, kind=said[k]) if place else said[k], one == k) for k in _often(one) if k != none
            ]
    for one in own:
        for other in before:
            code = np.where((one == none) | (other == none), -1, one * len(said) + other)
            columns += [
                (PAIR, LABELS("pair", kind=said[k // len(said)], before=said[k % len(said)]), code == k)
                for k in _often(code)
                if k >= 0
            ]
    of, names, truth = zip(*columns, strict=True)
    return PositionKinds(names, np.array(of), np.stack(truth, 1))


def _often(codes: NDArray[np.int64]) -> list[int]:
    values, counts = np.unique(codes, return_counts=True)
    return [int(value) for value, n in zip(values, counts, strict=True) if n >= MIN_COUNT]


def name_units(values: Float[Tensor, "N U"], kinds: PositionKinds, *, both_ways: bool = False) -> UnitNames:
    """Return the best name of each unit, selected by F1 on the first half of the positions and evaluated on the second.

    Args:
        values: each unit's value at each position.
        both_ways: whether a unit may also fire by being low; features can't, because they are never negative.
    """
    half = len(values) // 2
    truth = torch.from_numpy(kinds.truth).float()
    n_true = truth[:half].sum(0)
    groups = [torch.from_numpy(np.flatnonzero(kinds.of == level)) for level in (OWN, NEIGHBOR, PAIR)]
    n = values.shape[1]
    f1 = torch.full((3, n), -1.0)
    kind, level = torch.zeros(3, n, dtype=torch.long), torch.zeros(3, n)
    for sign in (1, -1) if both_ways else (1,):
        signed = sign * values[:half]
        for share in LEVELS:
            least = (float(share) * signed.amax(0)).clamp_min(1e-9)
            fires = (signed > least).float()
            score = 2 * (fires.T @ truth[:half]) / (fires.sum(0)[:, None] + n_true)  # (U, P)
            for i, group in enumerate(groups):
                if not len(group):
                    continue
                best, place = score[:, group].max(1)
                better = best > f1[i]
                f1[i, better], kind[i, better] = best[better], group[place[better]]
                level[i, better] = sign * least[better]
    chosen = torch.zeros(n, dtype=torch.long)
    for i in (NEIGHBOR, PAIR):
        now = f1.gather(0, chosen[None])[0]
        chosen[f1[i] > now + MIN_GAIN] = i
    kind, level = (one.gather(0, chosen[None])[0] for one in (kind, level))
    fires = torch.where(level < 0, values[half:] < level, values[half:] > level)
    is_true = truth[half:, kind] > 0
    both = (fires & is_true).sum(0)
    precision, recall = both / fires.sum(0).clamp_min(1), both / is_true.sum(0).clamp_min(1)
    return UnitNames(kind.numpy(), precision.numpy(), recall.numpy(), level.numpy())
