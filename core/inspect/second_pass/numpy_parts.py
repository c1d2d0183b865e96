"""The parts of a transformer once more, in plain NumPy: written from the formulas, not from core.nn.

Nothing here imports torch or core.nn, so that a number that both give was computed in two ways. Arrays are float64 and
have no batch axis: one text is (T, D), its heads are (H, T, K).
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weights = Mapping[str, NDArray[Any]]
Style = Mapping[str, Any]  # what a config says of its blocks: norm, norm_first, residual, activation, eps, …


class Run:
    """One pass: the weights by their names in the file, and every tensor by the name under which the model taps it."""

    def __init__(self, weights: Weights):
        self.weights = weights
        self.taps: dict[str, Array] = {}

    def tap(self, name: str, x: Array) -> Array:
        self.taps[name] = x
        return x

    def get(self, name: str) -> Array | None:
        return self.need(name) if name in self.weights else None

    def need(self, name: str) -> Array:
        """A weight. Raises KeyError if the file has none of that name."""
        return np.asarray(self.weights[name], dtype=np.float64)

    def linear(self, path: str, x: Array) -> Array:
        """x times the transposed matrix, plus the bias where there is one."""
        y: Array = np.einsum("...i,oi->...o", x, self.need(f"{path}.weight"), optimize=True)
        bias = self.get(f"{path}.bias")
        return y if bias is None else y + bias

    def norm(self, path: str, x: Array, style: Style) -> Array:
        """LayerNorm (Ba et al. 2016) or RMSNorm (Zhang and Sennrich 2019), as the style says."""
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
        x: Array,
        n_head: int,
        style: Style,
        *,
        n_kv_head: int | None = None,
        memory: Array | None = None,
        mask: NDArray[np.bool_] | None = None,
        bias: Array | None = None,
        scale: float | None = None,
        rotary: Mapping[str, Any] | None = None,
    ) -> Array:
        """softmax(q k' scale + bias) v for each head, then the projection back (Vaswani et al. 2017, section 3.2).

        Args:
            n_kv_head: heads of keys and values, each shared by a group of heads of queries; None means n_head.
            mask: (T, S) True where a query may read a key; None means everywhere.
            rotary: what the config says of rotary positions; None means that there are none.
            scale: None means one over the root of a head's width.
        """
        read = x if memory is None else memory
        n_kv_head = n_head if n_kv_head is None else n_kv_head
        q, k, v = (
            self._heads(self.linear(f"{path}.w_{one}", given), n)
            for one, given, n in (("q", x, n_head), ("k", read, n_kv_head), ("v", read, n_kv_head))
        )
        if style.get("qk_norm"):
            q, k = (
                self.norm(f"{path}.norm_{name}", one, {**style, "norm": "rms"}) for name, one in (("q", q), ("k", k))
            )
        if rotary is not None:
            q, k = turned(q, **rotary), turned(k, **rotary)
        k, v = (np.stack([one[h * n_kv_head // n_head] for h in range(n_head)]) for one in (k, v))
        self.tap(f"{path}.q", q), self.tap(f"{path}.k", k), self.tap(f"{path}.v", v)
        scores = np.einsum("htk,hsk->hts", q, k) * (q.shape[-1] ** -0.5 if scale is None else scale)
        scores = self.tap(f"{path}.scores", scores if bias is None else scores + bias)
        weights = self.tap(f"{path}.weights", softmax(scores, mask))
        heads = self.tap(f"{path}.heads", np.einsum("hts,hsk->htk", weights, v))
        side_by_side = np.concatenate(list(heads), axis=-1)  # (T, H K)
        return self.tap(f"{path}.out", self.linear(f"{path}.w_o", side_by_side))

    @staticmethod
    def _heads(x: Array, n_head: int) -> Array:
        return np.stack(np.split(x, n_head, axis=-1))

    def feed_forward(self, path: str, x: Array, activation: str) -> Array:
        """Widen, bend, narrow; gated in SwiGLU and GEGLU (Shazeer 2020)."""
        if activation in ("swiglu", "geglu"):
            pre = self.tap(f"{path}.pre", self.linear(f"{path}.w_gate", x))
            bent = bend(pre, "silu" if activation == "swiglu" else "gelu_tanh") * self.linear(f"{path}.w_in", x)
        else:
            pre = self.tap(f"{path}.pre", self.linear(f"{path}.w_in", x))
            bent = bend(pre, activation)
        return self.tap(f"{path}.out", self.linear(f"{path}.w_out", self.tap(f"{path}.act", bent)))

    def block(
        self,
        path: str,
        x: Array,
        n_head: int,
        style: Style,
        *,
        memory: Array | None = None,
        memory_mask: NDArray[np.bool_] | None = None,
        shifted: bool = False,
        **asks: Any,
    ) -> Array:
        """Attention, cross-attention where there is a memory, feed-forward; each beside its residual path."""
        parts = [("norm_1", "resid_mid", lambda y: self.attention(f"{path}.attn", y, n_head, style, **asks))]
        if memory is not None:
            scale = asks.get("scale")
            parts.append(
                (
                    "norm_cross",
                    "resid_cross",
                    lambda y: self.attention(
                        f"{path}.cross_attn", y, n_head, style, memory=memory, mask=memory_mask, scale=scale
                    ),
                )
            )
        if style.get("feed_forward", True):
            read = shift if shifted else np.asarray
            activation = style["activation"]
            parts.append(("norm_2", "resid_ff", lambda y: self.feed_forward(f"{path}.mlp", read(y), activation)))
        self.tap(f"{path}.resid_in", x)
        for norm, name, part in parts:
            beside = x if style.get("residual", True) else np.zeros_like(x)
            if style["norm_first"]:
                x = beside + part(self.norm(f"{path}.{norm}", x, style))
            else:
                x = self.norm(f"{path}.{norm}", beside + part(x), style)
            if name != "resid_ff":
                self.tap(f"{path}.{name}", x)
        return self.tap(f"{path}.resid_out", x)


def shift(x: Array) -> Array:
    """(T, D) the first half of each row from the row above, or 0."""
    half = x.shape[1] // 2
    return np.concatenate([np.concatenate([np.zeros((1, half)), x[:-1, :half]]), x[:, half:]], axis=1)


def softmax(scores: Array, mask: NDArray[np.bool_] | None = None) -> Array:
    """exp over its sum along the last axis; closed places get exactly 0, and so do all of a closed row."""
    mask = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    top = np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)
    grown = np.where(mask, np.exp(np.minimum(scores - np.where(np.isfinite(top), top, 0), 0)), 0.0)
    total = grown.sum(axis=-1, keepdims=True)
    return np.divide(grown, total, out=np.zeros_like(grown), where=total > 0)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^-x), by the tanh that does not overflow."""
    return 0.5 * (1 + np.tanh(0.5 * x))


def bend(x: Array, activation: str) -> Array:
    """The nonlinearity of that name. Raises ValueError if there is none."""
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "relu2":
        return np.maximum(x, 0) ** 2
    if activation == "gelu":
        return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))
    if activation == "gelu_tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    if activation == "quick_gelu":
        return x * sigmoid(1.702 * x)
    if activation == "silu":
        return x * sigmoid(x)
    raise ValueError(f"there is no nonlinearity {activation!r} here")


