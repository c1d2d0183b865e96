"""Filters of the logits between the model and sampling. Each is a function from logits to logits.

A removed token gets the logit -inf and therefore probability 0. The remaining tokens keep their logits, and the softmax
renormalizes their probabilities. Filters work on the last dimension and may be combined in any order. The order matters
because a threshold on probabilities depends on the filters before it (Hugging Face's order: temperature, top-k, top-p,
min-p, typical, epsilon, eta). Every filter except `no_repeat_ngram` leaves at least one token. All of them raise a
TypeError or a ValueError if the logits are not a tensor of floats or the setting is not a number.

    partial(top_p, p=0.9)          # the form that `generate` takes
"""

import math

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from core.data.checks import check_float, describe_value
from core.nn.checks import as_ids as as_ids, check_floats, check_id_range

_Logits = Float[Tensor, "*batch V"]
_Ids = Int[Tensor, "*batch T"] | Int[np.ndarray, "*batch T"]
_WANTED = "(..., V)"


def temperature(logits: _Logits, t: float) -> _Logits:
    """Divide the logits by t: below 1 probable tokens gain, above 1 improbable ones do. It never removes a token.

    As t goes to 0 sampling becomes greedy, as t grows it becomes uniform. t = 0 itself is a limit and not allowed.
    Raises ValueError if t is not a positive number, or so small that the quotients overflow.

    Source: Ackley, Hinton and Sejnowski 1985.
    """
    check_floats("logits", logits, _WANTED)
    if not 0 < check_float("t", t) < math.inf:
        raise ValueError(f"temperature={t} must be more than 0; for the most likely token each time, choose greedy")
    scaled = logits / t
    if t < 1e-6 and bool((scaled.isinf() & ~logits.isinf()).any()):  # above, only logits beyond 1e32 could overflow
        raise ValueError(f"temperature={t} is so small that the numbers overflow; choose greedy instead")
    return scaled


def top_k(logits: _Logits, k: int) -> _Logits:
    """Keep the k most probable tokens, and every token as probable as the k-th.

    More than V keeps all. Raises ValueError if k is not a whole number of at least 1.

    Source: Fan et al. 2018 (1805.04833); ties as in Hugging Face.
    """
    check_floats("logits", logits, _WANTED)
    if not check_float("k", k) >= 1 or k != k // 1:
        raise ValueError(f"top_k={k} must be a whole number of at least 1")
    least = logits.topk(min(int(k), logits.shape[-1])).values[..., -1:]  # (…, 1)
    return _keep(logits, logits >= least)


def top_p(logits: _Logits, p: float) -> _Logits:
    """Keep the smallest set of most probable tokens whose total probability is at least p (nucleus sampling).

    The token that crosses p is kept, and so is the most probable one at p = 0. Of equally probable tokens the lower id
    goes first. A total that misses p only because the logits were rounded counts as p. Raises ValueError if p is not
    within 0..1.

    Source: Holtzman et al. 2019 (1904.09751), section 3.1.
    """
    _check_share("top_p", logits, p)
    if p == 1:
        return logits
    ordered, order = logits.double().softmax(-1).sort(dim=-1, descending=True, stable=True)
    kept = ordered.cumsum(-1) - ordered < p - _rounding(logits.dtype)  # the tokens before it have less than p
    kept[..., 0] = True
    return _keep(logits, torch.zeros_like(kept).scatter(-1, order, kept))


def min_p(logits: _Logits, p: float) -> _Logits:
    """Keep the tokens that are at least p times as probable as the most probable one.

    A token that is exactly p times as probable is kept, as in the paper; in Hugging Face it depends on how float32
    rounds. Raises ValueError if p is not within 0..1.

    Source: Nguyen et al. 2024 (2407.01082), section 3.
    """
    _check_share("min_p", logits, p)
    probabilities = logits.double().softmax(-1)
    least = p * probabilities.amax(-1, keepdim=True)
    return _keep(logits, probabilities >= least * (1 - _rounding(logits.dtype)))


def typical_p(logits: _Logits, p: float) -> _Logits:
    """Keep the tokens whose surprisal is nearest to the entropy, up to the total probability p (typical sampling).

    The surprisal of a token is -log of its probability; its expected value is the entropy. The most probable token may
    be removed, because it can be less surprising than text usually is. A token is kept if all tokens that are strictly
    nearer have a total probability below p. So equally near tokens are kept or removed together, and a uniform
    distribution keeps every token for any p. The paper minimizes the sum of distances subject to a total probability of
    at least p, and leaves such ties open; its authors' code and Hugging Face's keep them all, as here. Raises
    ValueError if p is not between 0 and 1, both excluded.

    Source: Meister et al. 2022 (2202.00666), section 3.
    """
    _check_inside("typical_p", logits, p)
    log_probabilities = logits.double().log_softmax(-1)
    probabilities = log_probabilities.exp()
    distance = (-log_probabilities - _entropy(log_probabilities)).abs()
    slack = _rounding(logits.dtype)
    ordered, order = distance.sort(dim=-1)
    sorted_probabilities = probabilities.gather(-1, order)
    before = sorted_probabilities.cumsum(-1) - sorted_probabilities
    reached = (before < p - slack).sum(-1, keepdim=True).clamp(min=1) - 1  # (…, 1) the position that crosses p
    return _keep(logits, distance <= ordered.gather(-1, reached) + slack)


