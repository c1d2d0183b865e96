"""The transformer of 2017: an encoder reads a text, a decoder writes its translation.

Sines and cosines are added to the embeddings, norms come after each part (post-norm), and the decoder's blocks have a
second attention: its queries are the decoder's own, its keys and values come from the encoder's last vectors.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.models.configs.config_and_input_checks import check_ids, check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.nn.block import Block, BlockStyle
from core.nn.masks import causal, padding_to_attention_mask
from core.nn.positions import RelativeBias, sinusoidal
from core.nn.tap import tap

POST_NORM = BlockStyle(norm_first=False, activation="relu")  # as published


@dataclass(frozen=True, kw_only=True)
class TransformerConfig:
    """The sizes of an encoder-decoder, see `GPTConfig`.

    Args:
        vocab_size: number of tokens, the same for reading and for writing.
        n_layer: blocks of the encoder, and of the decoder.

    Raises:
        ValueError: if sizes do not fit together.
    """

    positions: ClassVar[str] = "sinusoidal"
    causal: ClassVar[bool] = True

    vocab_size: int
    n_layer: int = 2
    n_head: int = 4
    d_model: int = 64
    d_ff: int | None = None
    tied: bool = True
    block: BlockStyle = field(default_factory=lambda: POST_NORM)

    def __post_init__(self) -> None:
        check_sizes(self)


class TransformerStack(nn.Module):
    """The blocks of one side; pre-norm ones are followed by one more norm.

    Args:
        config: with d_model, n_head, d_ff and block.
        n_layer: how many blocks.
        pos_emb: adds to the scores of all blocks, by distance; None: nothing does.
        options: of the blocks: cross, d_head, scale.
    """

    def __init__(self, config: Any, n_layer: int, pos_emb: RelativeBias | None = None, **options: Any):
        super().__init__()
        self.pos_emb = pos_emb
        self.blocks = nn.ModuleList(
            Block(config.d_model, config.n_head, config.d_ff, config.block, **options) for _ in range(n_layer)
        )
        self.norm = config.block.make_final_norm(config.d_model)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Bool[Tensor, "..."] | None,
        memory: Float[Tensor, "B S D"] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Pass x through all blocks; a decoder reads the memory in each."""
        x = tap(self, "embed", x)
        bias = None if self.pos_emb is None else self.pos_emb(x.shape[1], x.shape[1])  # (H, T, T)
        for block in self.blocks:
            x = block(x, mask=mask, bias=bias, memory=memory, memory_mask=memory_mask)
        return tap(self, "final", self.norm(x))


class Transformer(nn.Module):
    """Encoder, decoder, and one embedding for both.

    Call it with the source, the target shifted right and the source's mask; row t of the logits (B, T, V) scores target
    token t.

    Source: Vaswani et al. 2017 (1706.03762), section 3.
    """

    def __init__(self, config: Any):
        super().__init__()
        self.config = config
        self.tok_emb = nn.Embedding(config.vocab_size, config.d_model)
        self.encoder, self.decoder = self.sides()
        self.unembed = nn.Linear(config.d_model, config.vocab_size, bias=False)
        if config.tied:
            self.unembed.weight = self.tok_emb.weight

    def sides(self) -> tuple[TransformerStack, TransformerStack]:
        """Build the encoder and the decoder."""
        return TransformerStack(self.config, self.config.n_layer), TransformerStack(
            self.config, self.config.n_layer, cross=True
        )

    def forward(
        self,
        source: Int[Tensor, "B S"],
        target_in: Int[Tensor, "B T"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T V"]:
        """Return the logits of each target token, given the true tokens before it."""
        return self.decode(target_in, self.encode(source, mask), mask)

    def encode(self, source: Int[Tensor, "B S"], mask: Bool[Tensor, "B S"] | None = None) -> Float[Tensor, "B S D"]:
        """Read the source once; the mask, True where there is a token, tells of padding anywhere."""
        check_ids(source, self.config.vocab_size, "source")
        return self.encoder(self.embed(source), padding_to_attention_mask(mask))

    def decode(
        self,
        target_in: Int[Tensor, "B T"],
        memory: Float[Tensor, "B S D"],
        mask: Bool[Tensor, "B S"] | None = None,
    ) -> Float[Tensor, "B T V"]:
        """Return logits after a start token and each target token so far; mask: True where the memory is of a token."""
        check_ids(target_in, self.config.vocab_size, "target_in")
        later = causal(target_in.shape[1], device=target_in.device)
        x = self.decoder(self.embed(target_in), later, memory, padding_to_attention_mask(mask))
        return tap(self, "logits", self.unembed(self.rescale(x)))

    def embed(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Return embeddings times sqrt(d_model), plus the sines and cosines of their positions (section 3.4)."""
        x = self.tok_emb(ids) * math.sqrt(self.config.d_model)
        return x + sinusoidal(ids.shape[1], self.config.d_model, x.device, x.dtype)

    def rescale(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Return the input of the output layer: here the decoder's last vectors unchanged."""
        return x

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Draw initial weights: Xavier's for layers, embeddings of deviation 1/sqrt(d_model), gains 1, biases 0.

        Source: Glorot and Bengio 2010; the tensor2tensor code of the paper's authors.
        """
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                parameter.zero_()
            elif "norm" in name:
                parameter.fill_(1.0)
            elif "emb" in name:
                parameter.normal_(0.0, self.config.d_model**-0.5, generator=generator)
            else:
                bound = math.sqrt(6 / sum(parameter.shape))
                parameter.uniform_(-bound, bound, generator=generator)


FAMILY = ModelFamily(
    kind="transformer",
    n_layer=lambda config: 2 * config.n_layer,
    answers="pair",
    config=TransformerConfig,
    model=Transformer,
    reads_by_its_encoder=True,
    encoder_stack=block_dimensions,
    decoder_stack=lambda config: block_dimensions(config, cross=True),
    outside=lambda config, n_token: {"output layer": n_token * config.d_model * config.vocab_size},
)
