"""One encoder-decoder of an experiment: how it learns, how it is measured, and how its weights get into a record."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.generate.seq2seq import EncoderDecoder
from core.models import registry
from core.models.seq2seq import Seq2SeqConfig, shift_right
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.nn.tap import Trace
from core.train.optimizers import AdamW
from core.train.trainer import Trainer, half_then_down

LEARNING_RATE = 8e-3
NOT_THERE = -100  # a target that is padding; cross_entropy passes it over


class Seq2SeqTrainer(Trainer):
    """A model on its way through a training of `n_step` steps, with AdamW.

    Args:
        start_id: what the decoder reads first.
        learning_rate: kept for half of the steps, then brought down to 0; transformers want a smaller one than
        recurrent
            nets.
        faster: part of a name -> factor of the learning rate, for parameters that have a longer way to go.
    """

    def __init__(
        self,
        config: Seq2SeqConfig | T5Config | TransformerConfig,
        seed: int,
        start_id: int,
        n_step: int,
        learning_rate: float = LEARNING_RATE,
        faster: Mapping[str, float] | None = None,
    ):
        model: EncoderDecoder = registry.build(config, seed)
        named = dict(model.named_parameters())
        rates = {
            name: learning_rate * math.prod(factor for part, factor in (faster or {}).items() if part in name)
            for name in named
        }
        # A recurrent net can have a very steep place on its way; there the step is cut to length 1.
        optimizer = AdamW(named, learning_rate=rates, betas=(0.9, 0.95))
        super().__init__(model, optimizer, half_then_down(n_step), n_step=n_step, clip=1.0)
        self.start_id = start_id

    def learn_forced(
        self, source: Int[Tensor, "B S"], target: Int[Tensor, "B T"], mask: Bool[Tensor, "B S"] | None
    ) -> float:
        """One step with teacher forcing: the decoder reads the true tokens. Returns the loss, nats per token."""
        logits = self.forced(source, target, mask)  # (B, T, V)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=NOT_THERE)
        self.learn(loss)
        return loss.item()

    def forced(
        self, source: Int[Tensor, "B S"], target: Int[Tensor, "B T"], mask: Bool[Tensor, "B S"] | None
    ) -> Float[Tensor, "B T V"]:
        """The logits under teacher forcing; what is read after the end of a row does not matter."""
        logits: Tensor = self.model(source, shift_right(target.clamp(min=0), self.start_id), mask)
        return logits

    @torch.no_grad()
    def alignment(self, source: Sequence[int], target: Sequence[int]) -> NDArray[np.uint8]:
        """Which source tokens a recurrent net reads for each token of this target: (T, S), in steps of 1/255."""
        with Trace(self.model) as trace:
            self.model(torch.tensor([list(source)]), shift_right(torch.tensor([list(target)]), self.start_id))
        weights = torch.cat(trace.steps("decoder.attn.weights"))  # (T, S)
        return (weights * 255).round().to(torch.uint8).numpy()