def epsilon(logits: _Logits, e: float) -> _Logits:
    """Keep the tokens with a probability of at least e, and always the most probable one.

    Raises ValueError if e is not between 0 and 1, both excluded.

    Source: Hewitt et al. 2022 (2210.15191), section 3.
    """
    _check_inside("epsilon", logits, e)
    probabilities = logits.double().softmax(-1)
    return _keep(logits, _at_least(probabilities, torch.full_like(probabilities[..., :1], e), logits.dtype))


def eta(logits: _Logits, e: float) -> _Logits:
    """Filter like `epsilon`, with a threshold that falls when the model is unsure: min(e, sqrt(e) exp(-entropy)).

    Raises ValueError if e is not between 0 and 1, both excluded.

    Source: Hewitt et al. 2022 (2210.15191), section 3, with alpha = sqrt(e) as recommended there.
    """
    _check_inside("eta", logits, e)
    log_probabilities = logits.double().log_softmax(-1)
    least = (math.sqrt(e) * torch.exp(-_entropy(log_probabilities))).clamp(max=e)
    return _keep(logits, _at_least(log_probabilities.exp(), least, logits.dtype))


def repetition_penalty(logits: _Logits, ids: _Ids, penalty: float) -> _Logits:
    """Lower the logits of tokens that occurred before: divide positive ones by the penalty, multiply negative ones.

    The result depends on where the zero of the logits is, although the softmax does not; that is a known flaw of the
    published definition. A penalty of 1 changes nothing, below 1 it favors repetition.

    Args:
        ids: the tokens so far.
        penalty: more than 0; the paper uses 1.2.

    Raises ValueError if the penalty is not a positive number.

    Source: Keskar et al. 2019 (1909.05858), section 4.1; the rule for negative logits is Hugging Face's.
    """
    ids = _seen(logits, ids)
    if not 0 < check_float("penalty", penalty) < math.inf:
        raise ValueError(f"repetition_penalty={penalty} must be more than 0; 1 changes nothing")
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, ids, True)
    return torch.where(seen, torch.where(logits < 0, logits * penalty, logits / penalty), logits)


def no_repeat_ngram(logits: _Logits, ids: _Ids, n: int) -> _Logits:
    """Remove every token that would complete a run of n tokens that has occurred before.

    With a small vocabulary it can remove all tokens; n = 1 removes every token that occurred. Raises ValueError if n is
    not an integer of at least 1.

    Source: Paulus et al. 2017 (1705.04304), section 2.5.
    """
    ids = _seen(logits, ids)
    if not check_float("n", n) >= 1 or n != n // 1:
        raise ValueError(f"no_repeat_ngram={n} must be a whole number of at least 1")
    if ids.shape[-1] < n:
        return logits
    runs = ids.unfold(-1, int(n), 1)  # (…, T - n + 1, n)
    current = ids[..., ids.shape[-1] - int(n) + 1 :].unsqueeze(-2)  # (…, 1, n - 1): the run's beginning
    again = (runs[..., :-1] == current).all(-1)  # (…, T - n + 1)
    count = torch.zeros_like(logits).scatter_add(-1, runs[..., -1], again.to(logits.dtype))
    return _keep(logits, count == 0)


def _keep(logits: _Logits, kept: Bool[Tensor, "*batch V"]) -> _Logits:
    return logits.masked_fill(~kept, -math.inf)


def _at_least(probabilities: Tensor, least: Tensor, dtype: torch.dtype) -> Bool[Tensor, "*batch V"]:
    """Return True for probabilities that reach the threshold, and always for the largest."""
    least = torch.minimum(least, probabilities.amax(-1, keepdim=True))
    return probabilities >= least * (1 - _rounding(dtype))


def _entropy(log_probabilities: Tensor) -> Float[Tensor, "*batch 1"]:
    """Return the entropy in nats; a removed token adds 0 and not 0 times infinity."""
    return -(log_probabilities.exp() * log_probabilities.clamp(min=-1e300)).sum(-1, keepdim=True)


def _rounding(dtype: torch.dtype) -> float:
    """Return the error of a probability whose logit was rounded: in float32, 0.3 + 0.2 + 0.5 is not exactly 1."""
    return 1e-12 if dtype == torch.float64 else 1e-6


def _seen(logits: _Logits, ids: _Ids) -> Int[Tensor, "*batch T"]:
    """Check the tokens so far and return them: one row for each row of logits, none outside the vocabulary."""
    check_floats("logits", logits, _WANTED)
    seen = as_ids("ids", ids, "(..., T), as many rows as the logits", logits.ndim).to(logits.device)
    if seen.shape[:-1] != logits.shape[:-1]:
        raise ValueError(
            f"ids must be (..., T) with the rows of the logits {tuple(logits.shape)}, not {describe_value(seen)}"
        )
    check_id_range("ids", seen, logits.shape[-1])
    return seen


def _check_share(name: str, logits: _Logits, p: float) -> None:
    check_floats("logits", logits, _WANTED)
    if not 0 <= check_float(name, p) <= 1:
        raise ValueError(f"{name}={p} must lie within 0..1")


def _check_inside(name: str, logits: _Logits, p: float) -> None:
    check_floats("logits", logits, _WANTED)
    if not 0 < check_float(name, p) < 1:
        raise ValueError(f"{name}={p} must lie between 0 and 1; switch it off to keep every token")
