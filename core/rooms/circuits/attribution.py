"""Direct logit attribution: each part's direct contribution to the answer, and the loss of removing the part."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.data.checks import describe_value
from core.data.localization.labels import module_labels
from core.data.synthetic import referents
from core.exhibit import Inputs as Base, Result, Table, segmented_control
from core.inspect.patch import Site, component_sites, layer_and_head_counts, run_patched, run_traced
from core.nn.norms import LayerNorm
from core.nn.tap import Trace
from core.rooms.circuits.compute.pronoun_patching import MODELS, recorded_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class AnswerContrast:
    """Texts, the position where the answer is read, and two tokens per text whose logits are compared."""

    ids: Int[Tensor, "N T"]
    at: int
    right: Int[Tensor, " N"]
    wrong: Int[Tensor, " N"]

    def difference(self, logits: Float[Tensor, "N T V"]) -> Float[Tensor, " N"]:
        """Return the model's logit difference between the right and the wrong token."""
        rows = torch.arange(len(self.ids))
        return logits[rows, self.at, self.right] - logits[rows, self.at, self.wrong]


def part_key(site: Site) -> str:
    """Return the key of a part: "head 1.0" or "feed-forward 1"."""
    return f"feed-forward {site.layer}" if site.head is None else f"head {site.layer}.{site.head}"


@torch.no_grad()
def part_outputs(model: nn.Module, trace: Trace, at: int) -> dict[str, Float[Tensor, "N D"]]:
    """Return each part's output to the stream at one position, by key; they sum to the stream before the last norm.

    A layer's output projection has a bias of its own, which is listed separately because it belongs to no head.
    """
    parts = {"embedding": trace["embed"][:, at]}
    for site in component_sites(model):
        wrote = trace[site.key]
        if site.head is None:
            parts[part_key(site)] = wrote[:, at]
            continue
        w_o = cast(nn.Linear, model.get_submodule(site.key.removesuffix("heads") + "w_o"))
        if site.head == 0 and w_o.bias is not None:
            parts[f"bias {site.layer}"] = w_o.bias.expand(len(wrote), -1)
        by_head = w_o.weight.unflatten(1, (-1, wrote.shape[-1]))  # (D, H, K)
        parts[part_key(site)] = wrote[:, site.head, at] @ by_head[:, site.head].T
    return parts


@torch.no_grad()
def direct_effects(model: nn.Module, asked: AnswerContrast) -> dict[str, Float[Tensor, " N"]]:
    """Return each part's contribution to the logit difference through the last norm, with the norm's scale frozen.

    The norm divides by a number that depends on all parts together. With that number frozen, the rest is linear, so the
    contributions sum to the logit difference.

    Raises:
        TypeError: if the last norm isn't a LayerNorm, which subtracts a mean and divides.

    Source: Elhage et al. 2021 (A Mathematical Framework for Transformer Circuits); Wang et al. 2022 (2211.00593),
    section 3.1.
    """
    norm, unembed = _end(model)
    trace = run_traced(model, asked.ids)
    read = unembed.weight[asked.right] - unembed.weight[asked.wrong]  # (N, D)
    scale = _norm_scale(model, trace, asked.at)
    effects = {
        name: ((one - one.mean(-1, keepdim=True)) / scale * norm.weight * read).sum(-1)
        for name, one in part_outputs(model, trace, asked.at).items()
    }
    return effects | {"bias of the end": _constant_effect(model, asked)}


def _constant_effect(model: nn.Module, asked: AnswerContrast) -> Float[Tensor, " N"]:
    """Return the constant contribution of the last norm's bias and, if there is one, the output layer's bias."""
    norm, unembed = _end(model)
    logits = unembed(torch.zeros_like(norm.weight) if norm.bias is None else norm.bias)  # (V,)
    return logits[asked.right] - logits[asked.wrong]


def _norm_scale(model: nn.Module, trace: Trace, at: int) -> Float[Tensor, "N 1"]:
    """Return the divisor of the last norm, which is the standard deviation of the stream's numbers."""
    x = trace[f"blocks.{layer_and_head_counts(model)[0] - 1}.resid_out"][:, at]
    return (x.var(-1, unbiased=False, keepdim=True) + _end(model)[0].eps).sqrt()


