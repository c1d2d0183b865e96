"""Activation patching between two sentences about "it" that differ in one word."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.inspect.patch import Site, component_sites, patch, recovered_fraction, residual_sites, run_patched, run_traced
from core.models.gpt import GPT
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.referent import config

LABELS = module_labels(__name__)

MODELS = ("a", "b", "c")  # of the experiment "explanation": trained to resolve "it", with different seeds
DONORS = {
    "twin": LABELS["donor.twin"],
    "stranger": LABELS["donor.stranger"],
    "mean": LABELS["donor.mean"],
    "own": LABELS["donor.own"],
}
CLEAN, CORRUPTED = "full", "empty"
N_STREAM = 3  # sites of the residual stream


@dataclass(frozen=True)
class Patches:
    """The effects of all patches in one model.

    The first axis is the direction: into the corrupted sentence (sufficient?), into the clean one (necessary?). Then W,
    the donors as in `DONORS`; N sites, the stream's first; T positions.
    """

    share: NDArray[np.float32]  # (2, W, N, T) recovered share of the logit difference to the other answer
    said: NDArray[np.int64]  # (2, W, N, T) index of the then most probable of `NOUNS`
    p: NDArray[np.float32]  # (2, W, N, T) its probability
    before: NDArray[np.int64]  # (2,) the most probable noun without a patch
    difference: NDArray[np.float32]  # (2,) the logit difference without a patch, in favor of the clean answer

    def flips(self, into: int, site: int, whose: int = 0) -> NDArray[np.int64]:
        """Return the positions at which a patch makes the model give the other sentence's answer."""
        return np.flatnonzero(
            (self.said[into, whose, site] == self.before[1 - into]) & (self.before[0] != self.before[1])
        )


def sentence_pair(first: str, second: str) -> list[BottleAndCup]:
    """Return the corrupted and the clean sentence; water can't be poured from a vessel into itself."""
    other = second if second != first else NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
    return [BottleAndCup(first, other, ending) for ending in (CORRUPTED, CLEAN)]


def stranger_sentences(pair: Sequence[BottleAndCup]) -> list[BottleAndCup]:
    """Return sentences with the same endings about two other nouns."""
    others = [noun for noun in NOUNS if noun not in (pair[0].first, pair[0].second)]
    return [BottleAndCup(others[0], others[1], one.ending) for one in pair]


def recorded_model(run: ExperimentRun, name: str) -> GPT:
    """Return one of `MODELS`, frozen."""
    return rebuild_model(run.record, name, config(n_head=int(run.options["n_head"])))


def patch_sites(model: nn.Module) -> list[Site]:
    """Return the sites of the stream, followed by all parts that write to it."""
    return [*residual_sites(model), *component_sites(model)]


def pronoun_logits(logits: Tensor) -> Tensor:
    """Return the logits at "it", where the answer is read."""
    return logits[..., referents.IT_POSITION, :]


def logit_difference(logits: Tensor, pair: Sequence[BottleAndCup]) -> Tensor:
    """Return the logit of the clean answer minus that of the corrupted one."""
    wrong, right = (referents.WORDS.index(one.referent) for one in pair)
    return logits[..., right] - logits[..., wrong]


def patch_every_vector(model: nn.Module, first: str, second: str) -> Patches:
    """Patch each vector of each run into the other run, one at a time."""
    pair = sentence_pair(first, second)
    ids, other, everything = (
        torch.from_numpy(referents.encode_referent_sentences(some)[0])
        for some in (
            pair,
            stranger_sentences(pair),
            [one for part in referents.bottle_and_cup_split(0) for one in part],
        )
    )
    own, foreign, all_ = (run_traced(model, one) for one in (ids, other, everything))
    plain = pronoun_logits(own["logits"])  # (2, V)
    nouns, before = list(referents.NOUN_IDS), logit_difference(plain, pair)
    found: dict[str, list[Tensor]] = {"share": [], "said": [], "p": []}
    for site in patch_sites(model):
        both = []
        for into in range(2):
            donors = [own[site.key][1 - into], foreign[site.key][into], all_[site.key].mean(0), own[site.key][into]]
            both.append(pronoun_logits(patch_positions(model, ids[into], torch.stack(donors), site)))
        logits = torch.stack(both)  # (2, W, T, V)
        moved = [recovered_fraction(logit_difference(logits[i], pair), before[i], before[1 - i]) for i in range(2)]
        best = logits.softmax(-1)[..., nouns].max(-1)
        for name, values in (("share", torch.stack(moved)), ("said", best.indices), ("p", best.values)):
            found[name].append(values)
    arrays = {name: torch.stack(values, 2).numpy() for name, values in found.items()}
    return Patches(**arrays, before=plain[:, nouns].argmax(-1).numpy(), difference=before.numpy())


def patch_positions(model: nn.Module, ids: Tensor, donors: Tensor, site: Site) -> Tensor:
    """Return the logits (W, T, T, V) of one text patched at each position, from each of W donors.

    Args:
        ids: (T,).
        donors: (W, ...) the tensor of the site in W runs of the same length.
    """
    n_donor, n_token = len(donors), len(ids)
    position = torch.arange(n_token).repeat(n_donor)
    batch = ids.expand(n_donor * n_token, -1)
    after = run_patched(model, batch, [(site.at(position), donors.repeat_interleave(n_token, 0))])
    return after["logits"].unflatten(0, (n_donor, n_token))


def held_out_shares(model: nn.Module, seed: int, site: int, position: int) -> tuple[float, float]:
    """Return the mean share at one site and position, sufficient and necessary, over the held-out pairs."""
    pairs = [
        sentence_pair(one.first, one.second) for one in referents.bottle_and_cup_split(seed)[1] if one.ending == CLEAN
    ]
    corrupted, clean = (
        torch.from_numpy(referents.encode_referent_sentences(side)[0]) for side in zip(*pairs, strict=True)
    )

    def metric(logits: Tensor) -> Tensor:
        return torch.stack(
            [logit_difference(row, pair) for row, pair in zip(pronoun_logits(logits), pairs, strict=True)]
        )

    at = patch_sites(model)[site].at(position)
    enough, needed = patch(model, clean, corrupted, at, metric), patch(model, corrupted, clean, at, metric)
    return float(enough.mean()), float(needed.mean())
