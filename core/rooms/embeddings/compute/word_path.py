"""One word in two sentences: where its vector goes, part by part."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.inspect.readers import predicts
from core.inspect.trace import Array, as_batch, to_numpy
from core.nn.tap import Trace
from core.rooms.embeddings.compute.embeddings import cosine, principal_components

MOST_TOKENS = 128  # of a text


@dataclass(frozen=True)
class WordPath:
    """The residual stream at one position of each of two texts, stage by stage.

    Args:
        probabilities: (2, V) what the model expects right after the word, in each text; where it predicts what
            stands there, that; (2, 0) of a model that scores no tokens, see `core.inspect.readers.predicts`.
    """

    stages: tuple[str, ...]  # (S,) names: "embedding", then "attention 0", "feed-forward 0" and so on
    vectors: Array  # (2, S, D) the vector after each stage, in the first and in the second text
    cosines: NDArray[np.float64]  # (S,) cosine of the angle between the two
    distances: NDArray[np.float64]  # (S,) length of their difference
    lengths: NDArray[np.float64]  # (2, S) their own lengths
    probabilities: Array

    def on_two_axes(self, *, directions: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Both paths on the two axes along which their vectors differ most.

        Args:
            directions: every vector divided by its own length; otherwise they are taken as they are.

        Returns:
            points: (2, S, 2).
            shares: (2,) of all differences, along each axis.
        """
        vectors = self.vectors.astype(np.float64)
        if directions:
            lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
            vectors = vectors / np.where(lengths > 0, lengths, 1.0)
        found = principal_components(vectors.reshape(-1, vectors.shape[-1]), 2)
        return found.points.reshape(2, -1, 2), found.shares

    def table(self, points: NDArray[np.float64]) -> dict[str, Any]:
        """One line for each stage.

        Args:
            points: (2, S, 2) where both paths lie on a map.
        """
        return {
            "after": list(self.stages),
            "cosine": self.cosines.round(5),
            "distance": self.distances.round(4),
            "length 1": self.lengths[0].round(4),
            "length 2": self.lengths[1].round(4),
            "x 1": points[0, :, 0].round(4),
            "y 1": points[0, :, 1].round(4),
            "x 2": points[1, :, 0].round(4),
            "y 2": points[1, :, 1].round(4),
        }


def last_token_of(tokens: Sequence[str], word: str) -> int | None:
    """The position of the last token of the word's last occurrence, or None where the text does not hold the word.

    It is matched as a whole word, upper and lower case told apart.

    A word may be cut into several tokens; the last one is the first that has read the whole word.

    Args:
        tokens: the text's tokens, which joined give the text.
    """
    word = word.strip()
    if not word:
        return None
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    found = list(re.finditer(before + re.escape(word) + after, "".join(tokens)))
    if not found:
        return None
    end, reached = found[-1].end(), 0
    for position, token in enumerate(tokens):
        reached += len(token)
        if reached >= end:
            return position
    return None


def shared_words(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """The words that both texts hold, in the order of the first text."""
    words = (re.findall(r"\w+", "".join(tokens)) for tokens in (first, second))
    ours, theirs = (list(dict.fromkeys(some)) for some in words)
    return [word for word in ours if word in theirs]


def word_path(
    model: nn.Module, first: Sequence[int], second: Sequence[int], position_first: int, position_second: int
) -> WordPath:
    """Run both texts and follow the vectors at two positions through all blocks.

    Args:
        first, second: (T,) ids of the two texts.

    Raises:
        ValueError: if a text does not fit the model, or a position is outside of its text.
    """
    for ids, position in ((first, position_first), (second, position_second)):
        if not 0 <= position < len(ids):
            raise ValueError(f"position {position} is not within 0..{len(ids) - 1}")
    one, next_one = _stages(model, first, position_first)
    two, next_two = _stages(model, second, position_second)
    vectors = np.stack([np.stack(list(one.values())), np.stack(list(two.values()))])
    return WordPath(
        stages=tuple(one),
        vectors=vectors,
        cosines=np.array([cosine(a, b) for a, b in zip(*vectors, strict=True)]),
        distances=np.linalg.norm(vectors[0].astype(np.float64) - vectors[1], axis=-1),
        lengths=np.linalg.norm(vectors.astype(np.float64), axis=-1),
        probabilities=np.stack([next_one, next_two]),
    )


def _stages(model: nn.Module, ids: Sequence[int], position: int) -> tuple[dict[str, Array], Array]:
    """The vector at one position after the embedding and after each half of each block; and the next token's odds."""
    with torch.no_grad(), Trace(model) as trace:
        output = model(as_batch(model, ids))
    stages = {"embedding": to_numpy(trace["blocks.0.resid_in"][0, position])}
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    for layer in range(n_layer):
        stages[f"attention {layer}"] = to_numpy(trace[f"blocks.{layer}.resid_mid"][0, position])
        if f"blocks.{layer}.mlp.out" in trace:
            stages[f"feed-forward {layer}"] = to_numpy(trace[f"blocks.{layer}.resid_out"][0, position])
    if predicts(model) == "nothing":
        return stages, np.zeros(0, np.float32)
    return stages, to_numpy(output[0, position].float().softmax(-1))
