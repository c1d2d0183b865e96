"""A soft dictionary, which returns a mixture of all entries by how well they fit, instead of the best entry alone."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float64
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import Column, Result, Table
from core.nn.attention import attend

LABELS = module_labels(__name__)

Array = NDArray[np.float64]

Limit = Literal["best", "mean", "nothing"]

EntryName = Literal["east", "north", "west", "south"]

ENTRY_NAMES: tuple[EntryName, ...] = ("east", "north", "west", "south")

# Limits of the temperature: below, only the best entry has a weight at two decimals; above, all weights are equal.
COLDEST, HOTTEST = 0.02, 50.0

MAX_SCORE = 9.99  # more than one digit before the decimal point does not fit next to a bar


class Dictionary(NamedTuple):
    """A query, and entries of one key and one value each."""

    query: tuple[float, ...]  # (K,)
    keys: tuple[tuple[float, ...], ...]  # (S, K)
    values: tuple[tuple[float, ...], ...]  # (S, K)
    temperature: float = 1.0  # divides the dot products before the softmax


class SoftAnswer(Result):
    """The soft answer of a dictionary, and its limits."""

    asked: Dictionary
    scores: Array  # (S,) query times key
    weights: Array  # (S,) softmax of scores / temperature
    soft: Array  # (K,) the values mixed by these weights
    hard: Array  # (K,) the value of the best entry; of equals, the first
    mean: Array  # (K,) the mean of all values, the limit of a high temperature
    best: tuple[int, ...]  # the entries with the highest score; more than one if they tie
    winner: EntryName  # the first of them
    by_name: dict[str, float]  # entry -> its score
    nearest: Limit  # the limit nearest to the soft answer: the "best" value, the "mean" of all, or "nothing"

    @property
    def formula(self) -> str:
        """The weight of the best entry, and the soft answer."""
        best, temperature = self.best[0], self.asked.temperature
        score, soft = float(self.scores[best]), LABELS["formula.soft"]
        others = float(np.exp((self.scores - score) / temperature).sum())
        numbers = ",\\ ".join(f"{one:.3f}" for one in self.soft)
        return (
            rf"\begin{{aligned}} w_{{\text{{{ENTRY_NAMES[best]}}}}} &= "
            rf"\frac{{1}}{{\sum_j e^{{\,(q\cdot k_j {-score:+.2f})/{temperature:g}}}}} = \frac{{1}}{{{others:.3f}}} "
            rf"= {float(self.weights[best]):.4f} \\ \text{{{soft}}} &= ({numbers}) \end{{aligned}}"
        )

    def table(self) -> Table:
        """Return one row per entry: its key, its score, its weight, its value."""
        asked = self.asked
        columns: dict[str, Column] = {LABELS["column.entry"]: list(ENTRY_NAMES)}
        columns |= {LABELS("column.key", i=i): list(numbers) for i, numbers in enumerate(zip(*asked.keys, strict=True))}
        columns |= {"q · k": self.scores, LABELS["column.weight"]: self.weights}
        return columns | {
            LABELS("column.value", i=i): list(numbers) for i, numbers in enumerate(zip(*asked.values, strict=True))
        }


def default_dictionary(d_key: int) -> Dictionary:
    """Return four directions: each key points one way, and the query lies between two of them.

    Raises:
        ValueError: if d_key is not 2 or 3.
    """
    if d_key not in (2, 3):
        raise ValueError(f"d_key={d_key} must be 2 or 3")
    query, third = (0.8, 0.6, 0.2), ((0.0, 0.5), (0.0, -1.0), (0.5, 1.0), (-0.5, 0.0))
    keys = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
    values = ((2.0, 0.5), (0.5, 2.0), (-2.0, 1.0), (-1.0, -1.5))
    return Dictionary(
        query[:d_key],
        tuple((*key, z[0])[:d_key] for key, z in zip(keys, third, strict=True)),
        tuple((*value, z[1])[:d_key] for value, z in zip(values, third, strict=True)),
    )


def soft_look_up(asked: Dictionary) -> SoftAnswer:
    """Compute the soft answer by `attend` with scale 1 / temperature, and its two limits.

    Source: Vaswani et al. 2017, section 3.2; Graves et al. 2014 (1410.5401), section 3.3.1, for the temperature.
    """
    q, k, v = (_heads(part) for part in ((asked.query,), asked.keys, asked.values))
    output, weights = attend(q, k, v, scale=1 / asked.temperature)
    scores = np.array(asked.keys) @ np.array(asked.query)
    best = np.flatnonzero(scores == scores.max())
    values, soft = np.array(asked.values), output[0, 0, 0].numpy()
    limits: dict[Limit, Array] = {"best": values[best[0]], "nothing": np.zeros_like(soft), "mean": values.mean(0)}
    return SoftAnswer(
        asked=asked,
        scores=scores,
        weights=weights[0, 0, 0].numpy(),
        soft=soft,
        hard=limits["best"],
        mean=limits["mean"],
        best=tuple(best.tolist()),
        winner=ENTRY_NAMES[best[0]],
        by_name=dict(zip(ENTRY_NAMES, scores.tolist(), strict=True)),
        nearest=min(limits, key=lambda name: float(np.linalg.norm(soft - limits[name]))),
    )


class AnswerChanges(NamedTuple):
    """The number of steps at which an answer changes."""

    hard: int
    soft: int


def count_changes_on_circle(steps: int) -> AnswerChanges:
    """Turn the query of the default dictionary once around its circle, and count the changes of its answers."""
    # Offset by half a step, so that the query never fits two keys equally well.
    angles = (np.arange(steps + 1) + 0.5) * 2 * np.pi / steps
    answers = [soft_look_up(default_dictionary(2)._replace(query=(float(np.cos(a)), float(np.sin(a))))) for a in angles]
    return AnswerChanges(*(
        sum(bool((getattr(one, name) != getattr(other, name)).any()) for one, other in pairwise(answers))
        for name in AnswerChanges._fields
    ))  # fmt: skip


def check_dictionary(given: object, d_key: int) -> Dictionary | None:
    """Validate a dictionary sent as `[temperature, query, key, ..., value, ...]`, flat; None if it is invalid."""
    n_entry = len(ENTRY_NAMES)
    if not isinstance(given, list) or len(given) != 1 + d_key * (1 + 2 * n_entry):
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) and math.isfinite(one) for one in given):
        return None
    temperature, *rest = given
    if not COLDEST <= temperature <= HOTTEST or any(abs(one) > MAX_SCORE for one in rest):
        return None
    rows = [tuple(round(float(one), 2) for one in rest[i : i + d_key]) for i in range(0, len(rest), d_key)]
    return Dictionary(rows[0], tuple(rows[1 : 1 + n_entry]), tuple(rows[1 + n_entry :]), round(float(temperature), 3))


def flatten_dictionary(asked: Dictionary) -> list[float]:
    """Return the numbers of a dictionary in the order that `check_dictionary` reads."""
    rows: Sequence[Sequence[float]] = (asked.query, *asked.keys, *asked.values)
    return [asked.temperature, *(one for row in rows for one in row)]


def pack_dictionary(asked: Dictionary) -> str:
    """Encode a dictionary for an address."""
    return "~".join(f"{one:.3f}".rstrip("0").rstrip(".") for one in flatten_dictionary(asked))


def parse_dictionary(text: str, d_key: int) -> Dictionary | None:
    """Parse the output of `pack_dictionary`; None for anything else."""
    parts = text[:400].split("~")
    if any(len(part) > 8 for part in parts):
        return None
    try:
        return check_dictionary([float(part) for part in parts], d_key)
    except ValueError:
        return None


def _heads(rows: Sequence[Sequence[float]]) -> Float64[torch.Tensor, "1 1 S K"]:
    return torch.tensor([[rows]], dtype=torch.float64)
