"""One vector of one run put into another run of the same model, at one place: what does the model say then?"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.inspect.knockouts import sizes
from core.nn.tap import Edit, Trace

Kept = Mapping[str, Tensor]  # key of a tap -> its tensor, (S, T, D) or (S, H, T, K)


@dataclass(frozen=True)
class Site:
    """Where in a model a vector stands, at each place of the text.

    Attributes:
        key: of the tap.
        name: as one says it.
        head: whose output it is; None: the whole width.
    """

    key: str
    name: str
    head: int | None = None

    @property
    def layer(self) -> int:
        """Of a block."""
        return int(self.key.split(".")[1])


def stream(model: nn.Module) -> list[Site]:
    """The residual stream: as it begins, and after each layer."""
    n_layer, _ = sizes(model)
    after = [Site(f"blocks.{layer}.resid_out", f"after layer {layer}") for layer in range(n_layer)]
    return [Site("embed", "embedding"), *after]


def writers(model: nn.Module) -> list[Site]:
    """All that writes into the stream: each head, and the feed-forward of each layer if there is one."""
    n_layer, n_head = sizes(model)
    found = []
    for layer in range(n_layer):
        found += [Site(f"blocks.{layer}.attn.heads", f"head {layer}.{head}", head) for head in range(n_head)]
        if model.config.block.feed_forward:  # type: ignore[union-attr]
            found.append(Site(f"blocks.{layer}.mlp.out", f"feed-forward {layer}"))
    return found


@torch.no_grad()
def run(model: nn.Module, ids: Int[Tensor, "B T"], edits: Mapping[str, Edit] | None = None) -> Trace:
    """One traced pass over a batch."""
    with Trace(model, edits) as trace:
        model(ids)
    return trace


@torch.no_grad()
def swapped(model: nn.Module, ids: Int[Tensor, " T"], donors: Kept, site: Site, at: int) -> Float[Tensor, "S T V"]:
    """What the model says at place `at`, once for each donor and each place whose vector is the donor's.

    Args:
        ids: of the run that gets them; everything else in it is its own, and what comes after is computed anew.
        donors: S runs of the same length, by key.

    Source: Vig et al. 2020 (2004.12265), section 3 (an indirect effect); Meng et al. 2022 (2202.05262), section 2.1.
    """
    given, place = donors[site.key], torch.arange(len(ids))
    shape = (len(given), len(ids))

    def edit(x: Tensor) -> Tensor:
        x = x.unflatten(0, shape).clone()
        if site.head is None:
            x[:, place, place] = given[:, place]
        else:
            x[:, place, site.head, place] = given[:, site.head, place]
        return x.flatten(0, 1)

    logits = run(model, ids.expand(shape[0] * shape[1], -1), {site.key: edit})["logits"]
    return logits[:, at].unflatten(0, shape)


def share(
    after: Float[Tensor, "..."], before: Float[Tensor, "..."], donor: Float[Tensor, "..."]
) -> Float[Tensor, "..."]:
    """How far a swap moves a number on its way from what it was to what it is in the donor's run: 0 not at all, 1 all.

    Raises ValueError if there is no way to go.
    """
    if bool((before == donor).any()):
        raise ValueError("both runs give the same number: there is nothing to restore")
    return (before - after) / (before - donor)
