"""A multi-scale ViT, the Swin transformer: first many small patches with few channels, at last few with many.

Its stages differ in resolution. Within one, each token attends only to the tokens of its own window, so that the work
grows with the number of tokens and not with its square; in every second block the windows are shifted by half, so that
what was apart meets. Between stages, each 2 x 2 tokens become one of twice the width.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_pictures, check_sizes
from core.models.configs.family import ModelFamily
from core.models.images.vit import split_patches
from core.nn.block import Block, BlockStyle
from core.nn.init import init_normal
from core.nn.tap import tap

STYLE = BlockStyle(activation="gelu")  # as published


@dataclass(frozen=True, kw_only=True)
class MultiScaleViTConfig:
    """The sizes of a multi-scale ViT.

    Args:
        image_size: height and width of a picture, in pixels.
        patch_size: height and width of a patch.
        n_channel: numbers for each pixel: 3 for a color, 1 for a shade of gray.
        d_model: width of the first stage's stream; each further stage is twice as wide.
        n_layer: blocks of each stage.
        n_head: heads in each block, stage by stage.
        window: height and width of a window, in tokens. A stage that is no larger is one window.
        shifted: whether every second block shifts its windows by half; switched off, it shows what shifting is for.
        n_class: answers that the head chooses from; 0: no head, the mean of the tokens as it is.

    Raises:
        ValueError: if sizes do not fit together, or a stage cannot be cut into windows or merged.
    """

    positions: ClassVar[str] = "relative"
    causal: ClassVar[bool] = False

    image_size: int = 16
    patch_size: int = 2
    n_channel: int = 1
    d_model: int = 16
    n_layer: tuple[int, ...] = (2, 2, 2)
    n_head: tuple[int, ...] = (1, 2, 4)
    window: int = 2
    shifted: bool = True
    n_class: int = 10
    block: BlockStyle = field(default_factory=lambda: STYLE)

    def __post_init__(self) -> None:
        check_sizes(self, "n_class")
        if not self.n_layer or len(self.n_layer) != len(self.n_head):
            raise ValueError(f"n_layer={self.n_layer} and n_head={self.n_head} must name the same stages, at least one")
        if min(*self.n_layer, *self.n_head) < 1:
            raise ValueError(f"n_layer={self.n_layer} and n_head={self.n_head} must be at least 1 in every stage")
        if self.image_size % self.patch_size:
            raise ValueError(f"image_size={self.image_size} is not divisible by patch_size={self.patch_size}")
        for stage, n_head in enumerate(self.n_head):
            side = self.image_size // self.patch_size
            if side % 2**stage:
                raise ValueError(f"stage {stage - 1} has {side / 2 ** (stage - 1):g} tokens a side: 2 x 2 do not fit")
            if self.side(stage) % self.window_of(stage):
                raise ValueError(
                    f"stage {stage} has {self.side(stage)} tokens a side, no multiple of window={self.window}"
                )
            if self.width(stage) % n_head:
                raise ValueError(f"stage {stage}: the width {self.width(stage)} is not divisible by n_head={n_head}")

    def side(self, stage: int) -> int:
        """Return the number of tokens in a row of the stage, which is also the number of rows."""
        return self.image_size // self.patch_size // 2**stage

    def width(self, stage: int) -> int:
        """Width of the stage's stream."""
        return self.d_model * 2**stage

    def window_of(self, stage: int) -> int:
        """Return the tokens in a row of the stage's windows; a stage no larger than a window is a single one."""
        return min(self.window, self.side(stage))

    def shift_of(self, stage: int, block: int) -> int:
        """Return the number of tokens by which the block's windows are shifted; 0 if there is only one window."""
        is_odd = self.shifted and block % 2 == 1
        return self.window // 2 if is_odd and self.side(stage) > self.window else 0


