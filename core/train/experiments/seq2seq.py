"""Encoder-decoders in an experiment: they learn by teacher forcing."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.generate.seq2seq import EncoderDecoder
from core.models import registry
from core.models.seq2seq import Seq2SeqConfig, shift_right
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.nn.tap import Trace
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

NOT_THERE = -100  # a target that is padding; cross_entropy passes it over


class Seq2SeqExperiment(Experiment):
    """Encoder-decoders that learn by teacher forcing: the decoder reads the true tokens.

    `batch` gives source, target and the source's mask (None: no padding).
    """

    start_id: ClassVar[int]  # what the decoder reads first
    # kept for half of the steps, then brought down to 0; transformers want a smaller one than recurrent nets
    learning_rate: ClassVar[float] = 8e-3
    # part of a name -> factor of the learning rate, for parameters that have a longer way to go
    faster: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def make_trainer(self, config: Seq2SeqConfig | T5Config | TransformerConfig) -> Trainer:
        model: EncoderDecoder = registry.build(config, self.seed)
        named = dict(model.named_parameters())
        rates = {
            name: self.learning_rate * math.prod(factor for part, factor in self.faster.items() if part in name)
            for name in named
        }
        # A recurrent net can have a very steep place on its way; there the step is cut to length 1.
        optimizer = AdamW(named, learning_rate=rates, betas=(0.9, 0.95))
        return Trainer(model, optimizer, half_then_down(self.n_step), n_step=self.n_step, clip=1.0)

    def loss(
        self,
        model: EncoderDecoder,
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B S"] | None,
    ) -> Float[Tensor, ""]:
        # What is read after the end of a row does not matter.
        logits = model(source, shift_right(target.clamp(min=0), self.start_id), mask)  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=NOT_THERE)

    @torch.no_grad()
    def alignment(self, variant: str, source: Sequence[int], target: Sequence[int]) -> NDArray[np.uint8]:
        """(T, S) the source tokens that a recurrent net reads for each token of this target, in steps of 1/255."""
        model = self.trainers[variant].model
        with Trace(model) as trace:
            model(torch.tensor([list(source)]), shift_right(torch.tensor([list(target)]), self.start_id))
        weights = torch.cat(trace.steps("decoder.attn.weights"))  # (T, S)
        return (weights * 255).round().to(torch.uint8).numpy()
