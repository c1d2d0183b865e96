"""One block of a transformer: attention, then feed-forward, each beside a residual path.

A decoder that reads an encoder has a second attention between the two, whose keys and values come from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.nn.attention import MultiHeadAttention
from core.nn.experts import Experts, MixtureOfExperts
from core.nn.feed_forward import ACTIVATIONS, FeedForward, token_shift
from core.nn.norms import NORMS, make_norm
from core.nn.positions import Rotary
from core.nn.tap import tap

Stream = Float[Tensor, "B T D"]


@dataclass(frozen=True, kw_only=True)
class BlockStyle:
    """The options that all blocks of a model share, apart from their sizes. The default is GPT-2's.

    Args:
        norm: "layer", "rms" or "rms_plain" (no learned gain).
        norm_first: pre-norm, x + f(norm(x)); else post-norm, norm(x + f(x)), as in 2017 and in BERT.
        norm_out: whether what each part writes is normalised before it is added: x + norm(f(norm(x))) with norm_first
            (Gemma 2), x + norm(f(x)) without (OLMo 2).
        parallel: whether attention and feed-forward read the same stream, side by side (GPT-NeoX); "one norm": through
            the same norm, too (Phi).
        residual: whether x is added at all; switched off, one sees what the residual path is for.
        activation: the feed-forward's nonlinearity, see `core.nn.feed_forward`.
        bias: whether linear layers and LayerNorms have one; "qkv": only the layers that make queries, keys and values.
        qk_norm: whether queries and keys are normalised; "gain": with learned gains; "width": all heads together.
        softcap: the most that a score can be, by tanh (Gemma 2); None: no bound.
        sink: whether each head has a learned sink (gpt-oss); "zero": one that stays 0, see `MultiHeadAttention`.
        gate: whether gates decide how much of what a head has read passes (Qwen3-Next); "head": one for each head.
        feed_forward: whether there is one; without, the block is attention only.
        eps: what norms add before the root; None: 1e-5 of a LayerNorm, 1e-6 of an RMSNorm.

    Raises:
        ValueError: if a name is unknown, a number out of range, or options contradict each other.

    Source: post-norm and pre-norm: Xiong et al. 2020 (2002.04745); both sides: Gemma 2 (2408.00118), table 1; after the
    part alone: OLMo 2 (2501.00656), section 2.1; side by side: GPT-NeoX-20B (2204.06745), section 2.1.
    """

    norm: str = "layer"
    norm_first: bool = True
    norm_out: bool = False
    parallel: bool | Literal["one norm"] = False
    residual: bool = True
    activation: str = "gelu_tanh"
    bias: bool | Literal["qkv"] = True
    qk_norm: bool | Literal["gain", "width"] = False
    softcap: float | None = None
    sink: bool | Literal["zero"] = False
    gate: bool | Literal["head"] = False
    feed_forward: bool = True
    eps: float | None = None

    def __post_init__(self) -> None:
        for name, known in (("norm", NORMS), ("activation", ACTIVATIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}={getattr(self, name)!r} is none of {', '.join(known)}")
        words = {"bias": ("qkv",), "qk_norm": ("gain", "width"), "parallel": ("one norm",), "sink": ("zero",),
                 "gate": ("head",)}  # fmt: skip
        for name, known in words.items():
            value = getattr(self, name)
            if not isinstance(value, bool) and value not in known:
                raise ValueError(f"{name}={value!r} is none of True, False, {', '.join(map(repr, known))}")
        if self.parallel and not (self.norm_first and self.residual and self.feed_forward):
            raise ValueError("parallel needs norm_first=True, a residual path and a feed-forward")
        if self.softcap is not None and not 0 < self.softcap < 1e6:
            raise ValueError(f"softcap={self.softcap} is not between 0 and a million")
        if self.eps is not None and not 0 < self.eps < 1:
            raise ValueError(f"eps={self.eps} is not between 0 and 1")

    @property
    def post_norm(self) -> bool:
        """True if the stream itself is normalised after each part; otherwise one more norm follows the last block."""
        return not self.norm_first and not self.norm_out

    def make_norm(self, d_model: int) -> nn.Module:
        """A normalisation of this style."""
        return make_norm(self.norm, d_model, self.bias is True, self.eps)

    def make_final_norm(self, d_model: int) -> nn.Module:
        """The norm after the last block, or the identity if the stream leaves the blocks normalised."""
        return nn.Identity() if self.post_norm else self.make_norm(d_model)


class Block(nn.Module):
    """Attention mixes the tokens, feed-forward works on each; both add to the residual stream.

    Args:
        d_model, d_ff: widths of the residual stream and of the feed-forward; None means 4 d_model.
        cross: whether there is a cross-attention, which reads a memory, between the two.
        shifted: whether half of what the feed-forward reads is the token before's.
        experts: a mixture of experts in the feed-forward's place; d_ff is then the width of one of them.
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
        experts: Experts | None = None,
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
                scale=scale, softcap=style.softcap, sink=style.sink, gate=style.gate, rotary=rotary,
            )  # fmt: skip

        def norm() -> nn.Module:
            return style.make_norm(d_model) if style.norm_first or style.post_norm else nn.Identity()

        def norm_out() -> nn.Module:
            return style.make_norm(d_model) if style.norm_out else nn.Identity()

        self.norm_1, self.norm_1_out = norm(), norm_out()
        self.attn = attention()
        self.cross_attn: MultiHeadAttention | None = None
        if cross:
            self.norm_cross, self.norm_cross_out = norm(), norm_out()
            self.cross_attn = attention()
        if style.feed_forward:
            self.norm_2, self.norm_2_out = self.norm_1 if style.parallel == "one norm" else norm(), norm_out()
            self.mlp: nn.Module
            if experts is None:
                self.mlp = FeedForward(d_model, d_ff or 4 * d_model, style.activation, style.bias is True)
            else:
                self.mlp = MixtureOfExperts(d_model, d_ff or 4 * d_model, experts, style.activation)

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
        came = x = tap(self, "resid_in", x)
        x = self._beside(
            x, x, self.norm_1, self.norm_1_out, lambda y: self.attn(y, mask=mask, bias=bias, positions=positions)
        )
        x = tap(self, "resid_mid", x)
        if self.cross_attn is not None:
            cross_attn = self.cross_attn
            out = self.norm_cross_out
            x = self._beside(x, x, self.norm_cross, out, lambda y: cross_attn(y, memory, memory_mask))
            x = tap(self, "resid_cross", x)
        if self.style.feed_forward:
            read, out = came if self.style.parallel else x, self.norm_2_out
            x = self._beside(x, read, self.norm_2, out, lambda y: self.mlp(token_shift(y) if self.shifted else y))
        return tap(self, "resid_out", x)

    def _beside(
        self, x: Stream, read: Stream, norm: nn.Module, norm_out: nn.Module, part: Callable[[Stream], Stream]
    ) -> Stream:
        """One part beside its residual path: pre-norm x + part(norm(read)), post-norm norm(x + part(read))."""
        style = self.style
        change = part(norm(read) if style.norm_first else read)
        if style.norm_out:
            change = norm_out(change)
        x = x + change if style.residual else change
        return norm(x) if style.post_norm else x
