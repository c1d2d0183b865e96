"""Direct logit attribution: what each part writes towards the answer, beside what is lost without it."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.checks import came
from core.data.synthetic import referents
from core.exhibit import Inputs as Base, Result, Table, segmented
from core.inspect.patch import Site, component_sites, run, run_patched, sizes
from core.nn.norms import LayerNorm
from core.nn.tap import Trace
from core.rooms.circuits.compute.pronoun_patching import MODELS, model_of
from core.train.experiments.live import Live


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
        w_o = cast(nn.Linear, model.get_submodule(site.key.removesuffix("heads") + "w_o"))
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


TRAINED = "explanation"
CODE = (direct_effects, written, lost_without)


class Inputs(Base, prefix="attribution_"):
    model: str = segmented("Model", {name: f"model {name}" for name in MODELS}, "a")


class Attribution(Result):
    """The sentences that were held out, on average."""

    names: tuple[str, ...]  # of the parts that write
    direct: NDArray[np.float64]  # (P,) what each wrote, of the logit difference
    lost: NDArray[np.float64]  # (P,) by how much it falls without the part; nan where a part can't be switched off
    held: NDArray[np.float64]  # (P,) the same, with the last norm's scale held
    effects: dict[str, dict[str, float]]  # the same three of each part by its name
    most_missed: int  # the part without which most is lost
    most_repaired: int  # the part whose loss is made up for most
    whole: float  # the logit difference that the model gives
    error: float  # the most that the sum differs from it, over all sentences

    def table(self) -> Table:
        """One line for each part."""
        columns = {"it writes": self.direct, "lost without it": self.lost, "lost, scale held": self.held}
        return {"part": [*self.names]} | {name: one.round(5).tolist() for name, one in columns.items()}


def held_out(seed: int) -> Asked:
    """The sentences on which no model was trained, the right noun and the other."""
    ids, answers = (torch.from_numpy(one) for one in referents.encode(referents.split(seed)[1]))
    first, second = ids[:, referents.FIRST], ids[:, referents.SECOND]
    return Asked(ids, referents.IT, answers, torch.where(first == answers, second, first))


def compute(inputs: Inputs, run: Live) -> Attribution:
    """The sum, and every part switched off once."""
    model, asked = model_of(run, inputs.model), held_out(run.seed)
    direct = direct_effects(model, asked)
    with torch.no_grad():
        whole = asked.difference(model(asked.ids))
    without = {site.name: lost_without(model, asked, site) for site in component_sites(model)}
    lost, held = (
        np.array([float(without[name][i].mean()) if name in without else np.nan for name in direct]) for i in (0, 1)
    )
    means = torch.stack([one.mean() for one in direct.values()]).double().numpy()
    each = zip(direct, means.tolist(), lost.tolist(), held.tolist(), strict=True)
    return Attribution(
        names=tuple(direct),
        direct=means,
        lost=lost,
        held=held,
        effects={name: {"direct": wrote, "lost": fell, "held": kept} for name, wrote, fell, kept in each},
        most_missed=int(np.nanargmax(lost)),
        most_repaired=int(np.nanargmax(means - lost)),
        whole=float(whole.mean()),
        error=float((sum(direct.values()) - whole).abs().max()),
    )


def draw(result: Attribution, inputs: Inputs, run: Live) -> None:
    """Bars side by side, and the two surprises."""
    shown = [i for i, name in enumerate(result.names) if not name.startswith("bias")]
    series = {"it writes": result.direct, "lost without it": result.lost}
    if ui.at_least("numbers"):
        series["scale held"] = result.held
    ui.bars(
        {name: one[shown] for name, one in series.items()},
        labels=[result.names[i] for i in shown],
        x=ui.measured("towards the right noun", "logit difference"),
    )
