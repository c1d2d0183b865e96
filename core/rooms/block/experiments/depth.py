"""Eight layers with and without residual paths, on the task of naming "it"; and two layers without, which still learn.

Beside the accuracy it measures, at every layer, how much gradient arrives and how different the tokens still are.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.synthetic import referents
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.nn.start import start_wide
from core.nn.tap import Trace
from core.train.experiment import Record
from core.train.experiments import naming
from core.train.experiments.bounded import Bounded
from core.train.experiments.naming import Namer

LOOK_EVERY = 10  # steps


def config(n_layer: int, style: BlockStyle) -> GPTConfig:
    """The model that names "it", with other blocks."""
    return replace(naming.config(n_layer=n_layer), block=style)


VARIANTS: MappingProxyType[str, GPTConfig] = MappingProxyType(
    {
        "pre_8": config(8, BlockStyle()),
        "post_8": config(8, BlockStyle(norm_first=False)),
        "none_8": config(8, BlockStyle(residual=False)),
        "none_2": config(2, BlockStyle(residual=False)),
    }
)


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: training steps of each variant.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 400}  # about half a minute on one core
    n_step: int = 120


NAMES: MappingProxyType[str, str] = MappingProxyType(
    {"pre_8": "8, pre-norm", "post_8": "8, post-norm", "none_8": "8, no path", "none_2": "2, no path"}
)
FULL = MappingProxyType({variant: name.replace(",", " layers,") for variant, name in NAMES.items()})
WITHOUT = ("none_8", "none_2")


class Depth:
    """All four variants, one step of each at a time."""

    title: ClassVar[str] = "Depth with and without residual paths"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._namers = {name: Namer(one, seed, seed, self.n_step) for name, one in VARIANTS.items()}
        for name, namer in self._namers.items():
            if not VARIANTS[name].block.residual:
                start_wide(namer.trainer.model, seed)
        sentences = referents.split(seed)[0][:32]
        ids, answers = referents.encode(sentences)
        self._ids, self._answers = torch.from_numpy(ids), torch.from_numpy(answers)
        self._steps: list[int] = []
        self._gradients: dict[str, list[NDArray[np.float32]]] = {name: [] for name in VARIANTS}
        self._diversities: dict[str, list[NDArray[np.float32]]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        for namer in self._namers.values():
            namer.advance()
        self.step += 1
        if self.step % LOOK_EVERY == 0 or self.step == self.n_step:
            self._look()

    def _look(self) -> None:
        self._steps.append(self.step)
        for name, namer in self._namers.items():
            model = namer.trainer.model
            self._gradients[name].append(arriving_gradients(model, self._ids, self._answers))
            self._diversities[name].append(diversity(stream(model, self._ids)))

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, for each variant v:

        curve.v.step, .accuracy (n,): on pairs of nouns that were held out.
        look (m,): steps of what follows. gradient.v (m, L): see `arriving_gradients`; diversity.v (m, L + 1).
        likeness.v (L + 1, T, T): cosines between the tokens of one sentence now, before each layer and at the end.
        """
        found: dict[str, NDArray[Any]] = {"look": np.array(self._steps, dtype=np.int32)}
        for name, namer in self._namers.items():
            found |= {
                f"curve.{name}.step": np.array(namer.steps, dtype=np.int32),
                f"curve.{name}.accuracy": np.array(namer.accuracies, dtype=np.float32),
                f"gradient.{name}": np.stack(self._gradients[name]),
                f"diversity.{name}": np.stack(self._diversities[name]),
                f"likeness.{name}": likeness(stream(namer.trainer.model, self._ids[:1])[:, 0]),
            }
        return found


def table(record: Record, variants: Sequence[str] = tuple(NAMES)) -> dict[str, list[Any]]:
    """The accuracy on held-out sentences by training step, one column for each of these variants."""
    found: dict[str, list[Any]] = {"step": record["curve.pre_8.step"].tolist()}
    return found | {NAMES[name]: record[f"curve.{name}.accuracy"].round(4).tolist() for name in variants}


def stream(model: nn.Module, ids: Tensor) -> Float[Tensor, "L1 B T D"]:
    """The tokens' vectors before each layer and after the last one."""
    with torch.no_grad(), Trace(model) as trace:
        model(ids)
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    layers = [trace[f"blocks.{layer}.resid_in"] for layer in range(n_layer)]
    return torch.stack([*layers, trace[f"blocks.{n_layer - 1}.resid_out"]])


def arriving_gradients(model: nn.Module, ids: Tensor, answers: Tensor) -> NDArray[np.float32]:
    """(L,) how strongly the loss pulls at the input of each layer: the norm of its gradient there, over the batch.

    The first number has come the whole way down; where it is 0, the first layers cannot learn.
    """
    with torch.enable_grad(), Trace(model) as trace:
        loss = F.cross_entropy(naming.answer_logits(model, ids), answers)
    n_layer = sum(key.endswith(".resid_in") for key in trace)
    inputs = [trace[f"blocks.{layer}.resid_in"] for layer in range(n_layer)]
    gradients = torch.autograd.grad(loss, inputs)
    return torch.stack([one.norm() for one in gradients]).numpy().astype(np.float32)


def diversity(x: Float[Tensor, "L1 B T D"]) -> NDArray[np.float32]:
    """(L + 1,) how different the tokens of a sentence are: 0 is all alike, 1 is nothing in common.

    The norm of what is left when the mean token is taken off, as a share of the whole norm; mean over the sentences.

    Source: Dong et al. 2021 (2103.03404), section 2, with the Euclidean norm.
    """
    rest = x - x.mean(-2, keepdim=True)
    share = rest.flatten(-2).norm(dim=-1) / x.flatten(-2).norm(dim=-1).clamp(min=1e-30)  # (L + 1, B)
    return share.mean(-1).numpy().astype(np.float32)


def likeness(x: Float[Tensor, "L1 T D"]) -> NDArray[np.float32]:
    """(L + 1, T, T) cosine between each two tokens of one sentence."""
    unit = F.normalize(x, dim=-1)
    return (unit @ unit.mT).numpy().astype(np.float32)
