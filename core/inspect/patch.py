"""Activation patching and ablation: change an activation in a forward pass and compute everything after it.

**Patching** takes two runs of a model with different prompts, `clean` and `corrupted`. An activation of the clean run
is copied into the corrupted run, and a metric, such as a logit difference, is measured again.

If the metric recovers, this activation carries enough of the difference between the two runs (patching clean into
corrupted: is it *sufficient*?). Swap the two runs to ask whether the model can do without it (corrupted into clean: is
it *necessary*?). The answers differ if the model has two paths to the same result.

Patching does not show which part of the vector matters, or for what. A whole vector is replaced, with everything else
that it carries, so compare with a vector from an unrelated run, which should recover nothing. A patched run may also be
unlike anything the model has seen in training. And the result holds only for these two texts: a different pair may use
a different path.

**Ablation** replaces the activation by zeros or by a mean, to measure what the model loses without it. A small loss
does not mean that a component does little, because later layers can compensate for it.

    metric = lambda logits: logits[:, -1, right] - logits[:, -1, wrong]
    patch(model, clean, corrupted, Site("blocks.1.resid_out").at(4), metric)     # (B,) 0: no effect, 1: full recovery

Source: Vig et al. 2020 (2004.12265), section 3; Meng et al. 2022 (2202.05262), section 2.1; on method: Zhang and Nanda
2023 (2309.16042), Heimersheim and Nanda 2024 (2404.15255).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.nn.tap import Edit, Trace

LABELS = module_labels(__name__)

_Metric = Callable[[Tensor], Tensor]  # logits (B, T, V) -> a number for each text (B,)

_MAX_LOGITS = 16_000_000  # in a single pass: 64 MB


@dataclass(frozen=True, eq=False)
class Site:
    """An activation of a model: a tap, or one head or one position of it."""

    key: str  # the tap's key, of a tensor (B, T, D) or (B, H, T, K)
    name: str = ""  # a readable name
    head: int | None = None  # None: all heads, or the tensor has none
    position: int | Int[Tensor, " B"] | None = None  # the same for all texts, or one for each (B,); None: all positions

    @property
    def layer(self) -> int:
        """The index of its block."""
        return int(self.key.split(".")[1])

    def at(self, position: int | Int[Tensor, " B"]) -> "Site":
        """Return the same site at a single position."""
        return replace(self, position=position)

    def put(self, x: Tensor, new: Tensor) -> Tensor:
        """Return x with the numbers of `new` at this site."""
        x, new = x.clone(), new.to(x).expand_as(x)
        head = () if self.head is None else (self.head,)
        index = (slice(None), *head) if self.position is None else (torch.arange(len(x)), *head, self.position)
        x[index] = new[index]
        return x


def residual_sites(model: nn.Module) -> list[Site]:
    """Return the sites of the residual stream: at the beginning, and after each layer."""
    n_layer, _ = layer_and_head_counts(model)
    after = [Site(f"blocks.{layer}.resid_out", LABELS("after_layer", layer=layer)) for layer in range(n_layer)]
    return [Site("embed", LABELS["embedding"]), *after]


def component_sites(model: nn.Module) -> list[Site]:
    """Return the sites that write into the residual stream: each head, and each layer's feed-forward if it has one."""
    n_layer, n_head = layer_and_head_counts(model)
    found = []
    for layer in range(n_layer):
        found += [
            Site(f"blocks.{layer}.attn.heads", LABELS("head", layer=layer, head=head), head) for head in range(n_head)
        ]
        if model.config.block.feed_forward:  # type: ignore[union-attr]
            found.append(Site(f"blocks.{layer}.mlp.out", LABELS("feed_forward", layer=layer)))
    return found


def patch(
    model: nn.Module,
    clean: Int[Tensor, "B T"],
    corrupted: Int[Tensor, "B T"],
    at: str | Site | Iterable[str | Site],
    metric: _Metric,
) -> Float[Tensor, " B"]:
    """Return the fraction of a metric that is recovered by patching clean activations into the corrupted run.

    Args:
        clean, corrupted: pairs of texts of the same length.
        at: the key of a tensor, a site (one head or position of it), or several of them, patched together.
        metric: a function of the logits that returns a number for each text.

    Returns:
        0 if patching changes nothing, 1 if the metric reaches its value in the clean run; other values are possible.

    Raises:
        KeyError: if the model computes no such tensor.
        ValueError: if a pair has the same metric in both runs, so there is nothing to recover.
    """
    before, donor = run_traced(model, corrupted), run_traced(model, clean)
    sites = [Site(one) if isinstance(one, str) else one for one in ((at,) if isinstance(at, str | Site) else at)]
    after = run_patched(model, corrupted, [(site, donor[site.key]) for site in sites])
    return recovered_fraction(*(metric(one["logits"]) for one in (after, before, donor)))


def run_traced(model: nn.Module, ids: Int[Tensor, "B T"], edits: Mapping[str, Edit] | None = None) -> Trace:
    """Run a traced forward pass over a batch, without gradients."""
    with torch.no_grad(), Trace(model, edits) as trace:
        model(ids)
    return trace


