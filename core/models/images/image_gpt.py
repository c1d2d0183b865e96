"""ImageGPT: a GPT whose tokens are the colors of a small picture, pixel after pixel, row after row.

The picture's colors are rounded to a palette of 512. One more token, the last id, starts every picture; it is read and
never predicted, so the output layer has one row fewer than the embedding and cannot share its weights.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_length, check_sizes
from core.models.configs.family import ModelFamily
from core.nn.block import Block, BlockStyle
from core.nn.init import INIT_STD, init_normal
from core.nn.masks import causal
from core.nn.tap import tap

STYLE = BlockStyle(norm="rms", activation="quick_gelu", eps=1e-5)  # as published


@dataclass(frozen=True, kw_only=True)
class ImageGPTConfig:
    """The sizes of an ImageGPT, see `GPTConfig`.

    Args:
        vocab_size: colors of the palette, and the start token.
        context_length: pixels of a picture.

    Raises:
        ValueError: if sizes do not fit together.
    """

    positions: ClassVar[str] = "learned"
    causal: ClassVar[bool] = True

    vocab_size: int = 513
    context_length: int = 64
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    block: BlockStyle = field(default_factory=lambda: STYLE)

    def __post_init__(self) -> None:
        check_sizes(self)
        if self.vocab_size < 2:
            raise ValueError(f"vocab_size={self.vocab_size} must be at least 2: one color and the start token")

    @property
    def start_id(self) -> int:
        """The token before the first pixel."""
        return self.vocab_size - 1


class ImageGPT(nn.Module):
    """A decoder-only transformer for pictures.

    Call it with ids (B, T), the first of them the start token; row t of the logits (B, T, V - 1) scores the color of
    pixel t. Its norm divides by the root mean square and leaves the mean where it is.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 2; the norm: the authors' code, as in
    huggingface/transformers, models/imagegpt/modeling_imagegpt.py.
    """

    def __init__(self, config: ImageGPTConfig):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.pos_emb = nn.Embedding(config.context_length, config.d_model)
        self.blocks = nn.ModuleList(
            Block(config.d_model, config.n_head, config.d_ff, config.block) for _ in range(config.n_layer)
        )
        self.norm = config.block.make_final_norm(config.d_model)
        self.unembed = nn.Linear(config.d_model, config.vocab_size - 1, bias=False)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T C"]:
        """Return the logits of the next pixel's color.

        Raises:
            ValueError: if there are more tokens than positions.
        """
        check_ids(ids, self.config.vocab_size)
        x = tap(self, "embed", self.embed(ids))  # (B, T, D)
        mask = self.mask(ids.shape[1], ids.device)  # (T, T)
        for block in self.blocks:
            x = block(x, mask=mask)
        x = tap(self, "final", self.norm(x))  # (B, T, D)
        return tap(self, "logits", self.unembed(x))  # (B, T, V - 1)

    def embed(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Add color and position embeddings."""
        check_length(self.config, ids)
        return self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1], device=ids.device))

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return True where query t may attend to key s: each pixel sees those before it and itself."""
        return causal(n_token, device=device)

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw GPT-2's initial weights: normal with standard deviation 0.02, less into the residual stream, biases 0.

        Source: Radford et al. 2019, section 2.3; Chen et al. 2020 follow it.
        """
        init_normal(self, generator, into_stream=INIT_STD / math.sqrt(2 * self.config.n_layer))


FAMILY = ModelFamily(
    kind="image_gpt",
    context_length=lambda config: config.context_length,
    config=ImageGPTConfig,
    model=ImageGPT,
)
