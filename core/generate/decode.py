"""Text generation: run the model, filter the logits, sample a token, append it, repeat.

`generate` is a Python generator, so a page can show every step as it happens: all logits, the tokens that survived the
filters, their probabilities, the random number, and the token it selected.
"""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from core.data.checks import check_whole, describe_value, token_ids_to_int_list
from core.data.localization.labels import module_labels
from core.generate.cache import CachedModel
from core.nn.checks import check_id_range

LABELS = module_labels(__name__)

LogitsFilter = Callable[..., Tensor]
EndTokens = int | Collection[int] | None  # the tokens that end a text: a single one, several, or none


@dataclass(frozen=True)
class Step:
    """One generation step: a new token for each sequence. For a single prompt (T,) there is no dimension B anywhere.

    Args:
        token: the new token of each sequence; a sequence that has ended gets its end token again.
        logits: of the model, before the filters.
        kept: whether the token survived the filters.
        probabilities: the distribution after the filters, from which the token was sampled; rows sum to 1.
        log_prob: log of the token's probability in this distribution, in nats; 0 if the sequence had ended before.
        draw: the uniform random number of each sequence, within 0..1; None if greedy.
        ended: whether the sequence has produced an end token, now or before.

    All tensors are on the CPU.
    """

    token: Int[Tensor, "*batch"]
    logits: Float[Tensor, "*batch V"]
    kept: Bool[Tensor, "*batch V"]
    probabilities: Float[Tensor, "*batch V"]
    log_prob: Float[Tensor, "*batch"]
    draw: Float[Tensor, "*batch"] | None
    ended: Bool[Tensor, "*batch"]


def generate(
    model: nn.Module,
    ids: Tensor | Sequence[Sequence[int]] | Sequence[int],
    max_new_tokens: int,
    *,
    filters: Sequence[LogitsFilter] = (),
    greedy: bool = False,
    seed: int = 0,
    eos_id: EndTokens = None,
) -> Iterator[Step]:
    """Continue prompts token by token, until max_new_tokens or until all sequences have ended.

    Sequence b of a batch samples with its own generator, seeded with seed + b, so the result is the same as for this
    prompt alone with that seed. The model sees the last `context_length` tokens, if its config has such a limit.

    Args:
        model: a causal model, ids (B, T) -> logits (B, T, V).
        ids: one prompt (T,), a batch (B, T), or a list of prompts of any lengths.
        filters: applied in this order, each a function of the logits (B, V), see `core.generate.filters`. A filter with
            an unset parameter `ids` also gets the tokens so far, one sequence at a time: logits (V,), ids (T,).
        greedy: take the most probable token (the lowest id among equals) instead of sampling.
        eos_id: the token that ends a sequence, or several: today's models have one for a text and one for a turn.

    Raises:
        ValueError: if a prompt is empty or has a token that the model does not know, max_new_tokens or the seed is
            negative, the seed is too large, the filters remove every token, or the model computes NaN.
        TypeError: if the prompt holds anything but token ids, or another argument has the wrong type.

    Source: ancestral sampling; sampling by the inverse cumulative distribution: Devroye 1986, section III.2.
    """
    single, prompts = check_generation_request(model, ids, max_new_tokens, filters, seed, eos_id)
    steps = _steps(
        model, prompts, max_new_tokens, TokenChooser(filters, greedy, range(seed, seed + len(prompts)), eos_id)
    )
    return map(step_without_batch_dimension, steps) if single else steps


def check_generation_request(
    model: nn.Module,
    ids: Tensor | Sequence[Sequence[int]] | Sequence[int],
    max_new_tokens: int,
    filters: Sequence[LogitsFilter],
    seed: int,
    eos_id: EndTokens,
) -> tuple[bool, list[list[int]]]:
    """Check the arguments of `generate`. Returns whether there is a single prompt, and the prompts as lists.

    Raises the same errors as `generate`.
    """
    if not callable(model):
        raise TypeError(f"model must be a model, ids (B, T) -> logits (B, T, V), not {describe_value(model)}")
    single, prompts = _prompts(ids)
    vocab_size = getattr(getattr(model, "config", model), "vocab_size", None)
    if vocab_size is not None:
        for prompt in prompts:
            check_id_range("ids", torch.tensor(prompt), vocab_size)
    if check_whole("max_new_tokens", max_new_tokens) < 0:
        raise ValueError(f"max_new_tokens={max_new_tokens} must not be negative")
    if not isinstance(filters, Sequence) or not all(map(callable, filters)):
        raise TypeError(f"filters must be a list of functions of the logits, not {describe_value(filters)}")
    normalize_end_tokens(eos_id, vocab_size)
    if not 0 <= check_whole("seed", seed) < 2**63 - len(prompts):
        raise ValueError(f"seed={seed!s:.20} must be a whole number from 0 to about 9e18")
    if any(not prompt for prompt in prompts):
        raise ValueError(LABELS["prompt_empty"])
    return single, prompts


def normalize_end_tokens(eos_id: EndTokens, vocab_size: int | None = None) -> tuple[int, ...]:
    """Return the tokens that end a text, in order.

    Raises:
        ValueError: if a token is outside the vocabulary.
        TypeError: if the tokens are not integers.
    """
    given = [] if eos_id is None else [eos_id]
    if isinstance(eos_id, Collection) and not isinstance(eos_id, str | bytes) and getattr(eos_id, "ndim", 1) == 1:
        given = list(eos_id)
    ends = tuple(sorted({check_whole("eos_id", one) for one in given}))
    if vocab_size is not None and (outside := [one for one in ends if not 0 <= one < vocab_size]):
        raise ValueError(f"eos_id={outside[0]} is outside the vocabulary: 0 to {vocab_size - 1}")
    return ends


