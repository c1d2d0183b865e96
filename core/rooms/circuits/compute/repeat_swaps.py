"""Induction, taken apart: random tokens that come again, with two of them changed over, and the paths between heads."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.inspect.knockouts import sizes
from core.nn.tap import Edit, Trace
from core.rooms.circuits.compute.swaps import run, share, stream

N_PROMPT = 64
PERIOD, ASKED, OTHER = 8, 2, 5  # so many tokens, then again up to the one that is asked; and the one it changes with
LETTERS = "ABCDEFGH"
INPUTS = ("q", "k", "v")
READS = {"q": "Q", "k": "K", "v": "V"}


@dataclass(frozen=True)
class Prompts:
    """Pairs of texts that differ in two places, and what follows the last token in each."""

    clean: Int[Tensor, "N T"]
    corrupted: Int[Tensor, "N T"]  # ASKED and OTHER have changed places, the first time
    right: Int[Tensor, " N"]  # what followed the asked token the first time, in the clean text
    wrong: Int[Tensor, " N"]  # and in the corrupted one

    def difference(self, logits: Float[Tensor, "N ... V"]) -> Float[Tensor, "N ..."]:
        """Logit of the right token less that of the wrong one."""
        rows = torch.arange(len(self.right))
        return logits[rows, ..., self.right] - logits[rows, ..., self.wrong]


def draw(vocab_size: int, seed: int, n: int = N_PROMPT) -> Prompts:
    """Random texts: eight different tokens, and the first of them again."""
    generator = torch.Generator().manual_seed(seed)
    once = torch.rand(n, vocab_size, generator=generator).argsort(-1)[:, :PERIOD]
    swapped_once = once.clone()
    swapped_once[:, [ASKED, OTHER]] = once[:, [OTHER, ASKED]]
    again = once[:, : ASKED + 1]
    return Prompts(
        torch.cat([once, again], 1), torch.cat([swapped_once, again], 1), once[:, ASKED + 1], once[:, OTHER + 1]
    )


@dataclass(frozen=True)
class Paths:
    """Means over the texts. The first axis: clean into corrupted (is it enough?), the other way (is it needed?)."""

    places: NDArray[np.float32]  # (2, 3, T) share of the way, by site of the stream and place
    # (2, H, 3 H + 1) from each head of layer 0 into Q, K, V of each head of layer 1, and straight to the output
    paths: NDArray[np.float32]
    together: NDArray[np.float32]  # (2, H, 3) into Q, K or V of all heads of layer 1 at once
    right: float  # share of the clean texts that are continued rightly
    previous: NDArray[np.float32]  # (H,) mean weight of each head of layer 0 on the token before


@torch.no_grad()
def paths_of(model: nn.Module, prompts: Prompts) -> Paths:
    """Every vector of the stream once, and every path between two heads."""
    texts = (prompts.corrupted, prompts.clean)
    runs = [run(model, ids) for ids in texts]
    before = [prompts.difference(one["logits"][:, -1]) for one in runs]
    _, n_head = sizes(model)
    places, paths, together = [], [], []
    for into, ids in enumerate(texts):

        def moved(logits: Tensor, into: int = into) -> Tensor:
            return share(prompts.difference(logits), before[into], before[1 - into])

        own, other = runs[into], runs[1 - into]
        sites = [
            [moved(at_place(model, ids, other, site.key, at)).mean() for at in range(ids.shape[1])]
            for site in stream(model)
        ]
        places.append(torch.tensor(sites))
        for head in range(n_head):
            single = [
                moved(through(model, ids, own, other, head, [(name, reader)])).mean()
                for reader in range(n_head)
                for name in INPUTS
            ]
            single.append(moved(through(model, ids, own, other, head, [], to_output=True)).mean())
            paths.append(torch.stack(single))
            all_ = [[(name, reader) for reader in range(n_head)] for name in INPUTS]
            together.append(torch.stack([moved(through(model, ids, own, other, head, some)).mean() for some in all_]))
    weights = runs[1]["blocks.0.attn.weights"]  # (N, H, T, T)
    return Paths(
        places=torch.stack(places).numpy(),
        paths=torch.stack(paths).unflatten(0, (2, n_head)).numpy(),
        together=torch.stack(together).unflatten(0, (2, n_head)).numpy(),
        right=float((runs[1]["logits"][:, -1].argmax(-1) == prompts.right).float().mean()),
        previous=weights.diagonal(-1, 2, 3).mean((0, 2)).numpy(),
    )


def at_place(model: nn.Module, ids: Int[Tensor, "N T"], other: Trace, key: str, at: int) -> Float[Tensor, "N V"]:
    """The last logits when one place of the stream is the other run's."""

    def put(x: Tensor) -> Tensor:
        return torch.cat([x[:, :at], other[key][:, at : at + 1], x[:, at + 1 :]], 1)

    return run(model, ids, {key: put})["logits"][:, -1]


def through(
    model: nn.Module,
    ids: Int[Tensor, "N T"],
    own: Trace,
    other: Trace,
    head: int,
    readers: list[tuple[str, int]],
    to_output: bool = False,
) -> Float[Tensor, "N V"]:
    """The last logits when what a head of layer 0 writes is the other run's, for some readers in layer 1 alone.

    Args:
        own, other: traces of the run that is changed, and of the one whose output the head gets.
        readers: ("q", "k" or "v", head of layer 1) that read the changed stream; all others read the unchanged one.
        to_output: whether the last layer's output reads it, too.

    Source: Wang et al. 2022 (2211.00593), appendix B (path patching); Elhage et al. 2021 (Q-, K- and V-composition).
    """
    wrote = "blocks.0.attn.heads"

    def put(x: Tensor) -> Tensor:
        return torch.cat([x[:, :head], other[wrote][:, head : head + 1], x[:, head + 1 :]], 1)

    changed = run(model, ids, {wrote: put})

    def reading(name: str) -> Edit:
        def edit(x: Tensor) -> Tensor:
            x = own[f"blocks.1.attn.{name}"].clone()
            for one, reader in readers:
                if one == name:
                    x[:, reader] = changed[f"blocks.1.attn.{name}"][:, reader]
            return x

        return edit

    edits: dict[str, Edit] = {f"blocks.1.attn.{name}": reading(name) for name in INPUTS}
    if to_output:
        edits[wrote] = put
    return run(model, ids, edits)["logits"][:, -1]
