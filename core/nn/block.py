"""One block of a transformer: attention, then feed-forward, each beside a residual path."""

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor, nn

from core.nn.attention import MultiHeadAttention
from core.nn.feed_forward import ACTIVATIONS, FeedForward
from core.nn.norms import make_norm
from core.nn.tap import tap


@dataclass(frozen=True, kw_only=True)
class BlockStyle:
    """What all blocks of a model have in common, besides their sizes. The default is GPT-2's.

    Args:
        norm: "layer", "rms" or "rms_plain" (no learned gain).
        norm_first: pre-norm, x + f(norm(x)); else post-norm, norm(x + f(x)), as in 2017 and in BERT.
        residual: whether x is added at all; switched off, one sees what the residual path is for.
        activation: the feed-forward's nonlinearity, see `core.nn.feed_forward`.
        bias: whether linear layers and LayerNorms have one.
        qk_norm: whether queries and keys are normalised.
        feed_forward: whether there is one; without, the block is attention only.

    Raises:
        ValueError: if a name is unknown.

    Source: post-norm and pre-norm: Xiong et al. 2020 (2002.04745).
    """

    norm: str = "layer"
    norm_first: bool = True
    residual: bool = True
    activation: str = "gelu_tanh"
    bias: bool = True
    qk_norm: bool = False
    feed_forward: bool = True

    def __post_init__(self) -> None:
        if self.norm not in ("layer", "rms", "rms_plain"):
            raise ValueError(f"norm={self.norm!r} is none of 'layer', 'rms', 'rms_plain'")
        if self.activation not in ACTIVATIONS:
            raise ValueError(f"activation={self.activation!r} is none of {', '.join(ACTIVATIONS)}")


class Block(nn.Module):
    """Attention mixes the tokens, feed-forward works on each; both add to the residual stream.

    Args:
        d_model: width of the residual stream.
        n_head: number of heads.
        d_ff: width of the feed-forward; None means 4 d_model.
        style: norms, activation, residuals, biases.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, d_model: int, n_head: int, d_ff: int | None = None, style: BlockStyle | None = None):
        super().__init__()
        style = BlockStyle() if style is None else style
        self.style = style
        self.norm_1 = make_norm(style.norm, d_model, style.bias)
        self.attn = MultiHeadAttention(d_model, n_head, bias=style.bias, qk_norm=style.qk_norm)
        if style.feed_forward:
            self.norm_2 = make_norm(style.norm, d_model, style.bias)
            self.mlp = FeedForward(d_model, d_ff or 4 * d_model, style.activation, style.bias)

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        positions: Tensor | None = None,
    ) -> Float[Tensor, "B T D"]:
        """x -> x after attention -> x after feed-forward; the arguments are `MultiHeadAttention`'s."""
        x = tap(self, "resid_in", x)
        if self.style.norm_first:
            x = self._add(x, self.attn(self.norm_1(x), mask=mask, bias=bias, positions=positions))
            x = tap(self, "resid_mid", x)
            if self.style.feed_forward:
                x = self._add(x, self.mlp(self.norm_2(x)))
        else:
            x = self.norm_1(self._add(x, self.attn(x, mask=mask, bias=bias, positions=positions)))
            x = tap(self, "resid_mid", x)
            if self.style.feed_forward:
                x = self.norm_2(self._add(x, self.mlp(x)))
        return tap(self, "resid_out", x)

    def _add(self, x: Tensor, change: Tensor) -> Tensor:
        return x + change if self.style.residual else change
