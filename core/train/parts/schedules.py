"""How the learning rate rises and falls: the share of the highest one, step by step."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

Fall = Callable[[float, float], float]  # (share of the way done, share of it that decays) -> from 1 to 0


def _cosine(done: float, _: float) -> float:
    """Half a wave, down to 0. Source: Loshchilov and Hutter 2016 (1608.03983), equation 5, without restarts."""
    return 0.5 * (1 + math.cos(math.pi * done))


def _stable(done: float, decaying: float) -> float:
    """Level, then straight down to 0 (warm-up, stable, decay). Source: Hu et al. 2024 (2404.06395), section 4."""
    return min(1.0, (1 - done) / decaying)


# "root" is not among them: it falls with the steps themselves, however many there are (`share`).
FALLS: Mapping[str, Fall] = MappingProxyType(
    {"linear": lambda done, _: 1 - done, "cosine": _cosine, "wsd": _stable, "constant": lambda done, _: 1.0}
)
DECAYS = (*FALLS, "root")


def share(decay: str, step: int, *, n_warmup: int, n_step: int, decay_to: float, decay_share: float) -> float:
    """Share of the highest learning rate at a step (0 is the first): up over the warm-up, then down to the end.

    Args:
        decay: one of `DECAYS`.
        decay_to: of the highest rate, what is left at the end; "constant" and "root" end where they end.
        decay_share: of the steps after the warm-up, those in which "wsd" falls.

    Source: "root": Vaswani et al. 2017, equation 3.
    """
    if step < n_warmup:
        return (step + 1) / (n_warmup + 1)
    if decay == "root":
        return math.sqrt((n_warmup + 1) / (step + 1))
    done = (step - n_warmup) / max(1, n_step - n_warmup)  # from 0 to just below 1
    left = FALLS[decay](done, decay_share)
    return decay_to + (1 - decay_to) * left
