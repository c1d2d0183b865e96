"""Position encodings. Attention alone ignores positions: without them, shuffled tokens give shuffled outputs.

Absolute positions are added to the embeddings (`sinusoidal`, or a learned table), `rotate` rotates queries and keys,
and `alibi_bias` and `RelativeBias` are added to the scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.checks import check_float, check_whole, describe_value
from core.nn import checks

POSITION_SCHEMES = ("none", "learned", "sinusoidal", "rotary", "alibi", "relative")


@dataclass(frozen=True, kw_only=True)
class RotarySettings:
    """The frequencies of rotary position embeddings (RoPE), with the usual scalings for longer texts.

    Lower frequencies let a model read texts that are longer than those it was trained on (context extension).

    Args:
        base: pair i turns by base^(-2 i / K) radians per position.
        factor: divides the frequencies: all of them (linear scaling, also called position interpolation) or, if
            trained_length is given, only the low ones.
        trained_length: length of the training texts in tokens, before scaling. A pair that makes `fast` or more turns
            within this length keeps its frequency. A pair that makes `slow` or fewer turns is scaled in full. Those in
            between get a mixture (Llama 3).
        factors: a divisor for each pair's frequency (LongRoPE), used instead of `factor`.
        long_factors: the divisors for texts of more than trained_length tokens; they then apply to the text's first
            tokens, too.
        by_pair: interpolate the mixture linearly in the index of the pair (rounded to whole pairs), not in its number
            of turns (YaRN, whose `fast` is 32).
        gain: multiplies the rotated queries and keys; YaRN uses 0.1 ln(factor) + 1.
        share: the fraction of each head's dimensions that is rotated, counted from the first.

    Raises:
        ValueError: if a number is not above 0, or `fast` not above `slow`, or `share` above 1.

    Source: Su et al. 2021 (2104.09864); linear: Chen et al. 2023 (2306.15595); by parts: Llama 3.1, as in
    huggingface/transformers, modeling_rope_utils.py; YaRN: Peng et al. 2023 (2309.00071), section 3; a share:
    GPT-NeoX-20B (2204.06745), section 2.1; LongRoPE: Ding et al. 2024 (2402.13753).

    Elsewhere, in Hugging Face's configs: `base` is `rope_theta`, `share` is `partial_rotary_factor`, `trained_length`
    is `original_max_position_embeddings`, `gain` is `attention_factor`; `slow` and `fast` are `low_freq_factor` and
    `high_freq_factor` in Llama 3, `beta_slow` and `beta_fast` in YaRN; `factors` and `long_factors` are `short_factor`
    and `long_factor`.
    """

    base: float = 10000.0
    factor: float = 1.0
    trained_length: int | None = None
    slow: float = 1.0
    fast: float = 4.0
    factors: tuple[float, ...] | None = None
    long_factors: tuple[float, ...] | None = None
    by_pair: bool = False
    gain: float = 1.0
    share: float = 1.0

    def __post_init__(self) -> None:
        for name in ("base", "factor", "gain", "share"):
            if not check_float(name, getattr(self, name)) > 0:
                raise ValueError(f"{name}={getattr(self, name)} must be more than 0")
        if self.trained_length is not None:
            check_whole("trained_length", self.trained_length, 1)
        if not 0 < check_float("slow", self.slow) < check_float("fast", self.fast):
            raise ValueError(f"slow={self.slow} must be more than 0 and less than fast={self.fast}")
        if self.share > 1:
            raise ValueError(f"share={self.share} must be at most 1")
        for name in ("factors", "long_factors"):
            if not all(check_float(name, one) > 0 for one in getattr(self, name) or ()):
                raise ValueError(f"{name} must all be more than 0")
        if self.long_factors is not None and (self.factors is None or self.trained_length is None):
            raise ValueError("long_factors need factors, and a trained_length from which on they count")
        if self.by_pair and (self.trained_length is None or self.base <= 1):
            raise ValueError("by_pair needs a trained_length and a base above 1")

    def n_turned(self, d_head: int) -> int:
        """Return the number of a head's dimensions that are rotated."""
        return int(d_head * self.share)

    def speeds(
        self,
        n_turned: int,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
        n_token: int = 0,
    ) -> Float[Tensor, " half"]:
        """Return the frequency of each of the n_turned / 2 pairs, in radians per position.

        n_token: length of the text; only LongRoPE uses it, because its frequencies differ in long texts.
        """
        pair = torch.arange(n_turned // 2, device=device, dtype=dtype)
        speed = self.base ** (-2 * pair / n_turned)
        if self.factors is not None:
            is_long = self.long_factors is not None and n_token > (self.trained_length or 0)
            factors = self.long_factors if is_long else self.factors
            return speed / torch.tensor(factors, device=device, dtype=dtype)
        if self.trained_length is None:
            return speed / self.factor
        if self.by_pair:
            # the (fractional) index of the pair that makes this many turns within the trained length
            last, first = (
                n_turned * math.log(self.trained_length / (2 * math.pi * turns)) / (2 * math.log(self.base))
                for turns in (self.slow, self.fast)
            )
            low, high = max(math.floor(first), 0), min(math.ceil(last), n_turned - 1)
            kept = 1 - ((pair - low) / max(high - low, 0.001)).clamp(0, 1)
        else:
            turns = self.trained_length * speed / (2 * math.pi)
            kept = ((turns - self.slow) / (self.fast - self.slow)).clamp(0, 1)
        return speed * (kept + (1 - kept) / self.factor)


def sinusoidal(
    n_position: int, d_model: int, device: torch.device | None = None, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "T D"]:
    """Return sinusoidal position vectors: sines and cosines of falling frequency, in the order sin, cos, sin, cos, ...

    The columns 2 i and 2 i + 1 share a frequency: column j has the exponent 2 floor(j / 2) / d_model. So every vector
    has the norm sqrt(d_model / 2), the dot product of two positions depends only on their distance, and moving by k
    positions is a fixed rotation.

    Args:
        d_model: an odd width leaves out the last cosine.
        device, dtype: of the result; it is computed in float64.

    Source: Vaswani et al. 2017, section 3.5.

    Elsewhere: the authors' tensor2tensor puts all sines into the first half and all cosines into the second.
    """
    n_position, d_model = check_whole("n_position", n_position, 0), check_whole("d_model", d_model, 0)
    j = torch.arange(d_model, dtype=torch.float64)
    frequency = 10000.0 ** (-2 * (j // 2) / d_model)  # (D,)
    angle = torch.arange(n_position, dtype=torch.float64)[:, None] * frequency  # (T, D)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).to(dtype).to(device)  # Apple GPUs have no float64


def rotate(
    x: Float[Tensor, "*batch T K"],
    positions: Int[Tensor, " T"] | Sequence[int],
    base: float | RotarySettings = 10000.0,
    interleaved: bool = False,
) -> Float[Tensor, "*batch T K"]:
    """Apply rotary position embeddings (RoPE): rotate each pair of numbers by an angle proportional to the position.

    The scores of rotated queries and keys depend only on the distance between the two tokens.

    Args:
        base: pair i turns by position * base^(-2 i / K) radians; or `RotarySettings`, which can scale the frequencies.
        interleaved: True pairs (0, 1), (2, 3), ... (the paper, GPT-J), False pairs (0, K/2), (1, K/2 + 1), ... (Llama).
            The two agree up to a permutation of the K numbers, so weights must be permuted to move from one to the
            other.

    Raises:
        ValueError: if the number of rotated dimensions is odd, or there isn't one position for each token.
        TypeError: if x is not a tensor of floats or the positions are not integers.

    Source: Su et al. 2021 (2104.09864), equation 34.

    Elsewhere: `apply_rotary_pos_emb` in Hugging Face's Llama.
    """
    checks.check_floats("x", x, "(..., T, K)")
    positions = checks.as_ids("positions", positions, "(T,), one for each token", 1).to(x.device)
    d_head = x.shape[-1]
    if x.ndim > 1 and 1 not in (len(positions), x.shape[-2]) and len(positions) != x.shape[-2]:
        raise ValueError(
            f"positions must be one for each token of x (..., T, K), got {len(positions)} for {describe_value(x)}"
        )
    rotary = base if isinstance(base, RotarySettings) else RotarySettings(base=base)
    n_turned = rotary.n_turned(d_head)
    if n_turned % 2:
        odd = f"d_head={d_head}" if rotary.share == 1 else f"{n_turned}, share={rotary.share:g} of d_head={d_head},"
        raise ValueError(f"rotary positions turn pairs of numbers; {odd} is odd")
    x, still = x.split([n_turned, d_head - n_turned], -1)
    precision = torch.float64 if x.dtype == torch.float64 else torch.float32  # bfloat16 angles would be off by degrees
    n_token = int(positions.max()) + 1 if rotary.long_factors is not None and len(positions) else 0
    angle = positions[:, None] * rotary.speeds(n_turned, x.device, precision, n_token)  # (T, K/2)
    cos, sin = (rotary.gain * angle.cos()).to(x.dtype), (rotary.gain * angle.sin()).to(x.dtype)
    first, second = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, dim=-1)
    turned = (first * cos - second * sin, first * sin + second * cos)
    result = torch.stack(turned, dim=-1).flatten(-2) if interleaved else torch.cat(turned, dim=-1)
    return torch.cat([result, still], dim=-1) if still.shape[-1] else result


def alibi_slopes(n_head: int) -> Float[Tensor, " H"]:
    """Return the slope at which each head's scores fall with distance: 2^(-8/H), 2^(-16/H), ..., 2^-8.

    If the number of heads is not a power of two, the slopes of the next lower power come first, then every other slope
    of twice that power (6 heads: 1/4, 1/16, 1/64, 1/256, 1/2, 1/8).

    Source: Press et al. 2021 (2108.12409), section 3 and the authors' code.
    """
    power = 2 ** math.floor(math.log2(check_whole("n_head", n_head, 1)))
    slopes = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    between = [2 ** (-4 * (h + 1) / power) for h in range(0, 2 * power, 2)]
    return torch.tensor(slopes + between[: n_head - power], dtype=torch.float32)


def relative_positions(n_query: int, n_key: int, device: torch.device | None = None) -> Int[Tensor, "T S"]:
    """Return the position of the key minus the position of the query; the last query aligns with the last key."""
    n_query, n_key = check_whole("n_query", n_query, 0), check_whole("n_key", n_key, 0)
    query = torch.arange(n_key - n_query, n_key, device=device)
    return torch.arange(n_key, device=device) - query[:, None]


def alibi_bias(
    n_head: int,
    n_query: int,
    n_key: int,
    slopes: Float[Tensor, " H"] | None = None,
    device: torch.device | None = None,
) -> Float[Tensor, "H T S"]:
    """Return the bias of ALiBi (attention with linear biases): each head's scores fall by its slope per position.

    Scores of keys in the future (in an encoder) fall with their distance, too.

    Args:
        n_query, n_key: numbers of queries and keys; the last query aligns with the last key.
        slopes: one for each head; None means the paper's.

    Source: Press et al. 2021, section 3.
    """
    slopes = alibi_slopes(n_head) if slopes is None else slopes
    checks.check_floats("slopes", slopes, "(H,)", 1, check_whole("n_head", n_head, 1))
    return -slopes.to(device)[:, None, None] * relative_positions(n_query, n_key, device).abs()


def relative_buckets(
    relative_position: Int[Tensor, "..."], bidirectional: bool = True, n_bucket: int = 32, max_distance: int = 128
) -> Int[Tensor, "..."]:
    """Sort distances into buckets: one bucket for each short distance, logarithmic buckets for longer ones.

    Args:
        relative_position: key minus query.
        bidirectional: True uses half of the buckets for keys after the query; False (a causal stack) puts all of those
            into bucket 0.
        max_distance: all distances from here on share the last bucket.

    Source: Raffel et al. 2019 (T5), section 2.1; Shaw et al. 2018.

    Elsewhere: `_relative_position_bucket` in Hugging Face's T5; `n_bucket` and `max_distance` are
    `relative_attention_num_buckets` and `relative_attention_max_distance` in its config.
    """
    relative_position = checks.as_ids("relative_position", relative_position, "key minus query")
    near = check_whole("n_bucket", n_bucket, 4 if bidirectional else 2) // (4 if bidirectional else 2)
    if check_whole("max_distance", max_distance) <= near:
        raise ValueError(f"max_distance={max_distance} must be more than {near} for n_bucket={n_bucket}")
    bucket = torch.zeros_like(relative_position)
    if bidirectional:
        n_bucket //= 2
        bucket = bucket + (relative_position > 0) * n_bucket
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)
    n_exact = n_bucket // 2
    # log(max_distance / n_exact) is the logarithmic range. clamp(min=1) avoids log(0); `where` drops its result.
    share = torch.log(distance.clamp(min=1).float() / n_exact) / math.log(max_distance / n_exact)
    far = (n_exact + (share * (n_bucket - n_exact)).long()).clamp(max=n_bucket - 1)
    return bucket + torch.where(distance < n_exact, distance, far)


class RelativeBias(nn.Module):
    """A relative position bias: a learned number for each head and bucket of distance, added to the scores.

    Source: Raffel et al. 2019 (T5), section 2.1.

    Elsewhere: `table` is `relative_attention_bias` in Hugging Face's T5.
    """

    def __init__(self, n_head: int, bidirectional: bool, n_bucket: int = 32, max_distance: int = 128):
        super().__init__()
        self.bidirectional = bidirectional
        self.n_bucket = n_bucket
        self.max_distance = max_distance
        self.table = nn.Embedding(n_bucket, n_head)

    def forward(self, n_query: int, n_key: int) -> Float[Tensor, "H T S"]:
        offset = relative_positions(n_query, n_key, self.table.weight.device)
        bucket = relative_buckets(offset, self.bidirectional, self.n_bucket, self.max_distance)
        return self.table(bucket).permute(2, 0, 1)  # (T, S, H) -> (H, T, S)
