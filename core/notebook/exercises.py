"""The exercises, functions that a learner writes, in order: our solution, random inputs, and common mistakes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Generator, Tensor, nn

from core.data.localization.labels import module_labels
from core.models.gpt import GPTConfig
from core.models.registry import build
from core.nn import attention, masks

LABELS = module_labels(__name__)

_Function = Callable[..., Any]  # a learner's, or ours in its place
_TrialResult = dict[str, Any]  # the results of a trial, by name
_Part = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Exercise:
    """A function to write."""

    # calls a function on random inputs from a generator, and returns the results by name
    trial: Callable[[_Function, Generator], _TrialResult]
    right: _Function  # ours
    slips: Sequence[tuple[str, _Function]]  # known mistakes: the message, and a function with the mistake
    tolerance: float = 1e-5  # the largest allowed difference of a number


def _draw_size(generator: Generator, low: int, high: int) -> int:
    """Draw a whole number from low to high."""
    return int(torch.randint(low, high + 1, (), generator=generator))


# `merge`: the step of byte-pair encoding.


def merge(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """Replace each occurrence of the pair by one new id, from left to right."""
    merged: list[int] = []
    for one in ids:
        if merged and (merged[-1], one) == pair:
            merged[-1] = new
        else:
            merged.append(one)
    return merged


def _merge_trial(function: _Function, generator: Generator) -> _TrialResult:
    ids = torch.randint(0, 2, (_draw_size(generator, 0, 16),), generator=generator).tolist()
    first, second = torch.randint(0, 2, (2,), generator=generator).tolist()
    merged = function(list(ids), (first, second), 9)
    return {LABELS["result.list"]: torch.tensor(merged) if isinstance(merged, list) else merged}


def _merge_first_only(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    for i in range(len(ids) - 1):
        if (ids[i], ids[i + 1]) == pair:
            return [*ids[:i], new, *ids[i + 2 :]]
    return ids


def _merge_overlapping(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    return [new if (one, after) == pair else one for one, after in pairwise([*ids, -1])]


MERGE = Exercise(
    _merge_trial,
    merge,
    (
        (LABELS["merge.first_only"], _merge_first_only),
        (LABELS["merge.overlapping"], _merge_overlapping),
    ),
)


# `causal` and `attend`: which tokens each token may read, and what it reads.


def _causal_trial(function: _Function, generator: Generator) -> _TrialResult:
    return {LABELS["result.mask"]: function(_draw_size(generator, 1, 9))}


def _attend_trial(function: _Function, generator: Generator) -> _TrialResult:
    n_batch, n_head, n_token, width, wide = (_draw_size(generator, 1, 5) for _ in range(5))
    shapes = [(n_batch, n_head, n_token, one) for one in (width, width, wide)]
    q, k, v = (2 * torch.randn(shape, generator=generator) for shape in shapes)
    given = function(q, k, v, masks.causal(n_token))
    if not isinstance(given, tuple) or len(given) != 2:
        return {LABELS["result.output"]: None}
    return {LABELS["result.weights"]: given[1], LABELS["result.output"]: given[0]}


def _attend_as(
    make: Callable[[Tensor, Tensor], Tensor], scale: Callable[[int], float] = lambda k: k**-0.5
) -> _Function:
    """Make an attention function with a different softmax, `make(scores, mask)`, or a different scale of the scores."""

    def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        weights = make(q @ k.mT * scale(q.shape[-1]), mask)
        return weights @ v, weights

    return attend


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


CAUSAL = Exercise(
    _causal_trial,
    masks.causal,
    (
        (LABELS["causal.upside_down"], lambda n: masks.causal(n).mT),
        (LABELS["causal.inverted"], lambda n: ~masks.causal(n)),
        (LABELS["causal.not_itself"], lambda n: masks.causal(n).tril(-1)),
    ),
)

ATTEND = Exercise(
    _attend_trial,
    lambda q, k, v, mask: attention.attend(q, k, v, mask),
    (
        (LABELS["attend.unscaled"], _attend_as(_masked, lambda k: 1.0)),
        (LABELS["attend.divided_by_d"], _attend_as(_masked, lambda k: 1 / k)),
        (LABELS["attend.multiplied"], _attend_as(_masked, math.sqrt)),
        (LABELS["attend.no_mask"], _attend_as(lambda s, _: s.softmax(-1))),
        (
            LABELS["attend.inverted_mask"],
            _attend_as(lambda s, mask: s.masked_fill(mask, -math.inf).softmax(-1)),
        ),
        (
            LABELS["attend.mask_after_softmax"],
            _attend_as(lambda s, mask: s.softmax(-1) * mask),
        ),
        (
            LABELS["attend.masked_to_0"],
            _attend_as(lambda s, mask: (s * mask).softmax(-1)),
        ),
        (
            LABELS["attend.along_queries"],
            _attend_as(lambda s, mask: s.masked_fill(~mask, -math.inf).softmax(-2)),
        ),
    ),
)


# `block`: two parts with residual connections.


def block(x: Tensor, attn: nn.Module, mlp: nn.Module, norm_1: nn.Module, norm_2: nn.Module) -> Tensor:
    """Compute a pre-norm block: both parts add to the residual stream."""
    x = x + attn(norm_1(x))
    return x + mlp(norm_2(x))


def _block_trial(function: _Function, generator: Generator) -> _TrialResult:
    x = 3 * torch.randn((2, 4, 8), generator=generator)
    w_1, w_2 = (torch.randn((8, 8), generator=generator) for _ in range(2))
    parts: list[_Part] = [lambda y: (y @ w_1).tanh(), lambda y: (y @ w_2).relu(), *[_Norm(2.0), _Norm(0.5)]]
    return {LABELS["result.stream"]: function(x, *parts)}


class _Norm:
    """A norm with a gain of its own, distinguishable from another."""

    def __init__(self, gain: float):
        self.gain = gain

    def __call__(self, x: Tensor) -> Tensor:
        return self.gain * nn.functional.layer_norm(x, x.shape[-1:])


def _post_norm(x: Tensor, attn: _Part, mlp: _Part, norm_1: _Part, norm_2: _Part) -> Tensor:
    x = norm_1(x + attn(x))
    return norm_2(x + mlp(x))


def _no_residual(x: Tensor, attn: _Part, mlp: _Part, norm_1: _Part, norm_2: _Part) -> Tensor:
    return mlp(norm_2(attn(norm_1(x))))


def _side_by_side(x: Tensor, attn: _Part, mlp: _Part, norm_1: _Part, norm_2: _Part) -> Tensor:
    return x + attn(norm_1(x)) + mlp(norm_2(x))


def _adds_the_norm(x: Tensor, attn: _Part, mlp: _Part, norm_1: _Part, norm_2: _Part) -> Tensor:
    x = norm_1(x)
    x = x + attn(x)
    x = norm_2(x)
    return x + mlp(x)


BLOCK = Exercise(
    _block_trial,
    block,
    (
        (LABELS["block.post_norm"], _post_norm),
        (LABELS["block.no_residual"], _no_residual),
        (LABELS["block.side_by_side"], _side_by_side),
        (LABELS["block.norm_on_path"], _adds_the_norm),
    ),
)


# `training_step`: one step down the loss.


def training_step(model: nn.Module, optimizer: torch.optim.Optimizer, ids: Tensor) -> float:
    """Make one step on texts (B, T + 1): each token predicts the next. Returns the loss before the step."""
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def _training_trial(function: _Function, generator: Generator) -> _TrialResult:
    """Make two steps, so that gradients which were not reset are noticed."""
    config = GPTConfig(vocab_size=7, context_length=6, n_layer=1, n_head=1, d_model=4)
    model = build(config, _draw_size(generator, 0, 1000))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = [function(model, optimizer, torch.randint(0, 7, (3, 6), generator=generator)) for _ in range(2)]
    if any(one is None for one in losses):
        return {LABELS["result.loss"]: None}
    weights = torch.cat([one.detach().flatten() for one in model.parameters()])
    return {LABELS["result.loss"]: torch.tensor([float(one) for one in losses]), LABELS["result.new_weights"]: weights}


def _step_as(
    *, shifted: bool = True, set_back: bool = True, steps: bool = True
) -> Callable[[nn.Module, torch.optim.Optimizer, Tensor], float]:
    def step(model: nn.Module, optimizer: torch.optim.Optimizer, ids: Tensor) -> float:
        read = ids[:, :-1]
        loss = nn.functional.cross_entropy(model(read).flatten(0, 1), (ids[:, 1:] if shifted else read).flatten())
        if set_back:
            optimizer.zero_grad()
        loss.backward()
        if steps:
            optimizer.step()
        return loss.item()

    return step


TRAINING_STEP = Exercise(
    _training_trial,
    training_step,
    (
        (LABELS["training_step.not_shifted"], _step_as(shifted=False)),
        (LABELS["training_step.gradients_add_up"], _step_as(set_back=False)),
        (LABELS["training_step.no_step"], _step_as(steps=False)),
    ),
)


# `sample`: one token, drawn.


def sample(logits: Tensor, temperature: float, generator: Generator) -> int:
    """Sample a token by its probability."""
    return int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))


N_DRAW = 2_000  # enough that the share of a token is right to about 0.02


def _sample_trial(function: _Function, generator: Generator) -> _TrialResult:
    logits = 1.5 * torch.randn(4, generator=generator)
    temperature = float(torch.rand((), generator=generator)) * 1.5 + 0.4
    drawn = torch.tensor([int(function(logits, temperature, generator)) for _ in range(N_DRAW)])
    return {LABELS("result.shares", n=N_DRAW): torch.bincount(drawn, minlength=4) / N_DRAW}


SAMPLE = Exercise(
    _sample_trial,
    sample,
    (
        (LABELS["sample.greedy"], lambda z, t, g: int(z.argmax())),
        (LABELS["sample.no_temperature"], lambda z, t, g: sample(z, 1.0, g)),
        (LABELS["sample.multiplied"], lambda z, t, g: sample(z, 1 / t, g)),
    ),
    tolerance=0.06,
)


EXERCISES = {
    "merge": MERGE,
    "causal": CAUSAL,
    "attend": ATTEND,
    "block": BLOCK,
    "training_step": TRAINING_STEP,
    "sample": SAMPLE,
}
