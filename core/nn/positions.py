"""Positions of tokens. Attention alone ignores them: without positions, shuffled tokens give shuffled outputs.

Absolute positions are added to the embeddings (`sinusoidal`, or a learned table); `rotate` turns queries and keys;
`alibi_bias` and `RelativeBias` are added to the scores.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.checks import came, number, whole
from core.nn import checks

POSITIONS = ("none", "learned", "sinusoidal", "rotary", "alibi", "relative")


@dataclass(frozen=True, kw_only=True)
class Rotary:
    """The speeds of rotary positions. Slowed down, a model can read more tokens than it was trained on.

    Args:
        base: pair i turns by base^(-2 i / K) radians at each position.
        factor: pairs turn slower by it: all of them (linear scaling) or, if trained_length is given, the slow ones.
        trained_length: tokens of the texts before scaling. A pair that turns `fast` times or more within them stays
            as it is, one that turns `slow` times or less is slowed in full; in between it is a mixture (Llama 3).
        factors: for each pair, by how much it turns slower (LongRoPE); in place of `factor`.
        long_factors: the same for a text of more tokens than trained_length, whose first tokens they turn, too.
        by_pair: the mixture runs along the pairs' numbers and not along their turns, from whole pair to whole pair
            (YaRN, whose `fast` is 32).
        gain: what queries and keys are multiplied with when turned; YaRN: 0.1 ln(factor) + 1.
        share: of each head's numbers, the first ones, that turn at all.

    Raises:
        ValueError: if a number is not above 0, or `fast` not above `slow`, or `share` above 1.

    Source: Su et al. 2021 (2104.09864); linear: Chen et al. 2023 (2306.15595); by parts: Llama 3.1, as in
    huggingface/transformers, modeling_rope_utils.py; YaRN: Peng et al. 2023 (2309.00071), section 3; a share:
    GPT-NeoX-20B (2204.06745), section 2.1; LongRoPE: Ding et al. 2024 (2402.13753).
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
            if not number(name, getattr(self, name)) > 0:
                raise ValueError(f"{name}={getattr(self, name)} must be more than 0")
        if self.trained_length is not None:
            whole("trained_length", self.trained_length, 1)
        if not 0 < number("slow", self.slow) < number("fast", self.fast):
            raise ValueError(f"slow={self.slow} must be more than 0 and less than fast={self.fast}")
        if self.share > 1:
            raise ValueError(f"share={self.share} must be at most 1")
        for name in ("factors", "long_factors"):
            if not all(number(name, one) > 0 for one in getattr(self, name) or ()):
                raise ValueError(f"{name} must all be more than 0")
        if self.long_factors is not None and (self.factors is None or self.trained_length is None):
            raise ValueError("long_factors need factors, and a trained_length from which on they count")
        if self.by_pair and (self.trained_length is None or self.base <= 1):
            raise ValueError("by_pair needs a trained_length and a base above 1")

    def n_turned(self, d_head: int) -> int:
        """The number of dimensions of a head that turn."""
        return int(d_head * self.share)

    def speeds(
        self,
        n_turned: int,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
        n_token: int = 0,
    ) -> Float[Tensor, " half"]:
        """Radians by which each of the n_turned / 2 pairs turns from one position to the next.

        n_token: of the text; only LongRoPE turns differently in a long one.
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
            # the pair that turns so many times within the trained length
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
    """Sines and cosines of slower and slower frequency, each pair sharing one: sin, cos, sin, cos, ...

    Column j has the exponent 2 floor(j / 2) / d_model. So every vector has the norm sqrt(d_model / 2), the dot product
    of two positions depends on their distance only, and moving by k positions is one fixed rotation.

    Args:
        d_model: an odd width leaves out the last cosine.
        device, dtype: of the result; it is computed in float64.

    Source: Vaswani et al. 2017, section 3.5.
    """
    n_position, d_model = whole("n_position", n_position, 0), whole("d_model", d_model, 0)
    j = torch.arange(d_model, dtype=torch.float64)
    frequency = 10000.0 ** (-2 * (j // 2) / d_model)  # (D,)
    angle = torch.arange(n_position, dtype=torch.float64)[:, None] * frequency  # (T, D)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).to(dtype).to(device)  # Apple GPUs know no float64


def rotate(
    x: Float[Tensor, "*batch T K"],
    positions: Int[Tensor, " T"] | Sequence[int],
    base: float | Rotary = 10000.0,
    interleaved: bool = False,
) -> Float[Tensor, "*batch T K"]:
    """Rotary positions: turn each pair of numbers by an angle proportional to the token's position.

    Scores of rotated queries and keys depend on the distance of the two tokens only.

    Args:
        base: pair i turns by position * base^(-2 i / K) radians; or a `Rotary`, which can slow some of them.
        interleaved: pairs are (0, 1), (2, 3), ... (the paper, GPT-J), else (0, K/2), (1, K/2 + 1), ... (Llama). The two
            are the same up to a permutation of the K numbers; weights do not move from one to the other unpermuted.

    Raises:
        ValueError: if the numbers that turn are not even many, or the positions are not one for each token.
        TypeError: if x holds no floats or the positions no whole numbers.

    Source: Su et al. 2021 (2104.09864), equation 34.
    """
    checks.floats("x", x, "(..., T, K)")
    positions = checks.ids("positions", positions, "(T,), one for each token", 1).to(x.device)
    d_head = x.shape[-1]
    if x.ndim > 1 and 1 not in (len(positions), x.shape[-2]) and len(positions) != x.shape[-2]:
        raise ValueError(f"positions must be one for each token of x (..., T, K), got {len(positions)} for {came(x)}")
    rotary = base if isinstance(base, Rotary) else Rotary(base=base)
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
    """The slope at which each head's scores fall with distance: 2^(-8/H), 2^(-16/H), ..., 2^-8.

    For a number of heads that is no power of two, the slopes of the next lower power come first, then every other slope
    of twice that power (6 heads: 1/4, 1/16, 1/64, 1/256, 1/2, 1/8).

    Source: Press et al. 2021 (2108.12409), section 3 and the authors' code.
    """
    power = 2 ** math.floor(math.log2(whole("n_head", n_head, 1)))
    slopes = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    between = [2 ** (-4 * (h + 1) / power) for h in range(0, 2 * power, 2)]
    return torch.tensor(slopes + between[: n_head - power], dtype=torch.float32)


def distances(n_query: int, n_key: int, device: torch.device | None = None) -> Int[Tensor, "T S"]:
    """Position of the key minus position of the query; the last query aligns with the last key."""
    n_query, n_key = whole("n_query", n_query, 0), whole("n_key", n_key, 0)
    query = torch.arange(n_key - n_query, n_key, device=device)
    return torch.arange(n_key, device=device) - query[:, None]


def alibi_bias(
    n_head: int,
    n_query: int,
    n_key: int,
    slopes: Float[Tensor, " H"] | None = None,
    device: torch.device | None = None,
) -> Float[Tensor, "H T S"]:
    """Attention with linear biases: each head's scores fall by its slope for every position of distance.

    Args:
        n_query, n_key: the last query stands at the last key.
        slopes: one for each head; None means the paper's.

    Source: Press et al. 2021, section 3. Keys in the future (an encoder) fall by their distance, too.
    """
    slopes = alibi_slopes(n_head) if slopes is None else slopes
    checks.floats("slopes", slopes, "(H,)", 1, whole("n_head", n_head, 1))
    return -slopes.to(device)[:, None, None] * distances(n_query, n_key, device).abs()


def relative_buckets(
    relative_position: Int[Tensor, "..."], bidirectional: bool = True, n_bucket: int = 32, max_distance: int = 128
) -> Int[Tensor, "..."]:
    """Sort distances into buckets: near ones each their own, far ones by logarithm, the last for all beyond.

    Args:
        relative_position: key minus query.
        bidirectional: half of the buckets for keys after the query; else (a causal stack) all of those share bucket 0.
        max_distance: from here on all distances share the last bucket.

    Source: Raffel et al. 2019 (T5), section 2.1; Shaw et al. 2018.
    """
    relative_position = checks.ids("relative_position", relative_position, "key minus query")
    near = whole("n_bucket", n_bucket, 4 if bidirectional else 2) // (4 if bidirectional else 2)
    if whole("max_distance", max_distance) <= near:
        raise ValueError(f"max_distance={max_distance} must be more than {near} for n_bucket={n_bucket}")
    bucket = torch.zeros_like(relative_position)
    if bidirectional:
        n_bucket //= 2
        bucket = bucket + (relative_position > 0) * n_bucket
        distance = relative_position.abs()
    else:
        distance = (-relative_position).clamp(min=0)
    n_exact = n_bucket // 2
    # log(max_distance / n_exact) is the whole logarithmic range; clamp(min=1) keeps log(0) out, `where` drops it.
    share = torch.log(distance.clamp(min=1).float() / n_exact) / math.log(max_distance / n_exact)
    far = (n_exact + (share * (n_bucket - n_exact)).long()).clamp(max=n_bucket - 1)
    return bucket + torch.where(distance < n_exact, distance, far)


class RelativeBias(nn.Module):
    """A learned number for each head and bucket of distance, added to the scores.

    Source: Raffel et al. 2019 (T5), section 2.1.
    """

    def __init__(self, n_head: int, bidirectional: bool, n_bucket: int = 32, max_distance: int = 128):
        super().__init__()
        self.bidirectional = bidirectional
        self.n_bucket = n_bucket
        self.max_distance = max_distance
        self.table = nn.Embedding(n_bucket, n_head)

    def forward(self, n_query: int, n_key: int) -> Float[Tensor, "H T S"]:
        offset = distances(n_query, n_key, self.table.weight.device)
        bucket = relative_buckets(offset, self.bidirectional, self.n_bucket, self.max_distance)
        return self.table(bucket).permute(2, 0, 1)  # (T, S, H) -> (H, T, S)
