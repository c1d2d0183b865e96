"""Losses of a record of `long-texts` by position, averaged over parts of the text that are as long as in training."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES
from core.rooms.long_texts.experiments.long_texts import LENGTH_FACTOR


def is_over(record: Mapping[str, ArrayLike]) -> bool:
    """Return whether the run has read the long texts in every way, also after fine-tuning."""
    return f"tuned.position.{FREQUENCY_WAYS[-1]}" in record


def part_losses(record: Mapping[str, ArrayLike], *, tuned: bool = False) -> dict[str, NDArray[np.float64]]:
    """Return way -> the mean loss in nats of each part of the text, (parts,); nan as long as the run isn't over.

    Args:
        tuned: of the ways that were fine-tuned on long texts, after that.
    """
    before, ways = ("tuned.", FREQUENCY_WAYS) if tuned else ("", tuple(WAY_NAMES))
    if not is_over(record):
        return {way: np.full(LENGTH_FACTOR, np.nan) for way in ways}
    return {
        way: np.asarray(record[f"{before}position.{way}"], np.float64).reshape(LENGTH_FACTOR, -1).mean(1)
        for way in ways
    }
