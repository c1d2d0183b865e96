"""How much a model knows at each layer: its vectors as features of a linear classifier that is trained on nothing else.

The model is left as it is. Where a linear classifier reads the right answer from its vectors, the answer lies open in
them, whatever the model itself was trained for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.nn.tap import Trace

Pool = Literal["mean", "last", "first"]
CHUNK = 240  # pictures in one pass: some tens of megabytes
STRENGTH = 1.0  # C of the logistic regression, scikit-learn's own default; not tuned, least of all on held-out pictures
MOST_ITERATIONS = 2_000


@dataclass(frozen=True)
class Probed:
    """What a linear classifier gets right."""

    n_feature: int  # numbers that it reads for each picture
    learned: float  # share of right answers on the pictures that it learned from
    held_out: float  # on pictures that it did not see


def layer_names(model: nn.Module) -> dict[str, str]:
    """Tap -> what it is called on screen: before the first block, after each layer, after the last norm."""
    blocks = model.blocks
    assert isinstance(blocks, nn.ModuleList)
    after = {f"blocks.{i}.resid_out": f"after layer {i}" for i in range(len(blocks))}
    return {"embed": "embedding", **after, "final": "after the last norm"}


@torch.inference_mode()
def features(
    model: nn.Module, inputs: Tensor, pools: Sequence[Pool] = ("mean",)
) -> dict[Pool, dict[str, NDArray[np.float32]]]:
    """A model's vectors of each input at each layer, brought to one vector each.

    Args:
        model: with blocks, whose residual stream is tapped as (B, T, D).
        inputs: (N, ...) what the model is called with.
        pools: "mean" of all tokens, the "last" or the "first" token alone.

    Returns:
        Pool -> tap -> (N, D), the taps as in `layer_names`.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 2.3: averages over the sequence.
    """
    names = layer_names(model)
    found: dict[Pool, dict[str, list[Tensor]]] = {pool: {name: [] for name in names} for pool in pools}
    for first in range(0, len(inputs), CHUNK):
        with Trace(model, keep=tuple(names)) as trace:
            model(inputs[first : first + CHUNK])
        for pool, by_name in found.items():
            for name, kept in by_name.items():
                kept.append(pooled(trace[name], pool))
    return {pool: {name: torch.cat(kept).numpy() for name, kept in some.items()} for pool, some in found.items()}


def pooled(x: Float[Tensor, "B T D"], pool: Pool) -> Float[Tensor, "B D"]:
    """One vector for each row of tokens. Raises ValueError if there is no such way."""
    if pool == "mean":
        return x.mean(1)
    if pool in ("last", "first"):
        return x[:, -1 if pool == "last" else 0]
    raise ValueError(f"there is no way {pool!r:.40} to bring a row of vectors to one; there are mean, last and first")


def of_digits(features: NDArray[np.float32]) -> Probed:
    """Probe features of all 1,797 digits.

    Args:
        features: (1797, ...) those of the digits to learn from first, then those of the held-out ones.
    """
    learn, held = images.to_learn(), images.held_out()
    flat, n = features.reshape(len(features), -1), len(learn)
    return linear_probe(flat[:n], learn.labels, flat[n:], held.labels)


def all_shades() -> NDArray[np.float32]:
    """(1797, 1, 8, 8) all digits as models read them, those to learn from first."""
    return np.concatenate([images.to_learn().shades, images.held_out().shades])


def table(found: Mapping[str, Probed]) -> dict[str, list[Any]]:
    """What was read from features, by their names."""
    return {
        "features": list(found),
        "numbers for each digit": [one.n_feature for one in found.values()],
        "right where it learned": [one.learned for one in found.values()],
        "right on held-out": [one.held_out for one in found.values()],
    }


def linear_probe(
    learn: NDArray[np.float32], learn_labels: NDArray[np.int64], held: NDArray[np.float32], labels: NDArray[np.int64]
) -> Probed:
    """Fit a logistic regression to features and labels, and ask it about others.

    Each feature is brought to mean 0 and deviation 1 as it has them in the pictures to learn from, so that the same
    penalty is fair to features of any size; one that never varies stays 0.

    Args:
        learn, held: (N, D) and (M, D).
        learn_labels, labels: (N,) and (M,).

    Raises:
        ValueError: if features and labels do not match.
    """
    if len(learn) != len(learn_labels) or len(held) != len(labels) or learn.shape[1:] != held.shape[1:]:
        raise ValueError(
            f"features {learn.shape} and {held.shape} do not match {len(learn_labels)} and {len(labels)} labels"
        )
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    middle, spread = learn.mean(0, dtype=np.float64), learn.std(0, dtype=np.float64)
    # What rounding makes of a constant is no signal.
    spread = np.where(spread > 1e-6 * (np.abs(middle) + 1e-6), spread, np.inf)
    with threadpool_limits(1):  # threads that wait for each other take many times as long as these small matrices
        probe = LogisticRegression(C=STRENGTH, max_iter=MOST_ITERATIONS).fit((learn - middle) / spread, learn_labels)
    scores = [
        float((probe.predict((x - middle) / spread) == y).mean()) for x, y in ((learn, learn_labels), (held, labels))
    ]
    return Probed(learn.shape[1], *scores)
