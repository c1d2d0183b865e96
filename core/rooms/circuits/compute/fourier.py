"""Fourier analysis of number embeddings: their power by frequency, their circles, and removing frequencies.

Frequency k means cos(2 pi k n / p) and sin(2 pi k n / p) over the p numbers n, which is k turns around a circle.

Source: Nanda et al. 2023 (2301.05217), section 4.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Embedding = NDArray[np.float64]  # (p, D): a row for each number


def frequency_spectrum(embedding: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the share of the variance at each frequency 1, 2, ..., (p - 1) / 2; they sum to 1.

    embedding: (..., p, D), p odd.
    """
    power = (np.abs(np.fft.rfft(embedding.astype(np.float64), axis=-2)[..., 1:, :]) ** 2).sum(-1)
    return np.asarray(power / power.sum(-1, keepdims=True))


def keep_frequencies(embedding: Embedding, frequencies: Collection[int]) -> Embedding:
    """Return the embeddings reduced to their mean and these frequencies."""
    parts = np.fft.rfft(embedding, axis=0)
    gone = [k for k in range(1, len(parts)) if k not in frequencies]
    parts[gone] = 0
    return np.asarray(np.fft.irfft(parts, n=len(embedding), axis=0))


def circle_directions(embedding: Embedding, frequency: int) -> Embedding:
    """Return the two orthonormal directions in which a frequency turns (2, D)."""
    return _at_right_angles(cosine_and_sine(len(embedding), frequency).T @ embedding)


def fit_circle(embedding: Embedding, frequency: int) -> Embedding:
    """Return two directions in which the numbers lie on a circle (2, D), found by fitting a circle.

    With more dimensions than embeddings such directions always exist, whatever the embeddings.
    """
    centered = embedding - embedding.mean(0)
    return np.asarray(np.linalg.lstsq(centered, cosine_and_sine(len(embedding), frequency), rcond=None)[0].T)


def project_points(embedding: Embedding, along: Embedding) -> Embedding:
    """Return the numbers projected on two directions (2, D), scaled so that the farthest is at distance 1 (p, 2)."""
    points = (embedding - embedding.mean(0)) @ along.T
    return np.asarray(points / np.linalg.norm(points, axis=1).max())


def circle_share(embedding: Embedding, along: Embedding, frequency: int) -> float:
    """Return the share of the variance explained by the circle of a frequency in these two directions."""
    centered = embedding - embedding.mean(0)
    flat = centered @ np.linalg.qr(along.T)[0]  # the same plane, orthonormal
    turning = cosine_and_sine(len(flat), frequency).T @ flat * np.sqrt(2 / len(flat))
    return float((turning**2).sum() / (centered**2).sum())


def cosine_and_sine(n: int, frequency: int) -> NDArray[np.float64]:
    """Return cosine and sine of a frequency at each number (n, 2)."""
    angles = 2 * np.pi * frequency * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def circle_order(n: int, frequency: int) -> list[int]:
    """Return the numbers in the order in which the frequency passes them on its circle."""
    return sorted(range(n), key=lambda number: number * frequency % n)


def _at_right_angles(two: Embedding) -> Embedding:
    """Return the nearest two orthonormal directions."""
    left, _, right = np.linalg.svd(two, full_matrices=False)
    return np.asarray(left @ right)
