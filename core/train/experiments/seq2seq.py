"""Experiments with encoder-decoders, which are trained with teacher forcing."""

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
from core.models.original_transformer import TransformerConfig
from core.models.recurrent_seq2seq import RecurrentSeq2SeqConfig, shift_right
from core.models.t5 import T5Config
from core.nn.tap import Trace
from core.train.experiments.base import Experiment
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, constant_then_linear

IGNORED_TARGET = -100  # a target that is padding; cross_entropy ignores it


class Seq2SeqExperiment(Experiment):
    """Encoder-decoders that are trained with teacher forcing: the decoder reads the true tokens.

    `batch` returns source, target and the source's mask (None: no padding).
    """

    start_id: ClassVar[int]  # the decoder's first input
    # constant for half of the steps, then decays to 0; transformers need a smaller one than recurrent networks
    learning_rate: ClassVar[float] = 8e-3
    # part of a name -> factor of the learning rate, for parameters that have to move further
    faster: ClassVar[Mapping[str, float]] = MappingProxyType({})

    def make_trainer(self, config: RecurrentSeq2SeqConfig | T5Config | TransformerConfig) -> Trainer:
        model: EncoderDecoder = registry.build(config, self.seed)
        named = dict(model.named_parameters())
        rates = {
            name: self.learning_rate * math.prod(factor for part, factor in self.faster.items() if part in name)
            for name in named
        }
        # The loss of a recurrent network can be very steep in places; there the gradient is clipped to length 1.
        optimizer = AdamW(named, learning_rate=rates, betas=(0.9, 0.95))
        return Trainer(model, optimizer, constant_then_linear(self.n_step), n_step=self.n_step, clip=1.0)

    def loss(
        self,
        model: EncoderDecoder,
        source: Int[Tensor, "B S"],
        target: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B S"] | None,
    ) -> Float[Tensor, ""]:
        # The inputs after the end of a row don't matter.
        logits = model(source, shift_right(target.clamp(min=0), self.start_id), mask)  # (B, T, V)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=IGNORED_TARGET)

    @torch.no_grad()
    def alignment(self, variant: str, source: Sequence[int], target: Sequence[int]) -> NDArray[np.uint8]:
        """Return a recurrent network's attention (T, S) from each target token to the source, in steps of 1/255."""
        model = self.trainers[variant].model
        with Trace(model) as trace:
            model(torch.tensor([list(source)]), shift_right(torch.tensor([list(target)]), self.start_id))
        weights = torch.cat(trace.steps("decoder.attn.weights"))  # (T, S)
        return (weights * 255).round().to(torch.uint8).numpy()
