"""One block of a transformer: attention, then feed-forward, each beside a residual path.

A decoder that reads an encoder has a second attention between the two, whose keys and values come from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.nn.attention import MultiHeadAttention
from core.nn.feed_forward import ACTIVATIONS, FeedForward, token_shift
from core.nn.norms import NORMS, make_norm
from core.nn.positions import Rotary
from core.nn.tap import tap

Stream = Float[Tensor, "B T D"]


@dataclass(frozen=True, kw_only=True)
class BlockStyle:
    """What all blocks of a model have in common, besides their sizes. The default is GPT-2's.

    Args:
        norm: "layer", "rms" or "rms_plain" (no learned gain).
        norm_first: pre-norm, x + f(norm(x)); else post-norm, norm(x + f(x)), as in 2017 and in BERT.
        residual: whether x is added at all; switched off, one sees what the residual path is for.
        activation: the feed-forward's nonlinearity, see `core.nn.feed_forward`.
        bias: whether linear layers and LayerNorms have one; "qkv": only the layers that make queries, keys and values.
        qk_norm: whether queries and keys are normalised; "gain": with learned gains.
        feed_forward: whether there is one; without, the block is attention only.
        eps: what norms add before the root; None: 1e-5 of a LayerNorm, 1e-6 of an RMSNorm.

    Raises:
        ValueError: if a name is unknown, or eps not above 0.

    Source: post-norm and pre-norm: Xiong et al. 2020 (2002.04745).
    """

    norm: str = "layer"
    norm_first: bool = True
    residual: bool = True
    activation: str = "gelu_tanh"
    bias: bool | Literal["qkv"] = True
    qk_norm: bool | Literal["gain"] = False
    feed_forward: bool = True
    eps: float | None = None

    def __post_init__(self) -> None:
        for name, known in (("norm", NORMS), ("activation", ACTIVATIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}")
        for name, word in (("bias", "qkv"), ("qk_norm", "gain")):
            value = getattr(self, name)
            if not isinstance(value, bool) and value != word:
                raise ValueError(f"{name}={value!r} is none of True, False, {word!r}")
        if self.eps is not None and not 0 < self.eps < 1:
            raise ValueError(f"eps={self.eps} is not between 0 and 1")

    def make_norm(self, d_model: int) -> nn.Module:
        """A normalisation of this style."""
        return make_norm(self.norm, d_model, self.bias is True, self.eps)


class Block(nn.Module):
    """Attention mixes the tokens, feed-forward works on each; both add to the residual stream.

    Args:
        d_model, d_ff: widths of the residual stream and of the feed-forward; None means 4 d_model.
        cross: whether there is a cross-attention, which reads a memory, between the two.
        shifted: whether half of what the feed-forward reads is the token before's.
        d_head, n_kv_head, scale, rotary: of the attention, see `MultiHeadAttention`.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        d_model: int,
        n_head: int,
        d_ff: int | None = None,
        style: BlockStyle | None = None,
        *,
        cross: bool = False,
        shifted: bool = False,
        d_head: int | None = None,
        n_kv_head: int | None = None,
        scale: float | None = None,
        rotary: Rotary | None = None,
    ):
        super().__init__()
        style = BlockStyle() if style is None else style
        self.style, self.shifted = style, shifted

        def attention() -> MultiHeadAttention:
            return MultiHeadAttention(
                d_model, n_head, d_head, style.bias, n_kv_head=n_kv_head, qk_norm=style.qk_norm, eps=style.eps,
                scale=scale, rotary=rotary,
            )  # fmt: skip

        self.norm_1 = style.make_norm(d_model)
        self.attn = attention()
        self.cross_attn: MultiHeadAttention | None = None
        if cross:
            self.norm_cross = style.make_norm(d_model)
            self.cross_attn = attention()
        if style.feed_forward:
            self.norm_2 = style.make_norm(d_model)
            self.mlp = FeedForward(d_model, d_ff or 4 * d_model, style.activation, style.bias is True)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        positions: Int[Tensor, " T"] | None = None,
        memory: Float[Tensor, "B S D"] | None = None,
        memory_mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """x -> x after attention -> (x after cross-attention) -> x after feed-forward.

        Args:
            x, mask, bias, positions: of the self-attention, see `MultiHeadAttention`.
            memory, memory_mask: what the cross-attention reads, and where it may.
        """
        x = tap(self, "resid_in", x)
        x = self._beside(x, self.norm_1, lambda y: self.attn(y, mask=mask, bias=bias, positions=positions))
        x = tap(self, "resid_mid", x)
        if self.cross_attn is not None:
            cross_attn = self.cross_attn
            x = self._beside(x, self.norm_cross, lambda y: cross_attn(y, memory, memory_mask))
            x = tap(self, "resid_cross", x)
        if self.style.feed_forward:
            x = self._beside(x, self.norm_2, lambda y: self.mlp(token_shift(y) if self.shifted else y))
        return tap(self, "resid_out", x)

    def _beside(self, x: Stream, norm: nn.Module, part: Callable[[Stream], Stream]) -> Stream:
        """One part beside its residual path: pre-norm x + part(norm(x)), post-norm norm(x + part(x))."""
        change = part(norm(x) if self.style.norm_first else x)
        x = x + change if self.style.residual else change
        return x if self.style.norm_first else norm(x)
