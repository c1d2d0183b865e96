"""`merge`: the step of byte-pair encoding."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Generator

from core.notebook.exercises.exercise import Exercise, Outcome, size


def merge(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """Each occurrence of the pair becomes one new id, from left to right."""
    merged: list[int] = []
    for one in ids:
        if merged and (merged[-1], one) == pair:
            merged[-1] = new
        else:
            merged.append(one)
    return merged


def _merge_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    ids = torch.randint(0, 2, (size(generator, 0, 16),), generator=generator).tolist()
    first, second = torch.randint(0, 2, (2,), generator=generator).tolist()
    merged = function(list(ids), (first, second), 9)
    return {"the list": torch.tensor(merged) if isinstance(merged, list) else merged}


def _merge_first_only(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            return [*ids[:i], new, *ids[i + 2 :]]
    return ids


def _merge_overlapping(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    return [new if (one, after) == pair else one for one, after in pairwise([*ids, -1])]


MERGE = Exercise(
    _merge_trial,
    merge,
    (
        ("it merges the first pair alone; go on to the end of the list.", _merge_first_only),
        ("the second id of the pair stays; the new id stands for both.", _merge_overlapping),
    ),
)