def run_patched(model: nn.Module, ids: Int[Tensor, "B T"], patches: Iterable[tuple[Site, Tensor]]) -> Trace:
    """Run a forward pass with replaced activations at some sites; everything after them is computed from these.

    patches: each site, and a tensor of the shape of its tap, or that can be expanded to it.
    """
    by_key: dict[str, list[tuple[Site, Tensor]]] = {}
    for site, new in patches:
        by_key.setdefault(site.key, []).append((site, new))

    def put(here: list[tuple[Site, Tensor]]) -> Edit:
        def edit(x: Tensor) -> Tensor:
            for site, new in here:
                x = site.put(x, new)
            return x

        return edit

    return run_traced(model, ids, {key: put(here) for key, here in by_key.items()})


def recovered_fraction(
    after: Float[Tensor, "..."], before: Float[Tensor, "..."], donor: Float[Tensor, "..."]
) -> Float[Tensor, "..."]:
    """Return how far patching moves a number from `before` towards `donor`: 0 means not at all, 1 all the way.

    Raises ValueError if the two are equal.
    """
    if bool((before == donor).any()):
        raise ValueError("both runs give the same number: there is nothing to restore")
    return (before - after) / (before - donor)


def ablation_edits(model: nn.Module, heads: Iterable[tuple[int, int]], mode: str = "zero") -> dict[str, Edit]:
    """Return the edits that ablate some heads, for `Trace`.

    Args:
        heads: (layer, head) of each.
        mode: "zero": the head's output is zero; "mean": its output is its mean over the positions of a text (including
            later ones), so the rest of the model gets a typical input, but without information about the position.

    Raises ValueError if there is no such head or mode.

    Source: Michel et al. 2019 (1905.10650), Voita et al. 2019 (1905.09418); mean: Wang et al. 2022 (2211.00593).
    """
    if mode not in ("zero", "mean"):
        raise ValueError(f"mode={mode!r} is none of 'zero', 'mean'")
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        check_head(model, layer, head)
        by_layer.setdefault(layer, []).append(head)

    def ablate(chosen: list[int]) -> Edit:
        def edit(x: Tensor) -> Tensor:  # (B, H, T, K)
            x = x.clone()
            x[:, chosen] = 0.0 if mode == "zero" else x[:, chosen].mean(-2, keepdim=True)
            return x

        return edit

    return {f"blocks.{layer}.attn.heads": ablate(chosen) for layer, chosen in by_layer.items()}


def ablate_heads(
    model: nn.Module, ids: Int[Tensor, "B T"], heads: Iterable[tuple[int, int]] = (), mode: str = "zero"
) -> Float[Tensor, "B T V"]:
    """Return a batch's logits while some heads are ablated. See `ablation_edits` for arguments, errors and source."""
    return _logits(model, ids, ablation_edits(model, heads, mode))


def loss_rise_per_head(
    model: nn.Module, ids: Int[Tensor, "B T"], loss: _Metric, mode: str = "zero"
) -> Float[NDArray[np.float64], "L H"]:
    """Return how much a loss, a function of a batch's logits, rises when a single head is ablated, for each head.

    Source: Michel et al. 2019 (1905.10650), section 3.2.
    """
    logits, (n_layer, n_head) = ablate_heads(model, ids, (), mode), layer_and_head_counts(model)
    together = max(1, _MAX_LOGITS // logits.numel())
    after = [
        float(loss(one))
        for layer in range(n_layer)
        for first in range(0, n_head, together)
        for one in _without_each(model, ids, layer, range(first, min(first + together, n_head)), mode)
    ]
    return np.reshape(after, (n_layer, n_head)) - float(loss(logits))


def _without_each(
    model: nn.Module, ids: Int[Tensor, "B T"], layer: int, heads: Sequence[int], mode: str
) -> Iterable[Float[Tensor, "B T V"]]:
    """Yield the logits without each of some heads of a layer, from one pass over as many copies of the batch."""
    key = f"blocks.{layer}.attn.heads"
    edits = [ablation_edits(model, [(layer, head)], mode)[key] for head in heads]

    def edit(x: Tensor) -> Tensor:
        return torch.cat([ablate(part) for ablate, part in zip(edits, x.split(len(ids)), strict=True)])

    return _logits(model, ids.repeat(len(heads), 1), {key: edit}).split(len(ids))


def _logits(model: nn.Module, ids: Int[Tensor, "B T"], edits: Mapping[str, Edit]) -> Float[Tensor, "B T V"]:
    with torch.no_grad(), Trace(model, edits, keep=()):
        logits: Tensor = model(ids)
    return logits


def layer_and_head_counts(model: nn.Module) -> tuple[int, int]:
    """Return the number of layers, and of heads in each."""
    return int(model.config.n_layer), int(model.config.n_head)  # type: ignore[union-attr, arg-type]


def check_head(model: nn.Module, layer: int, head: int) -> None:
    """Raise ValueError if there is no such head."""
    n_layer, n_head = layer_and_head_counts(model)
    if not (0 <= layer < n_layer and 0 <= head < n_head):
        raise ValueError(f"there is no head {head} in layer {layer}: the model has {n_layer} layers of {n_head} heads")
