"""A dense model and two mixtures of experts learn the same four topics side by side, with the same work per token.

One mixture has a load-balancing loss, the other has none.
"""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.tokenizers import CharTokenizer
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.models.configs.modern import Modern
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.tap import Trace
from core.rooms.experts.compute import mixed_text
from core.rooms.experts.compute.mixed_text import CHARACTER_KINDS, TOPICS, character_kind
from core.rooms.experts.compute.routing import load_balance
from core.train import objectives
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import muon_trainer
from core.train.tasks.defaults import FAST_BLOCK

LABELS = module_labels(__name__)

VARIANT_NAMES: Mapping[str, str] = {
    "dense": LABELS["variant.dense"],
    "balanced": LABELS["variant.balanced"],
    "free": LABELS["variant.free"],
}
MIXTURES = ("balanced", "free")
BALANCE_FACTOR = 0.01  # of the balancing loss; alpha in Fedus et al. 2021, section 2.2
N_LAYER, D_MODEL, D_FF = 2, 64, 128  # d_ff: the total of all experts that work on one token
LENGTH = 64
N_WINDOW = 4  # per topic and training step
N_HELD = 32  # held-out windows per topic
N_SHOWN = 48  # characters shown per topic
N_EVAL = 24


class Options(Inputs, prefix="expert_"):
    """The number of experts, and how many of them work on each token."""

    n_expert: int = segmented_control((4, 8), 8, depth="numbers")
    n_active: int = segmented_control((1, 2), 1, depth="numbers")
    n_step: int = hidden_training_steps(250, most=1_000)  # for each of the three models; half a minute on one core


def config_of(variant: str, n_expert: int, n_active: int, vocab_size: int) -> GPTConfig:
    """Return the config of a two-layer model; all variants do the same number of multiply-adds per token.

    An expert has 1 / n_active of the dense width. The router's D E multiply-adds cost as much as E / 2 more units of a
    dense feed-forward layer, so the dense model gets these units. With a single active expert, its probability is used
    as the gate without renormalization: renormalized it would always be 1, and the router would have no gradient.

    Source: Fedus et al. 2021, section 2.1 (one expert); Jiang et al. 2024, section 2.1 (two, renormalized).
    """
    is_dense = variant == "dense"
    return GPTConfig(
        vocab_size=vocab_size,
        context_length=LENGTH,
        n_layer=N_LAYER,
        n_head=4,
        d_model=D_MODEL,
        d_ff=D_FF + n_expert // 2 if is_dense else D_FF // n_active,
        modern=Modern(
            experts=None
            if is_dense
            else ExpertSettings(n_expert=n_expert, n_active=n_active, renormalize=n_active > 1),
            embed_norm=True,
        ),
        positions="rotary",
        tied=False,
        block=BlockStyle(**FAST_BLOCK),
    )


def routing_objective(
    model: GPT, inputs: Int[Tensor, "B T"], targets: Int[Tensor, "B T"], balance: float
) -> Float[Tensor, ""]:
    """Return the next-token loss; a mixture adds `balance` times the mean of its layers' load-balancing losses."""
    with Trace(model, keep=("mlp.router", "mlp.gates")) as trace:
        logits = model(inputs)
    loss = objectives.next_token_loss(logits, targets)
    if balance and model.config.modern.experts is not None:
        layers = [
            load_balance(trace[f"blocks.{n}.mlp.router"], trace[f"blocks.{n}.mlp.gates"])
            for n in range(model.config.n_layer)
        ]
        loss = loss + balance * torch.stack(layers).mean()
    return loss


