"""T5: an encoder reads a text, a decoder writes another, and every task is such a pair of texts.

What sets it apart from the encoder-decoder of 2017: positions are learned numbers added to the scores, by distance and
shared by all layers; norms are RMSNorms before each part; no layer has a bias; and dot products are not scaled (the
start of the weights makes up for it).
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from core.models.configs.config_and_input_checks import check_sizes
from core.models.configs.family import ModelFamily, block_dimensions
from core.models.configs.modern import Modern
from core.models.original_transformer import Transformer, TransformerStack
from core.nn.block import BlockStyle
from core.nn.positions import RelativeBias


@dataclass(frozen=True, kw_only=True)
class T5Config:
    """The sizes of a T5, see `GPTConfig`.

    Args:
        vocab_size: number of tokens, the same for reading and for writing.
        n_layer: blocks of the encoder; n_decoder_layer: of the decoder, None means as many.
        activation: "relu" (2019), or "geglu" (v1.1).
        tied: whether the output layer is the embedding matrix, transposed; the stream is then scaled down before it.
        n_bucket: buckets of distance; max_distance: from here on all distances share the last one.

    Raises:
        ValueError: if sizes do not fit together, or a name is unknown.
    """

    positions: ClassVar[str] = "relative"
    causal: ClassVar[bool] = True

    vocab_size: int
    n_layer: int = 2
    n_decoder_layer: int | None = None
    n_head: int = 4
    d_model: int = 64
    d_head: int | None = None
    d_ff: int | None = None
    activation: str = "relu"
    tied: bool = True
    n_bucket: int = 32
    max_distance: int = 128

    def __post_init__(self) -> None:
        check_sizes(self, d_head=self.d_head)
        if self.n_bucket < 4 or self.n_bucket % 4:
            raise ValueError(f"n_bucket={self.n_bucket} is not divisible by 4")
        if self.max_distance <= self.n_bucket // 2:
            raise ValueError(f"max_distance={self.max_distance} is not above half of n_bucket={self.n_bucket}")
        BlockStyle(activation=self.activation)  # raises if there is none of that name

    @property
    def block(self) -> BlockStyle:
        """The options that all blocks share."""
        return BlockStyle(norm="rms", activation=self.activation, bias=False, eps=1e-6)


class T5(Transformer):
    """The encoder-decoder of 2017 with other parts.

    Call it with the source, the target shifted right and the source's mask; row t of the logits (B, T, V) scores target
    token t.

    Source: Raffel et al. 2019 (1910.10683), section 2.1; v1.1: Shazeer 2020 (2002.05202) and the authors' notes.
    """

    def sides(self) -> tuple[TransformerStack, TransformerStack]:
        """Build the encoder and the decoder, each with a position bias that its blocks share."""
        config = self.config

        def side(n_layer: int, cross: bool) -> TransformerStack:
            bias = RelativeBias(config.n_head, not cross, config.n_bucket, config.max_distance)
            return TransformerStack(config, n_layer, bias, cross=cross, d_head=config.d_head, scale=1.0)

        return side(config.n_layer, cross=False), side(config.n_decoder_layer or config.n_layer, cross=True)

    def embed(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Return the embeddings alone, because positions are added to the scores."""
        return self.tok_emb(ids)

    def rescale(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Undo the scale of the embeddings if they are the output layer, too."""
        return x * self.config.d_model**-0.5 if self.config.tied else x

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Draw T5's initial weights: unit-scale embeddings, and small queries because scores aren't scaled.

        Source: the authors' code, mesh_tensorflow, as in huggingface/transformers, models/t5/modeling_t5.py.
        """
        d = self.config.d_model
        for name, parameter in self.named_parameters():
            if "norm" in name:
                parameter.fill_(1.0)
                continue
            n_in = parameter.shape[-1]
            std = 1.0 if name.startswith("tok_emb") else d**-0.5 if "pos_emb" in name else n_in**-0.5
            if name.endswith("w_q.weight"):
                std = (d * parameter.shape[0] / self.config.n_head) ** -0.5
            parameter.normal_(0.0, std, generator=generator)


def _modern(config: T5Config) -> Modern:
    return Modern(d_head=config.d_head)


FAMILY = ModelFamily(
    kind="t5",
    n_layer=lambda config: config.n_layer + (config.n_decoder_layer or config.n_layer),
    answers="pair",
    config=T5Config,
    model=T5,
    reads_by_its_encoder=True,
    starts_with="pad_id",
    modern=_modern,
    encoder_stack=lambda config: block_dimensions(config, modern=_modern(config)),
    decoder_stack=lambda config: block_dimensions(config, config.n_decoder_layer, modern=_modern(config), cross=True),
    outside=lambda config, n_token: {"output layer": n_token * config.d_model * config.vocab_size},
)
