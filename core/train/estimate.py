"""The cost of a run, before anything is allocated: parameters exactly, seconds and memory roughly."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from core.data import corpora
from core.data.localization.labels import module_labels
from core.models import registry
from core.models.configs.config_and_input_checks import ModelConfig
from core.models.gpt import GPTConfig
from core.models.registry import family_of
from core.models.rnn import RNNConfig
from core.nn.attention import MultiHeadAttention
from core.nn.experts import MixtureOfExperts
from core.nn.feed_forward import FeedForward
from core.nn.positions import RelativeBias
from core.train.device import DTYPES, Placement, choose_placement, single_torch_thread
from core.train.recipe_parts.dropout import DROPOUT_PLACES
from core.train.recipes import Recipe
from core.train.tasks.answer_objective import answer_format_of_model_kind, task_sequence_length
from core.train.tasks.defaults import span_input_and_target_lengths

LABELS = module_labels(__name__)


# The limits of a browser session.
MAX_SECONDS = 4 * 3600
MAX_MEMORY = 2_000_000_000  # bytes; leaves room for others on a machine with four gigabytes

_PROCESS = 340_000_000  # bytes that Python and torch need by themselves
_LAUNCH = 10e-6  # seconds to launch one operation on a GPU


@dataclass(frozen=True)
class CostEstimate:
    """The estimated cost of a run."""

    n_parameter: int  # exact
    seconds: float  # of training on one core of this machine (or on its GPU), within a factor of two
    memory_bytes: int  # at its highest, the program itself included
    refused: str | None  # the reason, if the run is too large for a browser session


@dataclass(frozen=True)
class _MachineSpeed:
    """The speed of a machine in one number format, on one thread."""

    multiply_add: float  # floating-point operations of a matrix product per second
    elementwise: float  # numbers written by an elementwise operation per second
    overhead: float  # seconds of one operation on next to no numbers


# One core of an AMD EPYC, rounded: it gives counted work a duration that doesn't depend on the machine.
REFERENCE_SPEED = _MachineSpeed(multiply_add=7.5e10, elementwise=1e10, overhead=1.6e-6)


@dataclass(frozen=True)
class StepWork:
    """The work of one training step, counted and not timed.

    The weights of the four kinds of work were fitted to 16 measured models from 1 layer x 32 to 6 layers x 256.
    """

    products: float  # floating-point operations of matrix products
    numbers: float  # written by elementwise operations, and moved by the optimizer
    operations: float  # begun

    def seconds(self, speed: _MachineSpeed) -> float:
        """Return the seconds that the work takes on a machine."""
        return self.products / speed.multiply_add + self.numbers / speed.elementwise + self.operations * speed.overhead


def estimate_cost(recipe: Recipe, vocab_size: int | None = None, device: str | None = None) -> CostEstimate:
    """Estimate the cost of a recipe on this machine, on a device as in `core.train.device.choose_placement`.

    If the size of the vocabulary is not given, the tokenizer is trained to find out; that raises
    core.data.corpora.CorpusRefused if the corpus is missing.
    """
    if vocab_size is None:
        text = "" if recipe.posed else corpora.load(recipe.corpus).text
        vocab_size = recipe.train_tokenizer(text).vocab_size
    config: Any = recipe.config(vocab_size)
    model = registry.build_empty(config)
    placement = choose_placement(device, config.d_model)
    config = _alike(config, recipe)
    memory = _memory(config, model, recipe, 2 if placement.dtype == "bfloat16" else 4)
    seconds = recipe.n_step * _seconds_per_step(config, model, recipe, placement)
    return CostEstimate(count_parameters(model), seconds, memory, _refusal(seconds, memory))


def _alike(config: Any, recipe: Recipe) -> Any:
    """Return the config of a single stack of layers with the same work per token.

    Each token of an encoder-decoder passes through only one of its sides, and a task has its own length.
    """
    if recipe.posed is not None:
        n_token = task_sequence_length(recipe.posed, answer_format_of_model_kind(recipe.kind))
        if answer_format_of_model_kind(recipe.kind) != "pair":
            return replace(config, context_length=n_token)
        n_source, n_target = n_token // 2, n_token // 2
    elif recipe.fills_spans:
        n_source, n_target = span_input_and_target_lengths(recipe.n_window)
    else:
        return config
    sizes = {"vocab_size": config.vocab_size, "d_model": config.d_model}
    if not registry.family_of(config).has_attention:
        n_cell = 1 + config.bidirectional  # cells that read the source; one writes the target
        n_token = (n_cell * n_source + n_target) // (n_cell + 1)
        return RNNConfig(**sizes, context_length=n_token, cell=config.cell, n_layer=n_cell + 1)
    # A block of the decoder has two attentions, and counts twice.
    n_token = (n_source + 2 * n_target) // 3
    sizes |= {"context_length": n_token, "n_layer": 3 * config.n_layer}
    return GPTConfig(**sizes, n_head=config.n_head, d_ff=config.d_ff, positions="none")


def training_matmul_flops(model: nn.Module, n_token: int) -> int:
    """Count the floating-point operations of all matrix products in one training step on one window.

    They include the forward and the backward pass.

    Args:
        model: may be on the meta device, because only shapes are used.
        n_token: tokens of the window.
    """
    weights = sum(w.numel() for w in _matrices(model)) - _idle(model)
    inner = sum(one.n_head * one.d_head for one in _attentions(model))
    return 6 * n_token * weights + 12 * n_token**2 * inner  # the last term: attention scores, and the mixture of values


def _idle(model: nn.Module) -> int:
    """Count the weights of the experts that a token is not sent to."""
    mixtures = [one for one in model.modules() if isinstance(one, MixtureOfExperts)]
    sizes = [(one, sum(w.numel() for w in one.experts[0].parameters())) for one in mixtures]
    return sum((len(one.experts) - one.n_active) * size for one, size in sizes)


def count_parameters(model: nn.Module) -> int:
    """Count the parameters of a model, which may be on the meta device; shared ones count once."""
    return sum(parameter.numel() for parameter in model.parameters())


def _attentions(model: nn.Module) -> list[MultiHeadAttention]:
    return [one for one in model.modules() if isinstance(one, MultiHeadAttention)]


def _gated(attention: MultiHeadAttention) -> int:
    """Count the numbers of the gates after the heads and of the gated outputs, for each token."""
    return 0 if attention.w_g is None else attention.w_g.out_features + attention.n_head * attention.d_head


def _matrices(model: nn.Module) -> list[Tensor]:
    """Return the matrices that a token is multiplied by, including a tied output layer but no embedding tables."""
    parts = [one for one in model.modules() if not isinstance(one, nn.Embedding | RelativeBias)]
    return [w for one in parts for w in one.parameters(recurse=False) if w.ndim == 2]


def work_per_step(config: Any, model: nn.Module, recipe: Recipe) -> StepWork:
    """Count the work of a training step: matrix products, elementwise numbers, launched operations, weight updates.

    Args:
        config: of the model; model: may be on the meta device, because only shapes are used.
    """
    d, t, n_layer, vocab_size = config.d_model, config.context_length, config.n_layer, config.vocab_size
    gates = family_of(config).recurrent
    if gates is not None:
        per_token = n_layer * 6 * gates(config) * d + 4 * vocab_size
        n_moved, product_share = 0, 1.0
    else:
        heads = sum(
            2 * (one.n_head + one.n_kv_head) * one.d_head + (5 if one.sink else 4) * one.n_head * t + 2 * _gated(one)
            for one in _attentions(model)
        )
        per_token = heads + n_layer * (10 * d + 3 * (config.d_ff or 4 * d)) + 4 * d + 4 * vocab_size
        n_moved, product_share = count_parameters(model), 0.75
    if recipe.dropout:
        ends = DROPOUT_PLACES[recipe.dropout_at]
        dropped = d * sum("weights" not in end for end in ends) * n_layer
        dropped += t * sum(one.n_head for one in _attentions(model)) * ("attn.weights" in ends)
        per_token += 8 * dropped  # each needs a random number
    orthogonal = 0
    if recipe.optimizer == "fast":  # the three iterations that orthogonalize each matrix of the blocks
        shapes = [sorted(w.shape) for name, w in model.named_parameters() if w.ndim == 2 and name.startswith("blocks.")]
        orthogonal = 3 * sum(4 * a * a * b + 2 * a**3 for a, b in shapes)
    return StepWork(
        products=product_share * recipe.batch_size * training_matmul_flops(model, t) + 1.1 * orthogonal,
        numbers=12 * recipe.batch_size * t * per_token + 50 * n_moved,
        operations=8 * _n_operation(config),
    )


def _n_operation(config: Any) -> int:
    """Count the operations launched in a forward pass; a recurrent network processes the tokens one after the other."""
    gates = family_of(config).recurrent
    if gates is None:
        return int(130 * config.n_layer + 60)
    return int(config.context_length * config.n_layer * (3 + 3 * gates(config)) + 60)


def _seconds_per_step(config: ModelConfig, model: nn.Module, recipe: Recipe, placement: Placement) -> float:
    if placement.device != "cpu":
        return (2 if family_of(config).recurrent is None else 4) * _n_operation(config) * _LAUNCH
    return work_per_step(config, model, recipe).seconds(_speed(placement.dtype))


def _memory(config: ModelConfig, model: nn.Module, recipe: Recipe, n_byte: int) -> int:
    """Return the bytes of weights, gradients and optimizer in float32, and of all activations for the backward pass."""
    n_token = recipe.batch_size * config.context_length
    gates = family_of(config).recurrent
    if gates is not None:
        per_token = config.n_layer * 10 * gates(config) * config.d_model
    else:
        heads = sum(
            one.n_head * (8 * one.d_head + 6 * config.context_length) + _gated(one) for one in _attentions(model)
        )
        per_token = heads + config.n_layer * 16 * config.d_model + _inner(model)
    logits = n_token * config.vocab_size * (2 * n_byte + 3 * 4)
    starts = recipe.n_step * recipe.batch_size * 8
    # weights, gradients, the optimizer's state, and one temporary copy during its step
    n_copy = 4 if recipe.optimizer == "sgd" else 5
    return _PROCESS + 4 * n_copy * count_parameters(model) + n_token * per_token * n_byte + logits + starts


def _inner(model: nn.Module) -> int:
    """Count the hidden numbers of the feed-forward parts that a token passes through."""
    mixtures = [one for one in model.modules() if isinstance(one, MixtureOfExperts)]
    idle = {id(expert) for one in mixtures for expert in list(one.experts)[one.n_active :]}
    parts = [one for one in model.modules() if isinstance(one, FeedForward) and id(one) not in idle]
    return sum(one.w_in.weight.shape[0] * (4 if one.w_gate is None else 6) for one in parts)


def _refusal(seconds: float, memory: int) -> str | None:
    if memory > MAX_MEMORY:
        return LABELS("too_large", gigabytes=memory / 1e9, most=MAX_MEMORY / 1e9)
    if seconds > MAX_SECONDS:
        return LABELS("too_long", hours=seconds / 3600, most=MAX_SECONDS // 3600)
    return None


@cache
def _speed(dtype: str) -> _MachineSpeed:
    """Measure the speed once, for about 20 ms: the best of several tries, so that other programs matter little."""
    kind = DTYPES[dtype]
    with single_torch_thread():
        x, w, few = torch.ones(1024, 128, dtype=kind), torch.ones(128, 512, dtype=kind), torch.ones(8)
        wide = torch.ones(1024, 512, dtype=kind)
        return _MachineSpeed(
            multiply_add=2 * x.numel() * w.shape[1] / _fastest(lambda: x @ w),
            elementwise=wide.numel() / _fastest(lambda: wide * wide),
            overhead=_fastest(lambda: [few * few for _ in range(100)]) / 100,
        )


def _fastest(work: Callable[[], object], n_try: int = 7) -> float:
    """Return the seconds of the fastest try; the first one only warms up."""
    work()
    times = []
    for _ in range(n_try):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)
