"""Embeddings of numbers on a circle: how much of them turns at which frequency, seen in two directions, cut out.

A frequency k means cos(2 pi k n / p) and sin(2 pi k n / p) over the p numbers n: a walk around the clock, k times.

Source: Nanda et al. 2023 (2301.05217), section 4.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Embedding = NDArray[np.float64]  # (p, D): a row for each number


def spectrum(embedding: NDArray[np.floating]) -> NDArray[np.float64]:
    """The share of the variance that turns at each frequency 1, 2, ..., (p - 1) / 2; they sum to 1.

    embedding: (..., p, D), p odd.
    """
    power = (np.abs(np.fft.rfft(embedding.astype(np.float64), axis=-2)[..., 1:, :]) ** 2).sum(-1)
    return np.asarray(power / power.sum(-1, keepdims=True))


def only(embedding: Embedding, frequencies: Collection[int]) -> Embedding:
    """The embeddings with nothing left but their mean and what turns at these frequencies."""
    parts = np.fft.rfft(embedding, axis=0)
    gone = [k for k in range(1, len(parts)) if k not in frequencies]
    parts[gone] = 0
    return np.asarray(np.fft.irfft(parts, n=len(embedding), axis=0))


def directions(embedding: Embedding, frequency: int) -> Embedding:
    """(2, D) the two directions in which a frequency turns, at right angles and of length 1."""
    return _at_right_angles(wave(len(embedding), frequency).T @ embedding)


def any_circle(embedding: Embedding, frequency: int) -> Embedding:
    """(2, D) two directions in which the numbers stand on a circle, found by looking for nothing else.

    With more numbers to an embedding than there are embeddings such directions always exist, whatever the embeddings.
    """
    centered = embedding - embedding.mean(0)
    return np.asarray(np.linalg.lstsq(centered, wave(len(embedding), frequency), rcond=None)[0].T)


def seen(embedding: Embedding, along: Embedding) -> Embedding:
    """(p, 2) the numbers as they stand in two directions (2, D), the farthest one 1 from the middle."""
    points = (embedding - embedding.mean(0)) @ along.T
    return np.asarray(points / np.linalg.norm(points, axis=1).max())


def held(embedding: Embedding, along: Embedding, frequency: int) -> float:
    """The share of the variance that the circle of a frequency in these two directions holds."""
    centered = embedding - embedding.mean(0)
    flat = centered @ np.linalg.qr(along.T)[0]  # the same plane, at right angles
    turning = wave(len(flat), frequency).T @ flat * np.sqrt(2 / len(flat))
    return float((turning**2).sum() / (centered**2).sum())


def wave(n: int, frequency: int) -> NDArray[np.float64]:
    """(n, 2) cosine and sine."""
    angles = 2 * np.pi * frequency * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def ring(n: int, frequency: int) -> list[int]:
    """The numbers in the order in which the frequency meets them on its circle."""
    return sorted(range(n), key=lambda number: number * frequency % n)


def _at_right_angles(two: Embedding) -> Embedding:
    """The nearest two directions at right angles, each of length 1."""
    left, _, right = np.linalg.svd(two, full_matrices=False)
    return np.asarray(left @ right)
