"""Models that read a single text: a GPT or a BERT itself, or the encoder of an encoder-decoder.

`core.inspect.attention_record` and everything built on it needs a model with `blocks`, `tok_emb` and `mask` that is
called with ids only. GPT and BERT are such models; in a T5 or a transformer of 2017, the encoder is one.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.family import Predicts
from core.models.registry import family_of
from core.nn.masks import full
from core.nn.tap import tap


class _EncoderAlone(nn.Module):
    """The encoder of an encoder-decoder as a model of its own; the weights are shared, not copied.

    Call it with ids (B, T); it returns the memory (B, T, D). The taps are the encoder's, without the prefix "encoder.":
    "blocks.0.attn.weights".
    """

    def __init__(self, model: Any):
        super().__init__()
        self.config = model.config
        self.tok_emb = model.tok_emb
        self.blocks = model.encoder.blocks
        self.pos_emb: nn.Module | None = getattr(model.encoder, "pos_emb", None)
        self.norm = model.encoder.norm
        self._whole = (model,)  # in a tuple, because as a submodule it would change the blocks' names

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        return tap(self, "final", self._whole[0].encode(ids))

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return the mask, which is True everywhere: each query may attend to each key."""
        return full(n_token, device=device)

    def score_bias(self, n_token: int, like: Tensor) -> Float[Tensor, "H T T"] | None:
        """Return the position bias of every block's scores (T5), or None."""
        return None if self.pos_emb is None else self.pos_emb(n_token, n_token)


def encoder_or_model(model: nn.Module) -> nn.Module:
    """Return a model that reads a single text: the model itself, or the encoder of an encoder-decoder."""
    return _EncoderAlone(model) if family_of(model).reads_by_its_encoder and hasattr(model, "encoder") else model


def prediction_kind(model: nn.Module) -> Predicts:
    """Return which token the model's logits predict at each position.

    "next": the following token (a causal GPT). "here": the token at this position (a BERT with its pretraining head, or
    a GPT without a causal mask). "nothing": the model has no logits over its vocabulary (the encoder of a T5, or a BERT
    with a task head).
    """
    return family_of(model).predicts(model.config)
