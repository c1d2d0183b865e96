"""The sentence about "it" twice, with one word changed, and a vector of one run put into the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.rooms.circuits.compute.swaps import Site, run, share, stream, swapped, writers

WHOSE = {"twin": "the other sentence", "stranger": "another, same answer", "mean": "the average", "own": "its own"}
CLEAN, CORRUPTED = "full", "empty"
AT = referents.IT
N_STREAM = 3  # sites of the residual stream


@dataclass(frozen=True)
class Swaps:
    """One model. The first axis: put into the corrupted sentence (is it enough?), into the clean one (is it needed?).

    Then W whose vector it is, as `WHOSE`; N sites, the stream's first; T places.
    """

    share: NDArray[np.float32]  # (2, W, N, T) of the way to the other answer, in logit difference
    said: NDArray[np.int64]  # (2, W, N, T) which of `NOUNS` is then likeliest
    p: NDArray[np.float32]  # (2, W, N, T) its probability
    before: NDArray[np.int64]  # (2,) which it was without a swap
    difference: NDArray[np.float32]  # (2,) and the logit difference, for the clean answer

    def flips(self, into: int, site: int, whose: int = 0) -> NDArray[np.int64]:
        """The places at which a swap makes the model say what the other sentence's run says."""
        return np.flatnonzero(
            (self.said[into, whose, site] == self.before[1 - into]) & (self.before[0] != self.before[1])
        )


def pair_of(first: str, second: str) -> list[BottleAndCup]:
    """The corrupted sentence and the clean one; water can't be poured from a vessel into itself."""
    other = second if second != first else NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
    return [BottleAndCup(first, other, ending) for ending in (CORRUPTED, CLEAN)]


def strangers(pair: Sequence[BottleAndCup]) -> list[BottleAndCup]:
    """Sentences with the same endings about two other nouns."""
    others = [noun for noun in NOUNS if noun not in (pair[0].first, pair[0].second)]
    return [BottleAndCup(others[0], others[1], one.ending) for one in pair]


def sites(model: nn.Module) -> list[Site]:
    """The stream, then all that writes into it."""
    return [*stream(model), *writers(model)]


def difference(logits: Tensor, pair: Sequence[BottleAndCup]) -> Tensor:
    """Logit of the clean answer less that of the corrupted one."""
    wrong, right = (referents.WORDS.index(one.referent) for one in pair)
    return logits[..., right] - logits[..., wrong]


def swap_all(model: nn.Module, first: str, second: str) -> Swaps:
    """Each vector of each run into the other, one at a time."""
    pair = pair_of(first, second)
    ids, other, everything = (
        torch.from_numpy(referents.encode(some)[0])
        for some in (pair, strangers(pair), [one for part in referents.split(0) for one in part])
    )
    own, foreign, all_ = (run(model, one) for one in (ids, other, everything))
    plain = own["logits"][:, AT]  # (2, V)
    nouns, before = list(referents.NOUN_IDS), difference(plain, pair)
    found: dict[str, list[Tensor]] = {"share": [], "said": [], "p": []}
    for site in sites(model):
        both = []
        for into in range(2):
            donors = [own[site.key][1 - into], foreign[site.key][into], all_[site.key].mean(0), own[site.key][into]]
            both.append(swapped(model, ids[into], {site.key: torch.stack(donors)}, site, AT))
        logits = torch.stack(both)  # (2, W, T, V)
        moved = [share(difference(logits[i], pair), before[i], before[1 - i]) for i in range(2)]
        best = logits.softmax(-1)[..., nouns].max(-1)
        for name, values in (("share", torch.stack(moved)), ("said", best.indices), ("p", best.values)):
            found[name].append(values)
    arrays = {name: torch.stack(values, 2).numpy() for name, values in found.items()}
    return Swaps(**arrays, before=plain[:, nouns].argmax(-1).numpy(), difference=before.numpy())


def on_average(model: nn.Module, seed: int, site: int, place: int) -> tuple[float, float]:
    """The share at one site and place, enough and needed, over the pairs of sentences that were held out."""
    held = [one for one in referents.split(seed)[1] if one.ending == CLEAN]
    found = []
    for one in held:
        pair = pair_of(one.first, one.second)
        ids = torch.from_numpy(referents.encode(pair)[0])
        own, at = run(model, ids), sites(model)[site]
        before = difference(own["logits"][:, AT], pair)
        for i in range(2):
            logits = swapped(model, ids[i], {at.key: own[at.key][1 - i : 2 - i]}, at, AT)[0, place]
            found.append(float(share(difference(logits, pair), before[i], before[1 - i])))
    return float(np.mean(found[::2])), float(np.mean(found[1::2]))