class MultiScaleViT(nn.Module):
    """An encoder for pictures whose stages go from fine to coarse.

    Call it with pictures (B, C, Y, X); it returns the logits (B, N) of the classes, or (B, D) without a head. Inside of
    a block a window is what elsewhere is a text: taps have (B W, w w, D), W windows of w x w tokens for each picture.

    Source: Liu et al. 2021, Swin Transformer (2103.14030), section 3.
    """

    def __init__(self, config: MultiScaleViTConfig):
        super().__init__()
        self.config = config
        style, last = config.block, len(config.n_layer) - 1
        self.patch_emb = nn.Linear(config.n_channel * config.patch_size**2, config.d_model)
        self.patch_norm = style.make_norm(config.d_model)
        self.stages = nn.ModuleList(MultiScaleStage(config, stage) for stage in range(last + 1))
        self.norm = style.make_final_norm(config.width(last))
        head = nn.Linear(config.width(last), config.n_class) if config.n_class else nn.Identity()
        self.unembed: nn.Module = head

    def forward(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B N"]:
        """Return the logits of the classes.

        Raises:
            ValueError: if the pictures are not of the config's size.
        """
        x = tap(self, "embed", self.embed(images))  # (B, T, D)
        for stage in self.stages:
            x = stage(x)  # a quarter of the tokens, of twice the width
        x = tap(self, "final", self.norm(x))
        return tap(self, "logits", self.unembed(tap(self, "mean", x.mean(1))))  # (B, N)

    def embed(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B T D"]:
        """Embed the patches. Their positions are added later, as biases within the windows."""
        check_pictures(self.config, images)
        return self.patch_norm(self.patch_emb(tap(self, "patches", split_patches(images, self.config.patch_size))))

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights: normal with standard deviation 0.02, gains 1, biases 0.

        Source: the authors' code (there the normal's tails are cut).
        """
        init_normal(self, generator)


class MultiScaleStage(nn.Module):
    """Blocks of one resolution; but for the first stage (number 0), 2 x 2 tokens are merged before."""

    def __init__(self, config: MultiScaleViTConfig, number: int):
        super().__init__()
        self.side, self.window = config.side(number), config.window_of(number)
        d, n_head, n_layer = config.width(number), config.n_head[number], config.n_layer[number]
        self.shifts = [config.shift_of(number, block) for block in range(n_layer)]
        self.merge = PatchMerging(d // 2, config.block) if number else None
        self.blocks = nn.ModuleList(Block(d, n_head, style=config.block) for _ in range(n_layer))
        # A bias for each step between two places of a window, and each head: the only positions there are.
        self.pos_emb = nn.ModuleList(nn.Embedding((2 * self.window - 1) ** 2, n_head) for _ in range(n_layer))

    def forward(self, x: Float[Tensor, "B S C"]) -> Float[Tensor, "B T D"]:
        """Merge, then let each window look around in itself, block after block."""
        if self.merge is not None:
            x = tap(self, "merged", self.merge(x, 2 * self.side))  # (B, T, D)
        for block, table, shift in zip(self.blocks, self.pos_emb, self.shifts, strict=True):
            mask = shifted_window_mask(self.side, self.window, shift, x.device) if shift else None  # (W, 1, w w, w w)
            apart = split_windows(x, self.side, self.window, shift)  # (B W, w w, D)
            bias = _window_bias(table.weight, self.window)  # type: ignore[arg-type]  # an embedding's
            every = None if mask is None else mask.repeat(len(x), 1, 1, 1)
            apart = block(apart, mask=every, bias=bias)
            x = join_windows(apart, self.side, self.window, shift)  # (B, T, D)
        return tap(self, "out", x)


class PatchMerging(nn.Module):
    """Patch merging: the vectors of 2 x 2 neighbors in one row, normalised, and brought to half of that width.

    Source: Liu et al. 2021, section 3.1; the order of the four is that of the authors' code.
    """

    def __init__(self, d_model: int, style: BlockStyle):
        super().__init__()
        self.norm = style.make_norm(4 * d_model)
        self.linear = nn.Linear(4 * d_model, 2 * d_model, bias=False)

    def forward(self, x: Float[Tensor, "B S C"], side: int) -> Float[Tensor, "B T D"]:
        """Merge `side` x `side` tokens into a quarter as many, twice as wide."""
        x = x.unflatten(1, (side // 2, 2, side // 2, 2))  # (B, rows, 2, columns, 2, C)
        x = x.permute(0, 1, 3, 4, 2, 5).flatten(3).flatten(1, 2)  # (B, T, 4 C): upper left, lower left, then right
        return self.linear(self.norm(x))


def split_windows(x: Shaped[Tensor, "B T D"], side: int, window: int, shift: int = 0) -> Shaped[Tensor, "BW M D"]:
    """Cut the tokens into windows, in reading order, as if each were a text by itself.

    Args:
        x: tokens in reading order.
        side: tokens in a row, and rows.
        window: of a window; divides the side.
        shift: everything is first moved up and left by this many tokens, and wraps around.
    """
    n = side // window
    x = x.unflatten(1, (side, side))
    x = x.roll((-shift, -shift), (1, 2)) if shift else x
    x = x.unflatten(2, (n, window)).unflatten(1, (n, window))  # (B, n, w, n, w, D)
    return x.transpose(2, 3).flatten(0, 2).flatten(1, 2)  # (B W, w w, D)


def join_windows(x: Shaped[Tensor, "BW M D"], side: int, window: int, shift: int = 0) -> Shaped[Tensor, "B T D"]:
    """Undo `split_windows`."""
    n = side // window
    x = x.unflatten(1, (window, window)).unflatten(0, (-1, n, n)).transpose(2, 3)  # (B, n, w, n, w, D)
    x = x.flatten(3, 4).flatten(1, 2)  # (B, side, side, D)
    return (x.roll((shift, shift), (1, 2)) if shift else x).flatten(1, 2)


def shifted_window_mask(
    side: int, window: int, shift: int, device: torch.device | None = None
) -> Bool[Tensor, "W 1 M M"]:
    """Return the mask of shifted windows: only tokens that are also neighbors in the picture may attend to each other.

    The move that shifts the windows brings the upper rows to the lower end (and the left columns to the right), so a
    window there holds tokens from opposite ends of the picture. They stay apart.
    """
    line = torch.arange(side, device=device)
    came_round = (line < shift).long()  # rows, or columns, that left at one end and came in at the other
    region = 2 * came_round[:, None] + came_round  # (side, side): of four kinds, and a window holds them apart
    apart = split_windows(region.reshape(1, -1, 1), side, window, shift)[..., 0]  # (W, M), M = w w
    return (apart[:, :, None] == apart[:, None, :])[:, None]


def _window_bias(table: Float[Tensor, "S H"], window: int) -> Float[Tensor, "H M M"]:
    """Look up the learned bias for each head and each offset (rows, columns) from key to query.

    Args:
        table: (2 w - 1)^2 steps, those of the rows from -(w - 1) to w - 1, and in each those of the columns.

    Source: Liu et al. 2021, equation 4.
    """
    line = torch.arange(window, device=table.device)
    row, column = (one.flatten() for one in torch.meshgrid(line, line, indexing="ij"))  # (M,) of each place
    step = [one[:, None] - one[None, :] + window - 1 for one in (row, column)]  # (M, M) from 0 to 2 w - 2
    return table[step[0] * (2 * window - 1) + step[1]].permute(2, 0, 1)


FAMILY = ModelFamily(
    kind="multiscale",
    vocab_size=lambda config: None,
    n_layer=lambda config: sum(config.n_layer),
    config=MultiScaleViTConfig,
    model=MultiScaleViT,
)
