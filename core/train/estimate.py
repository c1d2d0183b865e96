"""What a run will cost, before anything is allocated: parameters exactly, seconds and memory roughly."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from core.data import corpora
from core.models import registry
from core.models.registry import family_of
from core.train.device import DTYPES, one_thread, place
from core.train.recipes import Recipe

# What a browser session may ask for.
MAX_SECONDS = 4 * 3600
MAX_MEMORY = 2_000_000_000  # bytes; leaves room for others on a machine with four gigabytes

_PROCESS = 340_000_000  # bytes that Python and torch take by themselves
_LAUNCH = 10e-6  # seconds that starting one operation takes on a GPU


@dataclass(frozen=True)
class Estimate:
    """What a run will cost.

    Args:
        n_parameter: exact.
        seconds: of training on one core of this machine (or on its GPU), within a factor of two.
        memory_bytes: at its highest, the program itself included.
        refused: why the run is too large for a browser session, in plain words; None if it is not.
    """

    n_parameter: int
    seconds: float
    memory_bytes: int
    refused: str | None


@dataclass(frozen=True)
class _Speed:
    """How fast this machine is at one number format, on one thread."""

    multiply_add: float  # floating-point operations of a matrix product per second
    elementwise: float  # numbers written by an elementwise operation per second
    overhead: float  # seconds that one operation takes on next to no numbers


def estimate(recipe: Recipe, vocab_size: int | None = None, device: str | None = None) -> Estimate:
    """What the recipe will cost on this machine.

    Args:
        recipe: what to train.
        vocab_size: of its tokenizer, if it is known; else the tokenizer is trained to find out.
        device: "cpu", "cuda" or "mps"; None: as the run will choose.

    Raises core.data.corpora.CorpusRefused if the vocabulary is not known and the corpus is not there.
    """
    if vocab_size is None:
        text = corpora.load(recipe.corpus).text
        vocab_size = recipe.train_tokenizer(text).vocab_size
    config: Any = recipe.config(vocab_size)
    n_parameter = count_parameters(config)
    placement = place(device, config.d_model)
    memory = _memory(config, recipe, n_parameter, 2 if placement.dtype == "bfloat16" else 4)
    seconds = recipe.n_step * _seconds_per_step(config, recipe, placement.dtype, on_gpu=placement.device != "cpu")
    return Estimate(n_parameter, seconds, memory, _refusal(seconds, memory))


def count_parameters(config: Any) -> int:
    """Parameters of the model, counted on one that has shapes but no memory."""
    return sum(parameter.numel() for parameter in registry.empty(config).parameters())


def _seconds_per_step(config: Any, recipe: Recipe, dtype: str, on_gpu: bool) -> float:
    """Four kinds of work: matrix products, elementwise numbers, starting operations, moving the weights.

    A trained token costs 6 multiply-adds per matrix weight, 2 forward and 4 backward; the factors in front of the
    machine's speeds were fitted to 16 measured models from 1 layer x 32 to 6 layers x 256.
    """
    gates = family_of(config).recurrent
    if gates is not None:
        return _recurrent_seconds(config, gates(config), recipe, dtype, on_gpu)
    d, f, t, n_layer = config.d_model, config.d_ff or 4 * config.d_model, config.context_length, config.n_layer
    n_token = recipe.batch_size * t
    products = 6 * n_token * (n_layer * (4 * d * d + 2 * d * f) + config.vocab_size * d)
    products += 12 * n_token * n_layer * t * d  # scores, and the mixture of values
    numbers = 3 * n_token * (n_layer * (14 * d + 3 * f + 4 * config.n_head * t) + 4 * d + 4 * config.vocab_size)
    n_operation = 130 * n_layer + 60
    weights = n_layer * 12 * d * d + 2 * config.vocab_size * d
    orthogonal = 3 * n_layer * (4 * 6 * d**3 + 2 * (4 * d * d * f + 2 * d**3)) if recipe.optimizer == "fast" else 0
    if on_gpu:
        return 2 * n_operation * _LAUNCH
    speed = _speed(dtype)
    return (
        (0.75 * products + 1.1 * orthogonal) / speed.multiply_add
        + (4 * numbers + 50 * weights) / speed.elementwise
        + 8 * n_operation * speed.overhead
    )


def _recurrent_seconds(config: Any, n_gate: int, recipe: Recipe, dtype: str, on_gpu: bool) -> float:
    """The same kinds of work. The tokens of a window come one after the other, so starting operations weighs most."""
    d = config.d_model
    n_token = recipe.batch_size * config.context_length
    products = 6 * n_token * (config.n_layer * 2 * n_gate * d * d + config.vocab_size * d)
    numbers = 3 * n_token * (config.n_layer * 6 * n_gate * d + 4 * config.vocab_size)
    n_operation = config.context_length * config.n_layer * (3 + 3 * n_gate) + 60
    orthogonal = 3 * config.n_layer * 2 * (4 * n_gate + 2) * d**3 if recipe.optimizer == "fast" else 0
    if on_gpu:
        return 4 * n_operation * _LAUNCH
    speed = _speed(dtype)
    return (
        (products + 1.1 * orthogonal) / speed.multiply_add
        + 4 * numbers / speed.elementwise
        + 8 * n_operation * speed.overhead
    )


def _memory(config: Any, recipe: Recipe, n_parameter: int, n_byte: int) -> int:
    """Weights, gradients and optimizer in float32, and every activation that the backward pass needs."""
    n_token = recipe.batch_size * config.context_length
    gates = family_of(config).recurrent
    if gates is not None:
        per_layer = 10 * gates(config) * config.d_model
    else:
        d_ff = config.d_ff or 4 * config.d_model
        per_layer = 24 * config.d_model + 4 * d_ff + 6 * config.n_head * config.context_length
    activations = n_token * config.n_layer * per_layer * n_byte
    logits = n_token * config.vocab_size * (2 * n_byte + 3 * 4)
    starts = recipe.n_step * recipe.batch_size * 8
    return _PROCESS + 4 * 5 * n_parameter + activations + logits + starts


def _refusal(seconds: float, memory: int) -> str | None:
    if memory > MAX_MEMORY:
        return (
            f"This run would need about {memory / 1e9:.1f} GB of memory; at most {MAX_MEMORY / 1e9:.0f} GB are "
            "allowed. Choose a shorter context, a smaller batch, or a narrower model."
        )
    if seconds > MAX_SECONDS:
        return (
            f"This run would take about {seconds / 3600:.0f} hours; at most {MAX_SECONDS // 3600} are allowed. "
            "Choose fewer steps, or a smaller model."
        )
    return None


@cache
def _speed(dtype: str) -> _Speed:
    """Measure once, for about 20 ms: the best of several tries, so that others on the machine count little."""
    kind = DTYPES[dtype]
    with one_thread():
        x, w, few = torch.ones(1024, 128, dtype=kind), torch.ones(128, 512, dtype=kind), torch.ones(8)
        wide = torch.ones(1024, 512, dtype=kind)
        return _Speed(
            multiply_add=2 * x.numel() * w.shape[1] / _fastest(lambda: x @ w),
            elementwise=wide.numel() / _fastest(lambda: wide * wide),
            overhead=_fastest(lambda: [few * few for _ in range(100)]) / 100,
        )


def _fastest(work: Callable[[], object], n_try: int = 7) -> float:
    """Seconds of the fastest try; the first one only warms up."""
    work()
    times = []
    for _ in range(n_try):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)
