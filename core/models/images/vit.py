"""ViT: a picture cut into square patches, each of which is a token; an encoder reads them all.

A patch's numbers, laid in one row, go through one linear layer; a learned `<class>` vector comes before them, and the
answer for the picture is read from it.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_pictures, check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.nn.block import Block, BlockStyle
from core.nn.init import init_normal
from core.nn.masks import full
from core.nn.tap import tap

PRE_NORM = BlockStyle(activation="gelu", eps=1e-12)  # as published


@dataclass(frozen=True, kw_only=True)
class ViTConfig:
    """The sizes of a ViT, see `GPTConfig`.

    Args:
        image_size: height and width of a picture, in pixels.
        patch_size: height and width of a patch.
        n_channel: numbers for each pixel: 3 for a color, 1 for a shade of gray.
        n_class: answers that the head chooses from; 0: no head, the class token's vector as it is.

    Raises:
        ValueError: if sizes do not fit together, or a patch does not fit the picture.
    """

    positions: ClassVar[str] = "learned"
    causal: ClassVar[bool] = False

    image_size: int = 8
    patch_size: int = 2
    n_channel: int = 1
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    n_class: int = 10
    block: BlockStyle = field(default_factory=lambda: PRE_NORM)

    def __post_init__(self) -> None:
        check_sizes(self, "n_class")
        if self.image_size % self.patch_size:
            raise ValueError(f"image_size={self.image_size} is not divisible by patch_size={self.patch_size}")

    @property
    def n_patch(self) -> int:
        """Patches of a picture."""
        return (self.image_size // self.patch_size) ** 2


class ViT(nn.Module):
    """An encoder-only transformer for pictures.

    Call it with pictures (B, C, Y, X); it returns the logits (B, N) of the classes, or (B, D) without a head.

    Source: Dosovitskiy et al. 2020 (2010.11929), section 3.1.
    """

    def __init__(self, config: ViTConfig):
        super().__init__()
        self.config = config
        d, style = config.d_model, config.block
        self.patch_emb = nn.Linear(config.n_channel * config.patch_size**2, d)
        self.class_emb = nn.Embedding(1, d)
        self.pos_emb = nn.Embedding(1 + config.n_patch, d)
        self.blocks = nn.ModuleList(Block(d, config.n_head, config.d_ff, style) for _ in range(config.n_layer))
        self.norm = style.make_final_norm(d)
        self.unembed: nn.Module = nn.Linear(d, config.n_class) if config.n_class else nn.Identity()

    def forward(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B N"]:
        """Return the logits of the classes.

        Raises:
            ValueError: if the pictures are not of the config's size.
        """
        return tap(self, "logits", self.unembed(self.encode(images)[:, 0]))  # (B, N)

    def encode(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B T D"]:
        """Return the last vectors of the class token and of each patch, for a decoder that reads them."""
        x = tap(self, "embed", self.embed(images))  # (B, T, D), T = 1 + n_patch
        for block in self.blocks:
            x = block(x)
        return tap(self, "final", self.norm(x))

    def embed(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B T D"]:
        """Embed the class token and the patches, with their positions."""
        config = self.config
        check_pictures(config, images)
        x = self.patch_emb(tap(self, "patches", split_patches(images, config.patch_size)))  # (B, P, D)
        x = torch.cat([self.class_emb.weight.expand(len(x), 1, -1), x], 1)  # (B, 1 + P, D)
        return x + self.pos_emb.weight

    def mask(self, n_token: int, device: torch.device | None = None) -> Bool[Tensor, "T T"]:
        """Return True where query t may attend to key s, which is everywhere."""
        return full(n_token, device=device)

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights: normal with standard deviation 0.02, gains 1, biases 0.

        Source: as in huggingface/transformers, models/vit/modeling_vit.py (there the normal's tails are cut).
        """
        init_normal(self, generator)


def split_patches(images: Shaped[Tensor, "B C Y X"], patch_size: int) -> Shaped[Tensor, "B P K"]:
    """Cut pictures into squares, each laid in one row: channel by channel, in each line by line.

    The patches are in reading order. The order of the numbers is that of a convolution's kernel, so the weights of a
    `Conv2d(C, D, patch_size, stride=patch_size)` are those of one linear layer, under another shape.

    Args:
        images: height and width divisible by patch_size.
        patch_size: in pixels.
    """
    p = patch_size
    x = images.unflatten(-1, (-1, p)).unflatten(-3, (-1, p))  # (B, C, rows, p, columns, p)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, rows * columns, C * p * p)


def _outside(config: ViTConfig, n_token: int) -> dict[str, int]:
    pixels = config.n_channel * config.patch_size**2
    return {
        "patch embedding": config.n_patch * pixels * config.d_model,
        "output layer": config.d_model * config.n_class,
    }


FAMILY = ModelFamily(
    kind="vit",
    vocab_size=lambda config: None,
    config=ViTConfig,
    model=ViT,
    encoder_stack=block_dimensions,
    n_token=lambda config: 1 + config.n_patch,
    outside=_outside,
    n_output=lambda config, n_token: config.n_patch * config.n_channel * config.patch_size**2 + config.n_class,
)
