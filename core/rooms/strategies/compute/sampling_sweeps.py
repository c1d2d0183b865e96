"""What temperature and top-p can and cannot do, measured on one distribution."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from core.generate import filters
from core.rooms.strategies.compute import columns
from core.rooms.strategies.compute.columns import KNOBS, Strategy


@dataclass(frozen=True)
class Sweep:
    """One distribution at many temperatures.

    Attributes:
        temperatures: (n,).
        entropy: (n,) nats.
        top: (n,) probability of the likeliest token.
        smallest: (n,) probability of the least likely token; 0 where it is too small for the number format.
        left: (n,) tokens of a probability above 0, in 64-bit numbers.
        left_32: (n,) the same in 32-bit numbers, which most programs use.
        left_top_p: (n,) tokens left when top-p follows.
        from_greedy, from_uniform: (n,) total variation distance: half the sum of the differences, 0 to 1.
    """

    temperatures: Float[NDArray[np.float64], " n"]
    entropy: Float[NDArray[np.float64], " n"]
    top: Float[NDArray[np.float64], " n"]
    smallest: Float[NDArray[np.float64], " n"]
    left: Int[NDArray[np.int64], " n"]
    left_32: Int[NDArray[np.int64], " n"]
    left_top_p: Int[NDArray[np.int64], " n"]
    from_greedy: Float[NDArray[np.float64], " n"]
    from_uniform: Float[NDArray[np.float64], " n"]

    def table(self) -> dict[str, Any]:
        """One line for each temperature."""
        return {
            "T": self.temperatures,
            "entropy (nats)": self.entropy,
            "likeliest": self.top,
            "rarest": self.smallest,
            "left, 64 bits": self.left,
            "left, 32 bits": self.left_32,
            "left with top-p": self.left_top_p,
            "distance from greedy": self.from_greedy,
            "distance from uniform": self.from_uniform,
        }


def sweep(logits: Float[NDArray[np.float32], " V"], temperatures: Sequence[float], p: float) -> Sweep:
    """Measure one distribution at each temperature.

    Args:
        logits: (V,).
        temperatures: above 0: 0 is a limit and no setting.
        p: of the top-p that may follow.
    """
    z = torch.as_tensor(np.array(logits, dtype=np.float64))
    scaled = torch.stack([filters.temperature(z, float(t)) for t in temperatures])  # (n, V)
    probabilities = scaled.softmax(-1)
    greedy = torch.zeros_like(z).scatter(0, z.argmax()[None], 1.0)
    return Sweep(
        temperatures=np.asarray(temperatures, dtype=np.float64),
        entropy=-torch.xlogy(probabilities, probabilities).sum(-1).numpy() + 0.0,
        top=probabilities.amax(-1).numpy(),
        smallest=probabilities.amin(-1).numpy(),
        left=(probabilities > 0).sum(-1).numpy(),
        left_32=(scaled.float().softmax(-1) > 0).sum(-1).numpy(),
        left_top_p=(filters.top_p(scaled, p) > -torch.inf).sum(-1).numpy(),
        from_greedy=((probabilities - greedy).abs().sum(-1) / 2).numpy(),
        from_uniform=((probabilities - 1 / len(z)).abs().sum(-1) / 2).numpy(),
    )


@dataclass(frozen=True)
class Crossing:
    """What three rules keep that are all called top-p; the tokens likeliest first.

    Attributes:
        probabilities: (V,).
        cumulative: (V,) with the token's own.
        right: (V,) the definition: all whose forerunners have less than p, so the one that crosses p stays.
        too_few: (V,) those whose own sum is still below p: the token that crosses is lost.
        too_many: (V,) those whose forerunners have p or less: one token more where the sum is p exactly.
    """

    probabilities: Float[NDArray[np.float64], " V"]
    cumulative: Float[NDArray[np.float64], " V"]
    right: Bool[NDArray[np.bool_], " V"]
    too_few: Bool[NDArray[np.bool_], " V"]
    too_many: Bool[NDArray[np.bool_], " V"]

    @property
    def rules(self) -> dict[str, Bool[NDArray[np.bool_], " V"]]:
        """What each of the three keeps."""
        return {
            "definition": self.right,
            "drops the one that crosses": self.too_few,
            "one too many": self.too_many,
        }

    def table(self, tokens: Sequence[str]) -> dict[str, Any]:
        """One line for each token."""
        shares: dict[str, Any] = {
            "token": list(tokens),
            "probability": self.probabilities,
            "sum": self.cumulative,
        }
        return shares | self.rules


def crossing(probabilities: Sequence[float], p: float) -> Crossing:
    """Three rules on one distribution; the right one is that of `core.generate.filters.top_p`.

    Args:
        probabilities: (V,) likeliest first, sum to 1.
        p: 0 to 1.

    Source: Holtzman et al. 2019 (1904.09751), section 3.1: the smallest set whose mass is at least p.
    """
    given = np.asarray(probabilities, dtype=np.float64)
    cumulative = given.cumsum()
    right = filters.top_p(torch.as_tensor(given).log(), p) > -torch.inf
    return Crossing(given, cumulative, right.numpy(), cumulative < p, cumulative - given <= p)


@dataclass(frozen=True)
class Orders:
    """The same two knobs in both orders: (V,) what is drawn from, 0 for what was cut."""

    temperature_first: Float[NDArray[np.float64], " V"]
    top_p_first: Float[NDArray[np.float64], " V"]

    def table(self, logits: Float[NDArray[np.float32], " V"], vocabulary: Sequence[str]) -> dict[str, Any]:
        """All tokens, the likeliest first."""
        order = np.argsort(-logits, kind="stable")
        return {
            "id": order,
            "token": [vocabulary[i] for i in order],
            "temperature first": self.temperature_first[order],
            "top-p first": self.top_p_first[order],
        }


def both_orders(logits: Float[NDArray[np.float32], " V"], t: float, p: float) -> Orders:
    """Temperature before top-p, as is usual, and after it."""
    z = torch.as_tensor(np.array(logits, dtype=np.float64))
    first = filters.top_p(filters.temperature(z, t), p).softmax(-1)
    last = filters.temperature(filters.top_p(z, p), t).softmax(-1)
    return Orders(first.numpy(), last.numpy())


def stage_table(
    logits: Float[NDArray[np.float32], " V"], strategy: Strategy, ids: Sequence[int], vocabulary: Sequence[str]
) -> dict[str, Any]:
    """All tokens, the likeliest first: their logits after each knob of a strategy, and what is drawn from at the end.

    Args:
        logits: (V,) of one place.
        strategy: its knobs, applied in their documented order.
        ids: the tokens before that place, for the knobs that look at them.
        vocabulary: (V,) tokens as they can be read.
    """
    x = torch.tensor(logits)[None]  # (1, V)
    order = np.argsort(-logits, kind="stable")
    table: dict[str, Any] = {"id": order, "token": [vocabulary[i] for i in order], "logit": logits[order]}
    for n, (name, value) in enumerate(strategy.knobs, start=1):
        up_to = Strategy(knobs=strategy.knobs[:n])
        after = columns.filter_rows(x, [up_to], [ids])[0]
        table[f"{KNOBS[name].title} {value:g}"] = after.numpy()[order]
    table["drawn from"] = columns.filter_rows(x, [strategy], [ids])[0].softmax(-1).numpy()[order]
    return table
