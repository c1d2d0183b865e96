"""One block of a transformer: attention, then feed-forward, each with a residual connection.

A decoder that reads an encoder has a second attention between the two, whose keys and values come from the encoder.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.nn.attention import MultiHeadAttention
from core.nn.experts import ExpertSettings, MixtureOfExperts
from core.nn.feed_forward import ACTIVATIONS, FeedForward, token_shift
from core.nn.norms import NORMS, make_norm
from core.nn.positions import RotarySettings
from core.nn.tap import tap

_Stream = Float[Tensor, "B T D"]


@dataclass(frozen=True, kw_only=True)
class BlockStyle:
    """The options that all blocks of a model share, apart from their sizes. The default is GPT-2's.

    Args:
        norm: "layer", "rms" or "rms_plain" (no learned gain).
        norm_first: pre-norm, x + f(norm(x)); else post-norm, norm(x + f(x)), as in 2017 and in BERT.
        norm_out: whether each sublayer's output is normalized before it is added: x + norm(f(norm(x))) with norm_first
            (Gemma 2), x + norm(f(x)) without (OLMo 2).
        parallel: whether attention and feed-forward read the same stream, in parallel (GPT-NeoX); "one norm": through
            the same norm, too (Phi).
        residual: whether x is added at all; switching it off shows what residual connections are for.
        activation: the feed-forward's nonlinearity, see `core.nn.feed_forward`.
        bias: whether linear layers and LayerNorms have a bias; "qkv": only the layers that make queries, keys and
            values.
        qk_norm: whether queries and keys are normalized; "gain": with learned gains; "width": all heads together.
        softcap: the upper bound of a score's size, applied with tanh (Gemma 2); None: no bound.
        sink: whether each head has a learned sink (gpt-oss); "zero": a sink whose score stays 0, see
            `MultiHeadAttention`.
        gate: whether gates scale the heads' outputs (Qwen3-Next); "head": one gate per head.
        feed_forward: whether there is one; without it, the block is attention only.
        eps: added before the root in norms; None: 1e-5 in a LayerNorm, 1e-6 in an RMSNorm.

    Raises:
        ValueError: if a name is unknown, a number out of range, or options contradict each other.

    Source: post-norm and pre-norm: Xiong et al. 2020 (2002.04745); norms before and after a sublayer: Gemma 2
    (2408.00118), table 1; only after it: OLMo 2 (2501.00656), section 2.1; parallel: GPT-NeoX-20B (2204.06745),
    section 2.1.
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
        """True if the stream itself is normalized after each sublayer; if not, a final norm follows the last block."""
        return not self.norm_first and not self.norm_out

    def make_norm(self, d_model: int) -> nn.Module:
        """Create a normalization layer of this style."""
        return make_norm(self.norm, d_model, self.bias is True, self.eps)

    def make_final_norm(self, d_model: int) -> nn.Module:
        """Create the norm after the last block, or the identity if the blocks' output is normalized already."""
        return nn.Identity() if self.post_norm else self.make_norm(d_model)


class Block(nn.Module):
    """A transformer block: attention mixes information between tokens, feed-forward processes each token by itself.

    Both add their output to the residual stream.

    Args:
        d_model, d_ff: widths of the residual stream and of the feed-forward; None means 4 d_model.
        cross: whether there is a cross-attention, which reads a memory, between the two.
        shifted: whether half of the feed-forward's input comes from the previous token (token shift).
        experts: a mixture of experts in place of the feed-forward; d_ff is then the width of a single expert.
        d_head, n_kv_head, scale, rotary: of the attention, see `MultiHeadAttention`.

    Source: Vaswani et al. 2017, section 3.1.

    Elsewhere: `norm_1`, `attn`, `norm_2` and `mlp` are `input_layernorm`, `self_attn`, `post_attention_layernorm` and
    `mlp` in Llama, `ln_1`, `attn`, `ln_2` and `mlp` in GPT-2. The taps `resid_in`, `resid_mid` and `resid_out` are
    TransformerLens' `hook_resid_pre`, `hook_resid_mid` and `hook_resid_post`.
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
        experts: ExpertSettings | None = None,
        d_head: int | None = None,
        n_kv_head: int | None = None,
        scale: float | None = None,
        rotary: RotarySettings | None = None,
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
        """Compute x -> x after attention -> (x after cross-attention) -> x after feed-forward.

        Args:
            x, mask, bias, positions: of the self-attention, see `MultiHeadAttention`.
            memory, memory_mask: the vectors that the cross-attention reads, and its mask.
        """
        resid_in = x = tap(self, "resid_in", x)
        x = self._residual(
            x, x, self.norm_1, self.norm_1_out, lambda y: self.attn(y, mask=mask, bias=bias, positions=positions)
        )
        x = tap(self, "resid_mid", x)
        if self.cross_attn is not None:
            cross_attn = self.cross_attn
            out = self.norm_cross_out
            x = self._residual(x, x, self.norm_cross, out, lambda y: cross_attn(y, memory, memory_mask))
            x = tap(self, "resid_cross", x)
        if self.style.feed_forward:
            read, out = resid_in if self.style.parallel else x, self.norm_2_out
            x = self._residual(x, read, self.norm_2, out, lambda y: self.mlp(token_shift(y) if self.shifted else y))
        return tap(self, "resid_out", x)

    def _residual(
        self, x: _Stream, read: _Stream, norm: nn.Module, norm_out: nn.Module, part: Callable[[_Stream], _Stream]
    ) -> _Stream:
        """Apply one sublayer with its residual connection.

        Pre-norm computes x + part(norm(read)), post-norm computes norm(x + part(read)).
        """
        style = self.style
        change = part(norm(read) if style.norm_first else read)
        if style.norm_out:
            change = norm_out(change)
        x = x + change if style.residual else change
        return norm(x) if style.post_norm else x
