"""One half of an encoder-decoder as a model of its own, to look inside."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

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
        """Who may attend to whom: everyone to everyone."""
        return full(n_token, device=device)

    def score_bias(self, n_token: int, like: Tensor) -> Float[Tensor, "H T T"] | None:
        """What positions add to every block's scores (T5), else None."""
        return None if self.pos_emb is None else self.pos_emb(n_token, n_token)
