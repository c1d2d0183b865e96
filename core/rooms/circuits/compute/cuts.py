"""What a model still knows when some frequencies are taken out of its embeddings of numbers."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor
from torch.func import functional_call

from core.rooms.circuits.compute import fourier

# What is left of the frequencies, strongest first, when so many are taken out.
CUTS: Mapping[str, Callable[[list[int], int], list[int]]] = {
    "the strongest first": lambda ranked, n: ranked[n:],
    "the weakest first": lambda ranked, n: ranked[: len(ranked) - n],
}


def right_with(
    model: Any, embedding: NDArray[np.floating], pairs: Int[Tensor, "N 2"], answers: Int[Tensor, " N"]
) -> NDArray[np.bool_]:
    """(N,) which pairs the model has right with these embeddings of the numbers."""
    weights = {"tok_emb.weight": torch.from_numpy(embedding.astype(np.float32))}
    with torch.no_grad():
        logits: Tensor = functional_call(model, weights, (pairs,))
    return (logits[:, -1].argmax(-1) == answers).numpy()


def still_right(
    model: Any, embedding: NDArray[np.float64], pairs: Int[Tensor, "N 2"], answers: Int[Tensor, " N"]
) -> dict[str, NDArray[np.float64]]:
    """For each cut, with 0, 1, 2, ... taken out: of the pairs that the model had right, the share that stays right."""
    ranked = ranking(embedding)
    had = right_with(model, embedding, pairs, answers)

    def share(left: Collection[int]) -> float:
        return float(right_with(model, fourier.only(embedding, left), pairs, answers)[had].mean())

    return {name: np.array([share(cut(ranked, n)) for n in range(len(ranked) + 1)]) for name, cut in CUTS.items()}


def ranking(embedding: NDArray[np.float64]) -> list[int]:
    """The frequencies, the strongest first."""
    return [int(i) + 1 for i in np.argsort(-fourier.spectrum(embedding), kind="stable")]
