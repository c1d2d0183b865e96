"""A captioner: an encoder reads a picture, a decoder writes what is to be seen on it.

The encoder is a ViT without its head. The decoder's blocks have a second attention: its queries are the decoder's own,
its keys and values come from the picture. What they come from is the choice that this file offers:

- "patches": from the last vectors of all patches; the decoder attends to them again at each word;
- "class": from the class token's last vector alone, one vector whatever the picture (vec2seq).
"""

from dataclasses import dataclass, field
from typing import ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_length, check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.models.images.vit import PRE_NORM, ViT, ViTConfig
from core.models.original_transformer import TransformerConfig, TransformerStack
from core.nn.block import BlockStyle
from core.nn.init import init_normal
from core.nn.masks import causal, padding_to_attention_mask
from core.nn.tap import tap

MEMORIES = ("patches", "class")


@dataclass(frozen=True, kw_only=True)
class CaptionerConfig:
    """The sizes of a captioner.

    Args:
        vocab_size: tokens that the decoder reads and writes, the start token among them.
        context_length: longest caption that can be read, start token included.
        reads: "patches" or "class": what the decoder's cross-attention reads.
        image_size, patch_size, n_channel: of the pictures, see `ViTConfig`.
        n_layer: blocks of the encoder.
        n_decoder_layer: blocks of the decoder; None means n_layer.
        d_model: width of both residual streams. Other sizes as of `GPTConfig`.

    Raises:
        ValueError: if sizes do not fit together, a patch does not fit the picture, or `reads` is unknown.
    """

    positions: ClassVar[str] = "learned"
    causal: ClassVar[bool] = True

    vocab_size: int
    context_length: int = 16
    reads: str = "patches"
    image_size: int = 8
    patch_size: int = 2
    n_channel: int = 1
    n_layer: int = 2
    n_decoder_layer: int | None = None
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    block: BlockStyle = field(default_factory=lambda: PRE_NORM)

    def __post_init__(self) -> None:
        check_sizes(self)
        if self.reads not in MEMORIES:
            raise ValueError(f"reads={self.reads!r} is none of {', '.join(MEMORIES)}")
        _ = self.encoder  # checks what concerns the pictures

    @property
    def encoder(self) -> ViTConfig:
        """The encoder's sizes: a ViT without a head."""
        return ViTConfig(
            image_size=self.image_size, patch_size=self.patch_size, n_channel=self.n_channel, n_layer=self.n_layer,
            n_head=self.n_head, d_model=self.d_model, d_ff=self.d_ff, n_class=0, block=self.block,
        )  # fmt: skip

    @property
    def decoder(self) -> TransformerConfig:
        """The decoder's sizes."""
        return TransformerConfig(
            vocab_size=self.vocab_size, n_layer=self.n_decoder_layer or self.n_layer, n_head=self.n_head,
            d_model=self.d_model, d_ff=self.d_ff, block=self.block,
        )  # fmt: skip

    @property
    def n_memory(self) -> int:
        """Vectors that the decoder can read."""
        return self.encoder.n_patch if self.reads == "patches" else 1


class Captioner(nn.Module):
    """A ViT that reads, a decoder that writes.

    Call it with pictures and the caption shifted right; row t of the logits (B, T, V) scores the caption's token t.

    Source: the decoder of Vaswani et al. 2017 (1706.03762) above the encoder of Dosovitskiy et al. 2020 (2010.11929);
    one vector against all places of the picture: Vinyals et al. 2014 (1411.4555), Xu et al. 2015 (1502.03044).
    """

    def __init__(self, config: CaptionerConfig):
        super().__init__()
        self.config = config
        self.encoder = ViT(config.encoder)
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.pos_emb = nn.Embedding(config.context_length, config.d_model)
        self.decoder = TransformerStack(config.decoder, config.decoder.n_layer, cross=True)
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)

    def forward(
        self, images: Float[Tensor, "B C Y X"], target_in: Int[Tensor, "B T"], mask: Bool[Tensor, "B S"] | None = None
    ) -> Float[Tensor, "B T V"]:
        """Return the logits of each token of the caption, given the true tokens before it."""
        return self.decode(target_in, self.encode(images), mask)

    def encode(self, images: Float[Tensor, "B C Y X"]) -> Float[Tensor, "B S D"]:
        """Read the pictures once: all that the decoder ever gets of them.

        Returns:
            One vector for each patch, in reading order, or that of the class token alone.
        """
        x = self.encoder.encode(images)  # (B, 1 + P, D)
        return x[:, 1:] if self.config.reads == "patches" else x[:, :1]

    def decode(
        self,
        target_in: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S D"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T V"]:
        """Return the logits after each token of the caption so far.

        Args:
            target_in: a start token, then the caption's tokens.
            memory: the pictures' vectors; mask: those that may be read.

        Raises:
            ValueError: if the caption is too long.
        """
        check_ids(target_in, self.config.vocab_size, "target_in")
        later = causal(target_in.shape[1], device=target_in.device)
        x = self.decoder(self.embed(target_in), later, memory, padding_to_attention_mask(mask))
        return tap(self, "logits", self.unembed(x))

    def embed(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Return token embeddings plus position embeddings."""
        check_length(self.config, ids)
        return self.tok_emb(ids) + self.pos_emb.weight[: ids.shape[1]]

    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights as ViT and GPT-2 do: normal with standard deviation 0.02, gains 1, biases 0."""
        init_normal(self, generator)


FAMILY = ModelFamily(
    kind="captioner",
    context_length=lambda config: config.context_length,
    n_layer=lambda config: config.n_layer + config.decoder.n_layer,
    config=CaptionerConfig,
    model=Captioner,
    encoder_stack=lambda config: block_dimensions(config.encoder),
    decoder_stack=lambda config: block_dimensions(config.decoder, cross=True),
)
