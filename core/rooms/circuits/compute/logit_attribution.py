"""Direct logit attribution: the logit difference as a sum over components; and what is lost when one is ablated."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.checks import came
from core.inspect.patch import Site, component_sites, run, run_patched, sizes
from core.nn.norms import LayerNorm
from core.nn.tap import Trace


@dataclass(frozen=True)
class Asked:
    """Texts, the place where the answer is read, and two tokens each, whose logits are compared."""

    ids: Int[Tensor, "N T"]
    at: int
    right: Int[Tensor, " N"]
    wrong: Int[Tensor, " N"]

    def difference(self, logits: Float[Tensor, "N T V"]) -> Float[Tensor, " N"]:
        """The logit difference that the model itself gives."""
        rows = torch.arange(len(self.ids))
        return logits[rows, self.at, self.right] - logits[rows, self.at, self.wrong]


@torch.no_grad()
def written(model: nn.Module, trace: Trace, at: int) -> dict[str, Float[Tensor, "N D"]]:
    """What each part wrote into the stream at one place, by its name; their sum is the stream before the last norm.

    A layer's output projection has a bias of its own, which belongs to none of its heads.
    """
    parts = {"embedding": trace["embed"][:, at]}
    for site in component_sites(model):
        wrote = trace[site.key]
        if site.head is None:
            parts[site.name] = wrote[:, at]
            continue
        w_o: Any = model.get_submodule(site.key.removesuffix("heads") + "w_o")
        if site.head == 0 and w_o.bias is not None:
            parts[f"bias {site.layer}"] = w_o.bias.expand(len(wrote), -1)
        by_head = w_o.weight.unflatten(1, (-1, wrote.shape[-1]))  # (D, H, K)
        parts[site.name] = wrote[:, site.head, at] @ by_head[:, site.head].T
    return parts


@torch.no_grad()
def direct_effects(model: nn.Module, asked: Asked) -> dict[str, Float[Tensor, " N"]]:
    """Each part's share of the logit difference, through the last norm with its scale held as it is.

    The norm divides by a number that all parts make together. Held as it came out, all that follows is linear, and the
    shares sum up to the logit difference.

    Raises TypeError if the last norm is none that subtracts a mean and divides.

    Source: Elhage et al. 2021 (A Mathematical Framework for Transformer Circuits); Wang et al. 2022 (2211.00593),
    section 3.1.
    """
    norm, unembed = _end(model)
    trace = run(model, asked.ids)
    read = unembed.weight[asked.right] - unembed.weight[asked.wrong]  # (N, D)
    scale = scale_of(model, trace, asked.at)
    effects = {
        name: ((one - one.mean(-1, keepdim=True)) / scale * norm.weight * read).sum(-1)
        for name, one in written(model, trace, asked.at).items()
    }
    return effects | {"bias of the end": constant_of(model, asked)}


def constant_of(model: nn.Module, asked: Asked) -> Float[Tensor, " N"]:
    """What the last norm's bias, and that of the output if it has one, add whatever was written."""
    norm, unembed = _end(model)
    logits = unembed(torch.zeros_like(norm.weight) if norm.bias is None else norm.bias)  # (V,)
    return logits[asked.right] - logits[asked.wrong]


def scale_of(model: nn.Module, trace: Trace, at: int) -> Float[Tensor, "N 1"]:
    """What the last norm divides by: the standard deviation of the stream's numbers."""
    x = trace[f"blocks.{sizes(model)[0] - 1}.resid_out"][:, at]
    return (x.var(-1, unbiased=False, keepdim=True) + _end(model)[0].eps).sqrt()


@torch.no_grad()
def lost_without(model: nn.Module, asked: Asked, site: Site) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
    """By how much the logit difference falls without a part: really, and with the last norm's scale held.

    Source: the norm as self-repair: Rushing and Nanda 2024 (2402.15390), section 4.
    """
    whole, without = run(model, asked.ids), run_patched(model, asked.ids, [(site, torch.zeros(()))])
    before, after = (asked.difference(one["logits"]) for one in (whole, without))
    rescaled = (scale_of(model, without, asked.at) / scale_of(model, whole, asked.at))[:, 0]
    constant = constant_of(model, asked)
    return before - after, before - (constant + (after - constant) * rescaled)


def _end(model: Any) -> tuple[LayerNorm, Any]:
    """The last norm and the output layer."""
    if not isinstance(model.norm, LayerNorm):
        raise TypeError(f"the last norm must be a LayerNorm, not {came(model.norm)}")
    return model.norm, model.unembed