def turned(
    x: Array,
    base: float = 10_000.0,
    factor: float = 1.0,
    trained_length: int | None = None,
    slow: float = 1.0,
    fast: float = 4.0,
) -> Array:
    """Rotary positions: numbers i and i + K/2 of the vector at place t turn by t base^(-2i/K) (Su et al. 2021).

    A factor slows all of them (Chen et al. 2023), or those that turn rarely within the trained length (Llama 3).
    """
    half = x.shape[-1] // 2
    speed = base ** (-np.arange(half) / half)
    if trained_length is None:
        speed = speed / factor
    else:
        wavelength = 2 * math.pi / speed
        share = (trained_length / wavelength - slow) / (fast - slow)
        between = (1 - share) * speed / factor + share * speed
        speed = np.where(share <= 0, speed / factor, np.where(share >= 1, speed, between))
    angle = np.outer(np.arange(x.shape[-2]), speed)  # (T, K/2)
    as_complex = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angle)
    return np.concatenate([as_complex.real, as_complex.imag], axis=-1)


def waves(n_position: int, d_model: int) -> Array:
    """Sines in the even columns, cosines in the odd ones (Vaswani et al. 2017, section 3.5)."""
    table = np.zeros((n_position, d_model))
    for j in range(d_model):
        angle = np.arange(n_position) / 10_000 ** ((j - j % 2) / d_model)
        table[:, j] = np.cos(angle) if j % 2 else np.sin(angle)
    return table


def alibi(n_head: int, n_token: int, slopes: Any = None) -> Array:
    """Minus slope times distance; without slopes, those of the paper (Press et al. 2021, section 3)."""
    if slopes is None:
        whole = 1
        while 2 * whole <= n_head:
            whole *= 2
        slopes = [0.5 ** (8 * (h + 1) / whole) for h in range(whole)]
        slopes += [0.5 ** (4 * (2 * h + 1) / whole) for h in range(n_head - whole)]
    place = np.arange(n_token)
    return -np.array(slopes, dtype=np.float64)[:, None, None] * np.abs(place[:, None] - place)


def relative(table: Array, n_token: int, both_ways: bool, max_distance: int = 128) -> Array:
    """A learned number for each head and bucket of distance (Raffel et al. 2019, section 2.1).

    Args:
        table: (number of buckets, H).
        both_ways: half of the buckets is for keys behind the query; else all of those share bucket 0.
    """
    n_bucket = table.shape[0] // 2 if both_ways else table.shape[0]
    n_exact = n_bucket // 2
    buckets = np.zeros((n_token, n_token), dtype=int)
    for distance in range(-n_token + 1, n_token):  # key minus query
        far = abs(distance) if both_ways else max(-distance, 0)
        if far < n_exact:
            bucket = far
        else:
            # float32 as everywhere else: at a border between two buckets, more digits would choose the other one.
            share = np.log(np.float32(far / n_exact)) / np.float32(math.log(max_distance / n_exact))
            bucket = min(n_exact + int(share * np.float32(n_bucket - n_exact)), n_bucket - 1)
        bucket += n_bucket if both_ways and distance > 0 else 0
        buckets[np.eye(n_token, k=distance, dtype=bool)] = bucket
    return table[buckets].transpose(2, 0, 1)


def earlier(n_token: int) -> NDArray[np.bool_]:
    """Every place may read itself and what stands before it."""
    return np.tril(np.ones((n_token, n_token), dtype=bool))