def inverse_cdf(probabilities: Float[Tensor, "B V"], draw: Float[Tensor, " B"]) -> Int[Tensor, " B"]:
    """Return the token that a uniform random number selects (inverse transform sampling).

    Imagine the tokens side by side in the order of their ids, each as wide as its probability. The number falls on the
    first token whose cumulative probability exceeds it. A token of probability 0 has no width and is never selected.

    Source: Devroye 1986, Non-Uniform Random Variate Generation, section III.2.
    """
    cumulative = probabilities.cumsum(-1, dtype=torch.float64)  # (B, V)
    total = cumulative[:, -1:].contiguous()  # 1, up to rounding
    token = torch.searchsorted(cumulative, draw.double()[:, None] * total, right=True).squeeze(-1)
    last = torch.searchsorted(cumulative, total).squeeze(-1)  # the last token of nonzero probability
    return token.minimum(last).clamp_(max=probabilities.shape[-1] - 1)  # also for NaN


def _steps(
    model: nn.Module, sequences: list[list[int]], max_new_tokens: int, chooser: "TokenChooser"
) -> Iterator[Step]:
    cached = CachedModel(model)
    for _ in range(max_new_tokens):
        step = chooser.next(cached.next_logits(sequences), sequences)
        for sequence, new in zip(sequences, step.token.tolist(), strict=True):
            sequence.append(new)
        yield step
        if bool(step.ended.all()):
            return


class TokenChooser:
    """Chooses the next token at each step: filters the logits, then takes the most probable token or samples one.

    Args:
        filters, greedy, eos_id: as in `generate`.
        seeds: a random seed for each sequence.
    """

    def __init__(self, filters: Sequence[LogitsFilter], greedy: bool, seeds: Sequence[int], eos_id: EndTokens):
        ids_of = [signature(function).parameters.get("ids") for function in filters]
        wants_ids = [ids is not None and ids.default is Parameter.empty for ids in ids_of]
        self._filters = list(zip(filters, wants_ids, strict=True))
        self._draws = None if greedy else UniformDraws(seeds)
        self._ends = torch.tensor(normalize_end_tokens(eos_id), dtype=torch.long)
        self._ended = torch.zeros(len(seeds), dtype=torch.bool)
        self._last = torch.zeros(len(seeds), dtype=torch.long)  # the end token of each ended sequence

    def next(self, logits: Float[Tensor, "B V"], sequences: list[list[int]]) -> Step:
        """Choose the token that follows each sequence. Raises ValueError like `generate`."""
        filtered, ended = logits, self._ended
        if self._filters:  # they could hide NaN
            check_logits(logits)
        for function, wants in self._filters:
            filtered = _with_ids(function, filtered, sequences) if wants else function(filtered)
        probabilities = filtered.softmax(-1)  # (B, V)
        draw = None if self._draws is None else self._draws.next()
        token = filtered.argmax(-1) if draw is None else inverse_cdf(probabilities, draw)  # (B,)
        log_prob = probabilities.gather(-1, token[:, None]).squeeze(-1).log()
        if any(map(math.isnan, log_prob.tolist())):  # the softmax of only -inf, or of NaN
            check_logits(logits)
            raise ValueError(LABELS["all_filtered"])
        if len(self._ends):
            token = self._last = token.where(~ended, self._last)
            log_prob = log_prob.masked_fill(ended, 0.0)
            ended = self._ended = ended | torch.isin(token, self._ends)
        return Step(token, logits, filtered > -torch.inf, probabilities, log_prob, draw, ended)


class UniformDraws:
    """Uniform random numbers for several rows, each from its own seeded generator, so rows don't affect each other."""

    def __init__(self, seeds: Sequence[int]):
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self._left: list[Tensor] = []

    def next(self) -> Float[Tensor, " B"]:
        """Return the next number of every row, within 0..1, in float64."""
        if not self._left:  # drawing many at once costs little more than drawing one
            ahead = [torch.rand(64, dtype=torch.float64, generator=own) for own in self._generators]
            self._left = list(torch.stack(ahead, 1).unbind()[::-1])
        return self._left.pop()


def check_logits(logits: Float[Tensor, "B V"]) -> Float[Tensor, "B V"]:
    """Return the logits unchanged. Raises ValueError for NaN and inf; -inf is allowed and means an impossible token."""
    if not logits.max() < torch.inf:  # max() returns NaN if there is one
        raise ValueError(LABELS["broken_weights"])
    return logits


def _with_ids(function: LogitsFilter, logits: Float[Tensor, "B V"], sequences: list[list[int]]) -> Float[Tensor, "B V"]:
    rows = zip(logits, sequences, strict=True)
    return torch.stack([function(row, ids=torch.tensor(sequence)) for row, sequence in rows])


def _prompts(ids: Tensor | Sequence[Sequence[int]] | Sequence[int]) -> tuple[bool, list[list[int]]]:
    """Return whether there is a single prompt, and the prompts as lists."""
    if isinstance(ids, Tensor):
        if ids.ndim not in (1, 2):
            raise ValueError(f"ids must be (T,) or (B, T), got {tuple(ids.shape)}")
        ids = ids.tolist()
    plain = ids.tolist() if isinstance(ids, np.ndarray) else ids
    if isinstance(plain, list | tuple):
        plain = [row.tolist() if isinstance(row, Tensor | np.ndarray) else row for row in plain]
        if plain and not hasattr(plain[0], "__index__"):
            return False, [token_ids_to_int_list("ids", row) for row in plain]
    return True, [token_ids_to_int_list("ids", plain)]


def step_without_batch_dimension(step: Step) -> Step:
    """Return a step of a batch of one without its batch dimension."""
    first: dict[str, Any] = {name: None if x is None else x.select(0, 0) for name, x in vars(step).items()}
    return Step(**first)
