"""Measures of a router's choices: how many experts are in use, and whether they follow the topic or the token."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.data.checks import check_whole


def load_balance(router: Float[Tensor, "*batch E"], gates: Float[Tensor, "*batch E"]) -> Float[Tensor, ""]:
    """Return the load-balancing loss, E times the sum over experts of f P: 1 if all are used equally, E if one is.

    f is the fraction of the tokens that an expert was sent; it is counted, and has no gradient. P is the expert's mean
    probability in the router's softmax; its gradient moves the router away from overloaded experts. If a token is sent
    to several experts, each of its choices has the same weight, so that f sums to 1 as P does.

    Args:
        router: the scores of all experts, as in the tap `router`.
        gates: the factor of each expert's output, 0 for experts that were not selected, as in the tap `gates`.

    Source: Fedus et al. 2021 (2101.03961), equations 4 to 6; without their factor alpha.
    """
    n_expert = router.shape[-1]
    sent = (gates > 0).float().reshape(-1, n_expert)  # (M, E)
    share = sent.sum(0) / sent.sum()  # f, (E,)
    wanted = router.softmax(-1).reshape(-1, n_expert).mean(0)  # P, (E,)
    return n_expert * (share.detach() * wanted).sum()


LabelArray = NDArray[np.integer]


def effective_number(counts: NDArray[np.number]) -> NDArray[np.float64]:
    """Return exp of the entropy of the fractions along the last axis: 8 for 8 experts used equally, 1 for a single one.

    Source: Hill 1973, Diversity and Evenness: the number of order 1.
    """
    shares = counts / np.maximum(counts.sum(-1, keepdims=True), 1)
    logs = np.log(np.where(shares > 0, shares, 1.0))
    return np.asarray(np.exp(-(shares * logs).sum(-1)))


def _entropy(*labels: LabelArray) -> float:
    """Return the entropy of labels in bits, or the joint entropy of several."""
    seen = np.unique(np.stack(labels), axis=1, return_counts=True)[1]
    shares = seen / seen.sum()
    return float(-(shares * np.log2(shares)).sum())


def _mutual_information(one: LabelArray, other: LabelArray) -> float:
    """Return the mutual information of two labels, in bits."""
    return _entropy(one) + _entropy(other) - _entropy(one, other)


def _conditional_information(one: LabelArray, other: LabelArray, known: LabelArray) -> float:
    """Return the conditional mutual information of two labels given a third, in bits."""
    return _entropy(one, known) + _entropy(other, known) - _entropy(one, other, known) - _entropy(known)


def _shuffle_labels(labels: LabelArray, within: LabelArray | None, seed: int) -> LabelArray:
    """Shuffle labels; with `within`, only among positions where `within` has the same value."""
    rng = np.random.default_rng(seed)
    mixed = np.array(labels)
    if within is None:
        return np.asarray(rng.permutation(mixed))
    for value in np.unique(within):
        places = np.flatnonzero(within == value)
        mixed[places] = mixed[rng.permutation(places)]
    return mixed


class RoutingInformation(NamedTuple):
    """The fractions of the information about a token's expert that token and topic explain."""

    token: float  # token, topic: explained by the token alone; by the topic of its text alone
    topic: float
    token_more: float  # token_more, topic_more: what each adds if the other is already known
    topic_more: float
    by_chance: float  # the largest of the four with shuffled labels: 0 in the limit of infinitely many tokens


def routing_information(expert: LabelArray, token: LabelArray, topic: LabelArray, seed: int) -> RoutingInformation:
    """Measure what token and topic explain of the expert, each (N,). All 0 if every token goes to the same expert."""
    check_whole("seed", seed, 0)
    if not (all_bits := _entropy(expert)):
        return RoutingInformation(0.0, 0.0, 0.0, 0.0, 0.0)
    chance = (
        _mutual_information(expert, _shuffle_labels(token, None, seed)),
        _mutual_information(expert, _shuffle_labels(topic, None, seed)),
        _conditional_information(expert, _shuffle_labels(token, topic, seed), topic),
        _conditional_information(expert, _shuffle_labels(topic, token, seed), token),
    )
    return RoutingInformation(
        _mutual_information(expert, token) / all_bits,
        _mutual_information(expert, topic) / all_bits,
        _conditional_information(expert, token, topic) / all_bits,
        _conditional_information(expert, topic, token) / all_bits,
        max(chance) / all_bits,
    )


def best_guess_rate(expert: LabelArray, known: LabelArray) -> float:
    """Return how often the most frequent expert of a label, known (N,), is the expert that the token went to, (N,)."""
    counts = np.zeros((known.max() + 1, expert.max() + 1), np.int64)
    np.add.at(counts, (known, expert), 1)
    return float(counts.max(1).sum() / len(expert))


def most_frequent(ids: LabelArray, group: LabelArray, n_group: int, n_most: int) -> list[list[int]]:
    """Return for each group its most frequent ids, at most n_most; ids and group are (N,)."""
    counts = np.zeros((n_group, int(ids.max()) + 1), np.int64)
    np.add.at(counts, (group, ids), 1)
    order = np.argsort(-counts, axis=1, kind="stable")[:, :n_most]
    return [[int(one) for one in row if count[one]] for row, count in zip(order, counts, strict=True)]