class Routing(Experiment):
    """The experiment; its record holds, for each variant v: curve.v.loss (n,) in nats on held-out windows.

    For each mixture m: frames.m.kinds (n, L, 6, E) and frames.m.topics (n, L, 4, E), how often tokens of a kind, and of
    a topic, were sent to each expert; frames.m.text (n, L, N), the first choice for each character of shown.ids (N,),
    one topic after the other; routed.m (L, M), the first choice for all tokens held.ids (M,), whose topics are
    held.topic (M,). `vocabulary` holds the characters as code points.
    """

    title = LABELS["title"]
    keeps_weights = False
    n_eval, eval_bend = N_EVAL, 1.5
    precision = np.float32

    def begin(self) -> None:
        tokenizer, ids = _texts()
        self._train, held = {}, {}
        for topic, one in ids.items():
            self._train[topic], held[topic] = objectives.split_ids(one, LENGTH)
        size, options = tokenizer.vocab_size, self.options
        self.trainers = {
            name: muon_trainer(config_of(name, options.n_expert, options.n_active, size), self.seed, self.n_step)
            for name in VARIANT_NAMES
        }
        windows = [
            objectives.cut_windows(one, objectives.spaced_starts(len(one), LENGTH, N_HELD), LENGTH)
            for one in held.values()
        ]
        self._held, self._targets = (torch.cat(part) for part in zip(*windows, strict=True))  # (topics W, T)
        characters = tokenizer.tokens(range(size))
        kinds = np.array([character_kind(one) for one in characters])
        seen = self._held.flatten().numpy()
        self._labels = {"kinds": kinds[seen], "topics": np.repeat(np.arange(len(TOPICS)), len(seen) // len(TOPICS))}
        starts = np.arange(len(TOPICS))[:, None] * (len(seen) // len(TOPICS))
        self._shown = (starts + np.arange(N_SHOWN)).flatten()  # the beginning of each topic
        self._fixed = {
            "vocabulary": np.array([ord(one[0]) for one in characters], np.int32),
            "shown.ids": seen[self._shown].astype(np.uint8),
            "held.ids": seen.astype(np.uint8),
            "held.topic": self._labels["topics"].astype(np.uint8),
        }

    def batch(self) -> tuple[Tensor, Tensor]:
        drawn = [
            objectives.cut_windows(one, torch.randint(len(one) - LENGTH, (N_WINDOW,), generator=self.generator), LENGTH)
            for one in self._train.values()
        ]
        inputs, targets = (torch.cat(part) for part in zip(*drawn, strict=True))
        return inputs, targets

    def learn(self) -> None:
        inputs, targets = self.batch()
        for name, trainer in self.trainers.items():
            with self.timed(name):
                trainer.learn(
                    routing_objective(trainer.model, inputs, targets, BALANCE_FACTOR if name == "balanced" else 0.0)
                )

    def measure(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {}
        self._routed: dict[str, NDArray[np.uint8]] = {}
        for name, trainer in self.trainers.items():
            with Trace(trainer.model, keep=("mlp.router", "mlp.gates")) as trace:
                logits = trainer.model(self._held)
            found[f"curve.{name}.loss"] = float(objectives.next_token_loss(logits, self._targets))
            if name == "dense":
                continue
            gates = torch.stack([trace[f"blocks.{n}.mlp.gates"].flatten(0, 1) for n in range(N_LAYER)])  # (L, M, E)
            sent = (gates > 0).numpy()
            for what, labels in self._labels.items():
                n_label = len(CHARACTER_KINDS) if what == "kinds" else len(TOPICS)
                one_hot = np.eye(n_label, dtype=np.int64)[labels]  # (M, labels)
                counts = np.einsum("mk,lme->lke", one_hot, sent.astype(np.int64))
                found[f"frames.{name}.{what}"] = counts.astype(np.int16)
            first = gates.argmax(-1).numpy().astype(np.uint8)  # (L, M)
            found[f"frames.{name}.text"] = first[:, self._shown]
            self._routed[name] = first
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        return self._fixed | {f"routed.{name}": routed for name, routed in self._routed.items()}


@lru_cache(1)
def _texts() -> tuple[CharTokenizer, dict[str, Tensor]]:
    return mixed_text.encode_topics(mixed_text.load_topic_texts())
