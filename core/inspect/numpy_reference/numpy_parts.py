"""A second implementation of a transformer's parts in plain NumPy, written from the formulas, not from core.nn.

Nothing here imports torch or core.nn, so a number that both give was computed in two ways. Arrays are float64 and have
no batch axis: a text is (T, D), its heads are (H, T, K).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
WeightMapping = Mapping[str, NDArray[np.floating]]
StyleMapping = Mapping[str, Any]  # a config's options of its blocks: norm, norm_first, residual, activation, eps, …


class NumpyRun:
    """A forward pass: the weights by their names in the file, and every tensor by the name of the model's tap."""

    def __init__(self, weights: WeightMapping):
        self.weights = weights
        self.taps: dict[str, FloatArray] = {}

    def tap(self, name: str, x: FloatArray) -> FloatArray:
        self.taps[name] = x
        return x

    def get(self, name: str) -> FloatArray | None:
        return self.need(name) if name in self.weights else None

    def need(self, name: str) -> FloatArray:
        """Return a weight. Raises KeyError if the file has none of that name."""
        return np.asarray(self.weights[name], dtype=np.float64)

    def rows(self, name: str, ids: Sequence[int]) -> FloatArray:
        """Return a table's rows (T, D) for these ids."""
        return np.asarray(self.weights[name][list(ids)], dtype=np.float64)

    def linear(self, path: str, x: FloatArray) -> FloatArray:
        """Compute x times the transposed matrix, plus the bias if there is one."""
        y: FloatArray = np.einsum("...i,oi->...o", x, self.need(f"{path}.weight"), optimize=True)
        bias = self.get(f"{path}.bias")
        return y if bias is None else y + bias

    def norm(self, path: str, x: FloatArray, style: StyleMapping) -> FloatArray:
        """Apply LayerNorm (Ba et al. 2016) or RMSNorm (Zhang and Sennrich 2019), depending on the style."""
        is_layer = style["norm"] == "layer"
        eps = style.get("eps")
        eps = (1e-5 if is_layer else 1e-6) if eps is None else eps
        if is_layer:
            x = x - np.mean(x, axis=-1, keepdims=True)
        x = x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + eps)
        gain, bias = self.get(f"{path}.weight"), self.get(f"{path}.bias")
        x = x if gain is None else x * gain
        return x if bias is None else x + bias

    def attention(
        self,
        path: str,
        x: FloatArray,
        n_head: int,
        style: StyleMapping,
        *,
        n_kv_head: int | None = None,
        memory: FloatArray | None = None,
        mask: NDArray[np.bool_] | None = None,
        bias: FloatArray | None = None,
        scale: float | None = None,
        rotary: Mapping[str, Any] | None = None,
    ) -> FloatArray:
        """Compute softmax(q k' scale + bias) v for each head, then project back (Vaswani et al. 2017, section 3.2).

        Args:
            n_kv_head: number of key-value heads, each shared by a group of query heads; None means n_head.
            mask: (T, S) True where a query may read a key; None means everywhere.
            rotary: the config's options of rotary positions; None means that there are none.
            scale: None means one over the root of a head's width.
        """
        read = x if memory is None else memory
        n_kv_head = n_head if n_kv_head is None else n_kv_head
        q, k, v = (
            self._heads(self.linear(f"{path}.w_{one}", given), n)
            for one, given, n in (("q", x, n_head), ("k", read, n_kv_head), ("v", read, n_kv_head))
        )
        if style.get("qk_norm"):
            q, k = (self._size_1(f"{path}.norm_{name}", one, style) for name, one in (("q", q), ("k", k)))
        if rotary is not None:
            q, k = (_RotaryFrequencies(**rotary).turn(one) for one in (q, k))
        k, v = (np.stack([one[h * n_kv_head // n_head] for h in range(n_head)]) for one in (k, v))
        self.tap(f"{path}.q", q), self.tap(f"{path}.k", k), self.tap(f"{path}.v", v)
        scores = np.einsum("htk,hsk->hts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
        scores = soft_cap(scores, style.get("softcap"))
        scores = self.tap(f"{path}.scores", scores if bias is None else scores + bias)
        weights = numpy_softmax(scores, mask)
        if style.get("sink"):
            weights = weights * self._unsunk(f"{path}.sinks", scores, mask)
        self.tap(f"{path}.weights", weights)
        heads = np.einsum("hts,hsk->htk", weights, v)
        if style.get("gate"):
            heads = heads * self.tap(f"{path}.gate", numpy_sigmoid(self._heads(self.linear(f"{path}.w_g", x), n_head)))
        self.tap(f"{path}.heads", heads)
        side_by_side = np.concatenate(list(heads), axis=-1)  # (T, H K)
        return self.tap(f"{path}.out", self.linear(f"{path}.w_o", side_by_side))

    def _unsunk(self, path: str, scores: FloatArray, mask: NDArray[np.bool_] | None) -> FloatArray:
        """Return the fraction (H, T, 1) of each row (H, T, S) that a head's sink leaves to the keys.

        It is the row's sum of e^score, divided by that sum plus e^(the sink's score).
        """
        sinks = self.get(path)
        own = np.zeros(len(scores)) if sinks is None else sinks
        read = scores if mask is None else np.where(mask, scores, -np.inf)
        row = np.logaddexp.reduce(read, axis=-1, keepdims=True)
        return np.exp(row - np.logaddexp(row, own[:, None, None]))

    def _size_1(self, path: str, x: FloatArray, style: StyleMapping) -> FloatArray:
        """Normalize queries or keys (H, T, K): each head by itself, or a token's heads together."""
        style = {**style, "norm": "rms"}
        if style["qk_norm"] != "width":
            return self.norm(path, x, style)
        return self._heads(self.norm(path, np.concatenate(list(x), axis=-1), style), len(x))

    @staticmethod
    def _heads(x: FloatArray, n_head: int) -> FloatArray:
        return np.stack(np.split(x, n_head, axis=-1))

    def feed_forward(self, path: str, x: FloatArray, activation: str) -> FloatArray:
        """Widen, apply the nonlinearity, narrow; gated in SwiGLU and GEGLU (Shazeer 2020)."""
        gate = {"swiglu": "silu", "geglu": "gelu_tanh", "geglu_exact": "gelu"}.get(activation)
        if gate is not None:
            pre = self.tap(f"{path}.pre", self.linear(f"{path}.w_gate", x))
            bent = apply_activation(pre, gate) * self.linear(f"{path}.w_in", x)
        else:
            pre = self.tap(f"{path}.pre", self.linear(f"{path}.w_in", x))
            bent = apply_activation(pre, activation)
        return self.tap(f"{path}.out", self.linear(f"{path}.w_out", self.tap(f"{path}.act", bent)))

    def experts(self, path: str, x: FloatArray, activation: str, experts: Mapping[str, Any]) -> FloatArray:
        """Send each token (T, D) through the few experts with the highest scores (Shazeer et al. 2017, section 2)."""
        shares = numpy_softmax(self.tap(f"{path}.router", self.linear(f"{path}.w_router", x)))
        gates = np.zeros_like(shares)
        out = np.zeros_like(x)
        for t, row in enumerate(shares):
            chosen = np.argsort(-row, kind="stable")[: experts["n_active"]]
            gates[t, chosen] = row[chosen] / (row[chosen].sum() if experts.get("renormalize", True) else 1)
        for n in range(experts["n_expert"]):
            sent = np.flatnonzero(gates[:, n])
            if len(sent):
                out[sent] += gates[sent, n, None] * self.feed_forward(f"{path}.experts.{n}", x[sent], activation)
        self.tap(f"{path}.gates", gates)
        if experts.get("d_shared"):
            gate = numpy_sigmoid(self.linear(f"{path}.w_shared", x))
            out = out + gate * self.feed_forward(f"{path}.shared", x, activation)
        return self.tap(f"{path}.out", out)

    def block(
        self,
        path: str,
        x: FloatArray,
        n_head: int,
        style: StyleMapping,
        *,
        memory: tuple[FloatArray, NDArray[np.bool_] | None] | None = None,
        shifted: bool = False,
        experts: Mapping[str, Any] | None = None,
        is_normed: bool = True,
        **asks: Any,
    ) -> FloatArray:
        """Apply attention, cross-attention if there is a memory, and feed-forward, each with a residual connection.

        memory: the encoder's output, and a mask of the rows that may be read.
        is_normed: whether the attention reads through a norm in a pre-norm block.
        """
        parts = [("norm_1", "resid_mid", lambda y: self.attention(f"{path}.attn", y, n_head, style, **asks))]
        if memory is not None:
            rows, mask = memory
            cross = partial(self.attention, memory=rows, mask=mask, scale=asks.get("scale"))
            parts.append(("norm_cross", "resid_cross", lambda y: cross(f"{path}.cross_attn", y, n_head, style)))
        if style.get("feed_forward", True):
            read = _token_shift if shifted else np.asarray
            activation, mlp = style["activation"], f"{path}.mlp"
            parts.append(
                (
                    "norm_2",
                    "resid_ff",
                    lambda y: (
                        self.feed_forward(mlp, read(y), activation)
                        if experts is None
                        else self.experts(mlp, read(y), activation, experts)
                    ),
                )
            )
        came = self.tap(f"{path}.resid_in", x)
        for norm, name, part in parts:
            beside = x if style.get("residual", True) else np.zeros_like(x)
            reads = came if style.get("parallel") else x
            first = "norm_1" if style.get("parallel") == "one norm" else norm
            is_plain = not style["norm_first"] or (norm == "norm_1" and not is_normed)
            change = part(reads if is_plain else self.norm(f"{path}.{first}", reads, style))
            if style.get("norm_out"):
                x = beside + self.norm(f"{path}.{norm}_out", change, style)
            else:
                x = beside + change if style["norm_first"] else self.norm(f"{path}.{norm}", beside + change, style)
            if name != "resid_ff":
                self.tap(f"{path}.{name}", x)
        return self.tap(f"{path}.resid_out", x)


def _token_shift(x: FloatArray) -> FloatArray:
    """Replace the first half of each row of (T, D) by the first half of the row before, or by 0 in the first row."""
    half = x.shape[1] // 2
    return np.concatenate([np.concatenate([np.zeros((1, half)), x[:-1, :half]]), x[:, half:]], axis=1)


def numpy_softmax(scores: FloatArray, mask: NDArray[np.bool_] | None = None) -> FloatArray:
    """Compute the softmax along the last axis; masked positions get exactly 0, also if a whole row is masked."""
    mask = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    top = np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)
    grown = np.where(mask, np.exp(np.minimum(scores - np.where(np.isfinite(top), top, 0), 0)), 0.0)
    total = grown.sum(axis=-1, keepdims=True)
    return np.divide(grown, total, out=np.zeros_like(grown), where=total > 0)


def soft_cap(x: FloatArray, most: float | None) -> FloatArray:
    """Cap x at `most` with a tanh (Gemma 2, section 2); None: return x unchanged."""
    return x if most is None else most * np.tanh(x / most)


def numpy_sigmoid(x: FloatArray) -> FloatArray:
    """Compute 1 / (1 + e^-x) with tanh, which does not overflow."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def apply_activation(x: FloatArray, activation: str) -> FloatArray:
    """Apply the nonlinearity of that name. Raises ValueError if there is none."""
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "relu2":
        return np.maximum(x, 0) ** 2
    if activation == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))
    if activation == "gelu_tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if activation == "quick_gelu":
        return x * numpy_sigmoid(1.702 * x)
    if activation == "silu":
        return x * numpy_sigmoid(x)
    raise ValueError(f"there is no nonlinearity {activation!r} here")


@dataclass(frozen=True, kw_only=True)
class _RotaryFrequencies:
    """Rotary positions: numbers i and i + K/2 of the vector at position t are rotated by t base^(-2i/K).

    Source: Su et al. 2021. A factor divides all frequencies (Chen et al. 2023), or those with few turns within the
    trained length: depending on the number of turns (Llama 3), or on the pair's index between those that make
    `fast` and `slow` turns (Peng et al. 2023), with a gain. share: the fraction of the vector that is rotated, from its
    start. Long factors are used for texts beyond the trained length.
    """

    base: float = 10_000.0
    factor: float = 1.0
    trained_length: int | None = None
    slow: float = 1.0
    fast: float = 4.0
    factors: Sequence[float] | None = None
    by_pair: bool = False
    gain: float = 1.0
    share: float = 1.0
    long_factors: Sequence[float] | None = None

    def turn(self, x: FloatArray) -> FloatArray:
        """Rotate vectors (..., T, K), each by its position."""
        if self.share < 1:
            n = int(self.share * x.shape[-1])
            return np.concatenate([replace(self, share=1.0).turn(x[..., :n]), x[..., n:]], axis=-1)
        half = x.shape[-1] // 2
        angle = np.outer(np.arange(x.shape[-2]), self.speeds(half, x.shape[-2]))  # (T, K/2)
        as_complex = (x[..., :half] + 1j * x[..., half:]) * self.gain * np.exp(1j * angle)
        return np.concatenate([as_complex.real, as_complex.imag], axis=-1)

    def speeds(self, half: int, n_token: int) -> FloatArray:
        """Return the frequency (K/2,) of each pair of numbers in radians per position."""
        speed: FloatArray = self.base ** (-np.arange(half) / half)
        length = self.trained_length
        if self.factors is not None:
            is_long = self.long_factors and n_token > (length or 0)
            return speed / np.array(self.long_factors if is_long else self.factors)
        if length is None:
            return speed / self.factor
        if self.by_pair:
            # i with trained_length base^(-i/half) = 2 pi turns
            ends = [half * math.log(length / (2 * math.pi * n), self.base) for n in (self.fast, self.slow)]
            first, last = max(math.floor(ends[0]), 0), min(math.ceil(ends[1]), 2 * half - 1)
            slowed = np.clip((np.arange(half) - first) / max(last - first, 1e-3), 0, 1)
            return (1 - slowed) * speed + slowed * speed / self.factor
        wavelength = 2 * math.pi / speed
        share = (length / wavelength - self.slow) / (self.fast - self.slow)
        between = (1 - share) * speed / self.factor + share * speed
        return np.where(share <= 0, speed / self.factor, np.where(share >= 1, speed, between))


def sinusoidal_positions(n_position: int, d_model: int) -> FloatArray:
    """Return sines in the even columns, cosines in the odd ones (Vaswani et al. 2017, section 3.5)."""
    table = np.zeros((n_position, d_model))
    for j in range(d_model):
        angle = np.arange(n_position) / 10_000 ** ((j - j % 2) / d_model)
        table[:, j] = np.cos(angle) if j % 2 else np.sin(angle)
    return table


def numpy_alibi_bias(n_head: int, n_token: int, slopes: object = None) -> FloatArray:
    """Return minus slope times distance; without slopes, the paper's (Press et al. 2021, section 3)."""
    if slopes is None:
        whole = 1
        while 2 * whole <= n_head:
            whole *= 2
        slopes = [0.5 ** (8 * (h + 1) / whole) for h in range(whole)]
        slopes += [0.5 ** (4 * (2 * h + 1) / whole) for h in range(n_head - whole)]
    place = np.arange(n_token)
    return -np.array(slopes, dtype=np.float64)[:, None, None] * np.abs(place[:, None] - place)


def numpy_relative_bias(table: FloatArray, n_token: int, both_ways: bool, max_distance: int = 128) -> FloatArray:
    """Return a learned bias for each head and bucket of distance (Raffel et al. 2019, section 2.1).

    Args:
        table: (number of buckets, H).
        both_ways: True uses half of the buckets for keys after the query; False puts all of those into bucket 0.
    """
    n_bucket = table.shape[0] // 2 if both_ways else table.shape[0]
    n_exact = n_bucket // 2
    buckets = np.zeros((n_token, n_token), dtype=int)
    for distance in range(-n_token + 1, n_token):  # key minus query
        far = abs(distance) if both_ways else max(-distance, 0)
        if far < n_exact:
            bucket = far
        else:
            # float32 as everywhere else: at the border of two buckets, float64 could choose the other bucket.
            share = np.log(np.float32(far / n_exact)) / np.float32(math.log(max_distance / n_exact))
            bucket = min(n_exact + int(share * np.float32(n_bucket - n_exact)), n_bucket - 1)
        bucket += n_bucket if both_ways and distance > 0 else 0
        buckets[np.eye(n_token, k=distance, dtype=bool)] = bucket
    return table[buckets].transpose(2, 0, 1)


def numpy_causal_mask(n_token: int) -> NDArray[np.bool_]:
    """Return a causal mask: each position may read itself and earlier positions."""
    return np.tril(np.ones((n_token, n_token), dtype=bool))


def numpy_window_mask(n_token: int, window: int) -> NDArray[np.bool_]:
    """Return a window mask: each position may read positions that are fewer than `window` positions away."""
    everyone = np.ones((n_token, n_token), dtype=bool)
    return np.triu(np.tril(everyone, window - 1), 1 - window)
