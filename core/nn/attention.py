"""Attention: every query reads a weighted mixture of the values, weighted by how well their keys match it.

    weights = softmax(q k^T / sqrt(d_head))        output = weights v

The scores are scaled and masked before the softmax. Row t of `weights` is the distribution of query t over the keys.
"""

import math
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.data.checks import check_whole
from core.nn import checks
from core.nn.linear import Linear
from core.nn.norms import RMSNorm
from core.nn.positions import RotarySettings, rotate
from core.nn.softmax import block_scores, clear_empty_rows, softmax_with_sink
from core.nn.tap import tap


def attention_scores(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B H S K"],
    bias: Float[Tensor, "..."] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Float[Tensor, "B H T S"]:
    """Compute the scaled dot products, which measure how well each key matches each query.

    Two independent vectors of K numbers with variance 1 have a dot product of variance K. Dividing by sqrt(K) brings
    it back to 1, so that the softmax doesn't saturate at the start of training and its gradient doesn't vanish.

    Args:
        q, k: queries and keys.
        bias: added to the scaled scores, broadcastable to (B, H, T, S): ALiBi, relative positions.
        scale: factor of the dot products; None means 1 / sqrt(K).
        softcap: the cap c. Each score s becomes c tanh(s / c), which is never beyond c; None means no cap.

    Elsewhere: `softcap` is `attn_logit_softcapping` in the config of Gemma 2.

    Source: Vaswani et al. 2017, section 3.2.1 and footnote 4; softcap: Gemma 2 (2408.00118), section 2.
    """
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = (q * scale) @ k.mT  # (B, H, T, S); scaling the smaller tensor is the same and cheaper
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    return scores if bias is None else scores + bias


def masked_softmax(
    scores: Float[Tensor, "*batch S"],
    mask: Bool[Tensor, "..."] | None = None,
    sink: Float[Tensor, "..."] | None = None,
) -> Float[Tensor, "*batch S"]:
    """Apply the softmax over the keys that may be attended to; the others get a weight of exactly 0.

    A row in which every key is blocked becomes all zeros. A sink is one more score in each row that has no value
    vector. The weight it receives reads nothing, so the other weights of a row may sum to less than 1.

    Args:
        mask: True means "may attend", broadcastable to the scores.
        sink: the sink's score in each row, broadcastable to (*batch, 1); None means no sink, and rows sum to 1.

    Raises:
        TypeError: if the mask (True means "may attend") is not boolean.
        ValueError: if it does not broadcast to the scores.

    Source: Vaswani et al. 2017, section 3.2.3; sinks: Xiao et al. 2023 (2309.17453), section 3.3.
    """
    blocked = block_scores(scores, mask)  # the lowest number where the mask is False
    weights = softmax_with_sink(blocked, sink)  # (*batch, S), rows sum to 1
    return clear_empty_rows(weights, mask)


def attend(
    q: Float[Tensor, "B H T K"],
    k: Float[Tensor, "B H S K"],
    v: Float[Tensor, "B H S K_v"],
    mask: Bool[Tensor, "..."] | None = None,
    bias: Float[Tensor, "..."] | None = None,
    scale: float | None = None,
) -> tuple[Float[Tensor, "B H T K_v"], Float[Tensor, "B H T S"]]:
    """Compute scaled dot-product attention.

    Args:
        q, k, v: queries, keys and values of each head.
        mask: True means "may attend", broadcastable to (B, H, T, S).
        bias: added to the scaled scores, broadcastable to (B, H, T, S).
        scale: factor of the dot products; None means 1 / sqrt(K).

    Returns:
        output: (B, H, T, K_v), the mixture of values that each query reads.
        weights: (B, H, T, S), rows sum to 1; a row in which every key is blocked is all zeros, and so is its output.

    Raises:
        TypeError, ValueError: if an argument is not a tensor, or the shapes do not match.

    Source: Vaswani et al. 2017, equation 1.

    Elsewhere: `torch.nn.functional.scaled_dot_product_attention` computes the output, but does not return the weights.
    """
    checks.check_attention_inputs(q, k, v, bias, scale)
    weights = masked_softmax(attention_scores(q, k, bias, scale), mask)
    return weights @ v, weights


class MultiHeadAttention(nn.Module):
    """Multi-head attention: several heads attend in parallel, each with its own projection of the whole input.

    Each head projects the full d_model-vector (not a slice of it) to d_head numbers. The heads' outputs are
    concatenated, and `w_o` projects them back to d_model.

    Args:
        d_model: width of the input and the output.
        n_head: number of heads.
        d_head: width of one head; None means d_model / n_head.
        bias: whether the four projections have a bias; "qkv": all but the last (Qwen2).
        n_kv_head: number of key-value heads, each shared by n_head / n_kv_head query heads (grouped-query attention);
            None means n_head.
        qk_norm: whether queries and keys are normalized to unit root mean square before the dot product; "gain": and
            then multiplied by learned gains (Qwen3); "width": all heads together, with gains (OLMo 2).
        eps: added before the root in these norms; None means 1e-6.
        scale: factor of the dot products; None means 1 / sqrt(d_head). T5 uses 1.
        softcap: the upper bound of a score's size, see `attention_scores`.
        sink: whether each head has a learned sink, see `masked_softmax`; "zero": a sink whose score stays 0.
        gate: whether each number of a head's output is multiplied by a gate between 0 and 1, which is computed from x;
            "head": a single gate for all numbers of a head.
        rotary: the frequencies by which queries and keys are rotated, if positions are given.

    Raises:
        ValueError: if d_head is None and n_head does not divide d_model, or n_kv_head does not divide n_head.

    Source: Vaswani et al. 2017, section 3.2.2; query-key normalization: Henry et al. 2020 (2010.04245); grouped
    queries: Ainslie et al. 2023 (2305.13245); gate: Qiu et al. 2025 (2505.06708).

    Elsewhere: `w_q`, `w_k`, `w_v` and `w_o` are `q_proj`, `k_proj`, `v_proj` and `o_proj` in Llama, `W_Q`, `W_K`, `W_V`
    and `W_O` in TransformerLens. In GPT-2, `c_attn` holds the first three side by side, and `c_proj` is `w_o`. The taps
    `weights` and `heads` are TransformerLens' `hook_pattern` and `hook_z`. `n_kv_head` is `num_key_value_heads` in
    Hugging Face's configs.
    """

    def __init__(
        self,
        d_model: int,
        n_head: int,
        d_head: int | None = None,
        bias: bool | Literal["qkv"] = True,
        *,
        n_kv_head: int | None = None,
        qk_norm: bool | Literal["gain", "width"] = False,
        eps: float | None = None,
        scale: float | None = None,
        softcap: float | None = None,
        sink: bool | Literal["zero"] = False,
        gate: bool | Literal["head"] = False,
        rotary: RotarySettings | None = None,
    ):
        super().__init__()
        d_model, n_head = check_whole("d_model", d_model, 1), check_whole("n_head", n_head, 1)
        if d_head is None:
            if d_model % n_head:
                raise ValueError(f"d_model={d_model} is not divisible by n_head={n_head}")
            d_head = d_model // n_head
        self.d_model = d_model
        self.n_head = n_head
        self.n_kv_head = n_head if n_kv_head is None else check_whole("n_kv_head", n_kv_head, 1)
        if n_head % self.n_kv_head:
            raise ValueError(f"n_head={n_head} is not divisible by n_kv_head={n_kv_head}")
        self.d_head = check_whole("d_head", d_head, 1)
        self.scale, self.softcap = scale, softcap
        self.qk_norm = qk_norm
        self.rotary = RotarySettings() if rotary is None else rotary
        self.w_q = Linear(d_model, n_head * d_head, bias=bool(bias))
        self.w_k = Linear(d_model, self.n_kv_head * d_head, bias=bool(bias))
        self.w_v = Linear(d_model, self.n_kv_head * d_head, bias=bool(bias))
        self.w_o = Linear(n_head * d_head, d_model, bias=bias is True)
        self.w_g = Linear(d_model, n_head * (1 if gate == "head" else d_head), bias=bias is True) if gate else None
        self.sink = sink
        self.sinks = nn.Parameter(torch.zeros(n_head)) if sink is True else None
        self.norm_q, self.norm_k = (
            RMSNorm(
                n * d_head if qk_norm == "width" else d_head, 1e-6 if eps is None else eps, gain=qk_norm is not True
            )
            if qk_norm
            else nn.Identity()
            for n in (n_head, self.n_kv_head)
        )

    def forward(
        self,
        x: Float[Tensor, "B T D"],
        memory: Float[Tensor, "B S D"] | None = None,
        mask: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        positions: Int[Tensor, " T"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """Attend from x to `memory` (cross-attention), or to x itself (self-attention) if `memory` is None.

        Args:
            x: makes the queries.
            memory: makes the keys and values.
            mask: True means "may attend", broadcastable to (B, H, T, S).
            bias: added to the scores, broadcastable to (B, H, T, S).
            positions: (T,) positions by which queries and keys are rotated (rotary self-attention); None: no rotation.
        """
        checks.check_floats("x", x, "(B, T, D)", 3, self.d_model)
        memory = x if memory is None else memory
        checks.check_floats("memory", memory, "(B, S, D)", 3, self.d_model)
        q = self._normed(self.norm_q, self.w_q(x))  # (B, H, T, K)
        k = self._normed(self.norm_k, self.w_k(memory))  # (B, G, S, K), G = n_kv_head
        v = self._split(self.w_v(memory))  # (B, G, S, K)
        if positions is not None:
            q, k = rotate(q, positions, self.rotary), rotate(k, positions, self.rotary)
        if self.n_kv_head < self.n_head:  # each query head gets the keys and values of its group
            k, v = (one.repeat_interleave(self.n_head // self.n_kv_head, 1) for one in (k, v))  # (B, H, S, K)
        q, k, v = tap(self, "q", q), tap(self, "k", k), tap(self, "v", v)

        scores = tap(self, "scores", attention_scores(q, k, bias, self.scale, self.softcap))  # (B, H, T, S)
        # (B, H, T, S), rows sum to 1, or to less than 1 with a sink
        weights = tap(self, "weights", masked_softmax(scores, mask, self.sink_scores()))
        heads = tap(self, "heads", self._gated(weights @ v, x))  # (B, H, T, K)
        return tap(self, "out", self.w_o(heads.transpose(1, 2).flatten(2)))  # (B, T, D)

    def sink_scores(self) -> Float[Tensor, "H 1 1"] | None:
        """Return the score of each head's attention sink (H, 1, 1), or None if there are no sinks.

        The score is the same for every query.
        """
        if not self.sink:
            return None
        return (self.w_q.weight.new_zeros(self.n_head) if self.sinks is None else self.sinks)[:, None, None]

    def _gated(self, read: Float[Tensor, "B H T K"], x: Float[Tensor, "B T D"]) -> Float[Tensor, "B H T K"]:
        """Multiply each head's output by its gate."""
        if self.w_g is None:
            return read
        gate = torch.sigmoid(self.w_g(x)).unflatten(-1, (self.n_head, -1)).transpose(1, 2)
        return tap(self, "gate", gate) * read  # (B, H, T, K) or (B, H, T, 1), times (B, H, T, K)

    def _normed(self, norm: nn.Module, x: Float[Tensor, "B T HK"]) -> Float[Tensor, "B H T K"]:
        """Normalize queries or keys (if asked for) and split them into heads; "width" normalizes before the split."""
        return self._split(norm(x)) if self.qk_norm == "width" else norm(self._split(x))

    def _split(self, x: Float[Tensor, "B T HK"]) -> Float[Tensor, "B H T K"]:
        return x.unflatten(-1, (-1, self.d_head)).transpose(1, 2)