@torch.no_grad()
def ablation_effect(
    model: nn.Module, asked: AnswerContrast, site: Site
) -> tuple[Float[Tensor, " N"], Float[Tensor, " N"]]:
    """Return the drop in logit difference without a part: as it is, and with the last norm's scale frozen.

    Source: the norm as self-repair: Rushing and Nanda 2024 (2402.15390), section 4.
    """
    whole, without = run_traced(model, asked.ids), run_patched(model, asked.ids, [(site, torch.zeros(()))])
    before, after = (asked.difference(one["logits"]) for one in (whole, without))
    rescaled = (_norm_scale(model, without, asked.at) / _norm_scale(model, whole, asked.at))[:, 0]
    constant = _constant_effect(model, asked)
    return before - after, before - (constant + (after - constant) * rescaled)


def _end(model: Any) -> tuple[LayerNorm, Any]:
    """Return the last norm and the output layer."""
    if not isinstance(model.norm, LayerNorm):
        raise TypeError(f"the last norm must be a LayerNorm, not {describe_value(model.norm)}")
    return model.norm, model.unembed


TRAINED = "explanation"
CODE = (direct_effects, part_outputs, ablation_effect)


class Inputs(Base, prefix="attribution_"):
    model: str = segmented_control({name: LABELS("model.option", name=name) for name in MODELS}, "a")


class Attribution(Result):
    """The contributions of each part, as means over the held-out sentences."""

    names: tuple[str, ...]  # of the parts that write to the stream
    direct: NDArray[np.float64]  # (P,) each part's direct contribution to the logit difference
    lost: NDArray[np.float64]  # (P,) its drop without the part; nan if a part can't be switched off
    held: NDArray[np.float64]  # (P,) the same, with the last norm's scale frozen
    effects: dict[str, dict[str, float]]  # the same three numbers by the key of the part
    most_missed: int  # the part whose removal costs most
    most_repaired: int  # the part whose removal is compensated most
    whole: float  # the model's logit difference
    error: float  # the largest difference between the sum and `whole`, over all sentences

    def table(self) -> Table:
        """Return one row for each part."""
        columns = {LABELS["writes"]: self.direct, LABELS["lost"]: self.lost, LABELS["lost_held"]: self.held}
        return {LABELS["part"]: [*self.names]} | {name: one.round(5).tolist() for name, one in columns.items()}


def held_out_sentences(seed: int) -> AnswerContrast:
    """Return the sentences on which no model was trained, with the right noun and the other noun."""
    ids, answers = (
        torch.from_numpy(one) for one in referents.encode_referent_sentences(referents.bottle_and_cup_split(seed)[1])
    )
    first, second = ids[:, referents.FIRST_POSITION], ids[:, referents.SECOND_POSITION]
    return AnswerContrast(ids, referents.IT_POSITION, answers, torch.where(first == answers, second, first))


def compute(inputs: Inputs, run: ExperimentRun) -> Attribution:
    """Compute the direct contributions, and switch every part off once."""
    model, asked = recorded_model(run, inputs.model), held_out_sentences(run.seed)
    direct = direct_effects(model, asked)
    titles = {part_key(site): site.name for site in component_sites(model)}
    with torch.no_grad():
        whole = asked.difference(model(asked.ids))
    without = {part_key(site): ablation_effect(model, asked, site) for site in component_sites(model)}
    lost, held = (
        np.array([float(without[name][i].mean()) if name in without else np.nan for name in direct]) for i in (0, 1)
    )
    means = torch.stack([one.mean() for one in direct.values()]).double().numpy()
    each = zip(direct, means.tolist(), lost.tolist(), held.tolist(), strict=True)
    return Attribution(
        names=tuple(_part_name(part, titles) for part in direct),
        direct=means,
        lost=lost,
        held=held,
        effects={name: {"direct": wrote, "lost": fell, "held": kept} for name, wrote, fell, kept in each},
        most_missed=int(np.nanargmax(lost)),
        most_repaired=int(np.nanargmax(means - lost)),
        whole=float(whole.mean()),
        error=float((sum(direct.values()) - whole).abs().max()),
    )


def _part_name(part: str, titles: Mapping[str, str]) -> str:
    """Return the name of a part on the screen."""
    if part == "embedding":
        return LABELS["embedding"]
    if part == "bias of the end":
        return LABELS["bias_of_end"]
    return titles.get(part) or LABELS("bias", layer=part.removeprefix("bias "))


def draw(result: Attribution, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw both measures as bars side by side."""
    shown = [i for i, part in enumerate(result.effects) if not part.startswith("bias")]
    series = {LABELS["writes"]: result.direct, LABELS["lost"]: result.lost}
    if ui.depth_at_least("numbers"):
        series[LABELS["held"]] = result.held
    ui.bars(
        {name: one[shown] for name, one in series.items()},
        labels=[result.names[i] for i in shown],
        x=ui.quantity_label(LABELS["towards_answer"], LABELS["logit_difference"]),
    )
