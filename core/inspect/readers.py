"""One text read by any transformer: a GPT or a BERT as it is, an encoder-decoder by its encoder.

What looks inside (`core.inspect.trace` and all that stands on it) asks for a model with `blocks`, `tok_emb` and `mask`
that is called with ids alone. GPT and BERT are such models; of a T5 or a transformer of 2017 the encoder is one.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.family import Predicts
from core.models.registry import family_of
from core.nn.masks import full
from core.nn.tap import tap


class EncoderAlone(nn.Module):
    """The encoder of an encoder-decoder, under the names of any other model; the weights are shared, not copied.

    Call it with ids (B, T); it returns the memory (B, T, D). The taps are those of the encoder, without its name in
    front: "blocks.0.attn.weights".
    """

    def __init__(self, model: Any):
        super().__init__()
        self.config = model.config
        self.tok_emb = model.tok_emb
        self.blocks = model.encoder.blocks
        self.pos_emb: nn.Module | None = getattr(model.encoder, "pos_emb", None)
        self.norm = model.encoder.norm
        self._whole = (model,)  # in a tuple: as a module of this one, it would lend the blocks its own names

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        return tap(self, "final", self._whole[0].encode(ids))

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """True where query t may attend to key s: everywhere."""
        return full(n_token, device=device)

    def score_bias(self, n_token: int, like: Tensor) -> Float[Tensor, "H T T"] | None:
        """The bias that positions add to every block's scores (T5), else None."""
        return None if self.pos_emb is None else self.pos_emb(n_token, n_token)


def reader_of(model: nn.Module) -> nn.Module:
    """The model as one that reads one text: itself, or the encoder of an encoder-decoder."""
    return EncoderAlone(model) if family_of(model).reads_by_its_encoder and hasattr(model, "encoder") else model


def predicts(model: nn.Module) -> Predicts:
    """The meaning of a model's scores for the tokens of its vocabulary.

    "next": which token follows (a causal GPT); "here": which stands at this place (a BERT with its pre-training's
    head, a GPT that reads everything); "nothing": there are none, as the encoder of a T5 has no output layer, and a
    BERT for a task has other labels.
    """
    return family_of(model).predicts(model.config)
