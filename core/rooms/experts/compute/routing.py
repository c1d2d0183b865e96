"""What a router's choices say: how many experts are in use, and whether they go by topic or by token."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.data.checks import whole


def load_balance(router: Float[Tensor, "*batch E"], gates: Float[Tensor, "*batch E"]) -> Float[Tensor, ""]:
    """E times the sum over the experts of f P: 1 where all are used alike, E where one gets everything.

    f is the share of the tokens that an expert was sent; it is counted, and has no gradient. P is the expert's mean
    share of the router's softmax, and pulls the router away from experts that are full. Where a token is sent to
    several experts, each of its choices counts alike, so that f sums to 1 as P does.

    Args:
        router: the scores of all experts, as the tap `router` has them.
        gates: what each expert's output is multiplied with, 0 where it is not asked: the tap `gates`.

    Source: Fedus et al. 2021 (2101.03961), equations 4 to 6; without their factor alpha.
    """
    n_expert = router.shape[-1]
    sent = (gates > 0).float().reshape(-1, n_expert)  # (M, E)
    share = sent.sum(0) / sent.sum()  # f, (E,)
    wanted = router.softmax(-1).reshape(-1, n_expert).mean(0)  # P, (E,)
    return n_expert * (share.detach() * wanted).sum()


Labels = NDArray[np.integer]


def effective_number(counts: NDArray[np.number]) -> NDArray[np.float64]:
    """exp of the entropy of the shares, along the last axis: 8 experts used alike count 8, a single one counts 1.

    Source: Hill 1973, Diversity and Evenness: the number of order 1.
    """
    shares = counts / np.maximum(counts.sum(-1, keepdims=True), 1)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return np.asarray(np.exp(-(shares * logs).sum(-1)))


def entropy(*labels: Labels) -> float:
    """Bits of labels, or of several together."""
    seen = np.unique(np.stack(labels), axis=1, return_counts=True)[1]
    shares = seen / seen.sum()
    return float(-(shares * np.log2(shares)).sum())


def information(one: Labels, other: Labels) -> float:
    """Bits that one label tells of the other: their mutual information."""
    return entropy(one) + entropy(other) - entropy(one, other)


def given(one: Labels, other: Labels, known: Labels) -> float:
    """Bits that one label tells of the other where a third is known already."""
    return entropy(one, known) + entropy(other, known) - entropy(one, other, known) - entropy(known)


def shuffled(labels: Labels, within: Labels | None, seed: int) -> Labels:
    """The same labels in another order; `within`: only among places that agree in this."""
    rng = np.random.default_rng(seed)
    mixed = np.array(labels)
    if within is None:
        return np.asarray(rng.permutation(mixed))
    for value in np.unique(within):
        places = np.flatnonzero(within == value)
        mixed[places] = mixed[rng.permutation(places)]
    return mixed


class Told(NamedTuple):
    """Of all that is to be known about a token's expert, the share that something tells."""

    token: float  # token, topic: told by which token it is; by the topic of its text
    topic: float
    token_more: float  # token_more, topic_more: what each adds where the other is known
    topic_more: float
    by_chance: float  # the most that any of the four comes to with the labels shuffled: 0, but for so many tokens


def told(expert: Labels, token: Labels, topic: Labels, seed: int) -> Told:
    """What token and topic tell of the expert, each (N,). All is 0 where every token has the same expert."""
    whole("seed", seed, 0)
    if not (all_bits := entropy(expert)):
        return Told(0.0, 0.0, 0.0, 0.0, 0.0)
    chance = (
        information(expert, shuffled(token, None, seed)),
        information(expert, shuffled(topic, None, seed)),
        given(expert, shuffled(token, topic, seed), topic),
        given(expert, shuffled(topic, token, seed), token),
    )
    return Told(
        information(expert, token) / all_bits,
        information(expert, topic) / all_bits,
        given(expert, token, topic) / all_bits,
        given(expert, topic, token) / all_bits,
        max(chance) / all_bits,
    )
