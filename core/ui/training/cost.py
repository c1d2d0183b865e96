"""The cost of a recipe before anything is allocated, cached by short keys of plain values."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_number
from core.data.localization.quantities import format_bytes
from core.train.tasks.defaults import special_token_count

if TYPE_CHECKING:
    from core.train.estimate import CostEstimate

LABELS = module_labels(__name__)
PLACES = LABELS.options("place", "embedding", "attention", "mlp", "recurrent", "other")  # in a model


@dataclass(frozen=True)
class TrainingCost:
    """The cost of a recipe, before anything is allocated."""

    vocab_size: int
    parts: dict[str, int]  # parameters by place, see `PLACES`
    n_parameter: int
    seconds: float
    memory_bytes: float
    uniform_loss: float  # ln V, nats per token
    refused: str | None  # why it cannot be trained, or None
    multiply_adds: float = math.nan  # for each token of a full context, forward
    cache_bytes: int = 0  # keys and values of one full context, cached while writing, in 32 bits each


@st.cache_data(max_entries=200, show_spinner=False)
def tokenized_corpus_size(corpus: str, tokenizer: str, vocab: int | None, n_special: int = 0) -> tuple[int, int]:
    """Return the size of a text's vocabulary and the number of its tokens.

    Args:
        n_special: additional tokens, to fill gaps.

    Raises:
        CorpusRefused: if the text is not available.
        ValueError: if the tokenizer cannot be trained on it.
    """
    from core.data import tokenizers

    text = corpora.load(corpus).text
    cutter = tokenizers.train_tokenizer(tokenizer, text, vocab)
    return cutter.vocab_size + n_special, len(cutter.encode(text))


def estimate_training_cost(recipe: Mapping[str, object]) -> TrainingCost:
    """Estimate the cost of training this recipe here, and whether it is allowed."""
    return _cost(json.dumps(recipe, sort_keys=True))


@st.cache_data(max_entries=500, show_spinner=False)
def _cost(recipe_json: str) -> TrainingCost:
    import torch

    from core.models import registry
    from core.train.estimate import estimate_cost, training_matmul_flops
    from core.train.objectives import split_ids
    from core.train.recipes import Recipe

    try:
        recipe = Recipe.for_browser(json.loads(recipe_json))
        if recipe.posed is not None:
            vocab_size = recipe.train_tokenizer("").vocab_size
            config, length = recipe.config(vocab_size), recipe.posed.n_token
        else:
            cut = (recipe.corpus, recipe.tokenizer, recipe.tokenizer_vocab)
            vocab_size, n_token = tokenized_corpus_size(*cut, special_token_count(recipe.kind, recipe.context_length))
            config = recipe.config(vocab_size)
            length = recipe.n_window
            split_ids(torch.empty(n_token, dtype=torch.long), length)  # refuses a text that is too short
        cost: CostEstimate = estimate_cost(recipe, vocab_size)
    except (ValueError, corpora.CorpusRefused) as problem:
        return TrainingCost(0, {}, 0, math.nan, math.nan, math.nan, str(problem))
    parts = _parts(config)
    return TrainingCost(
        vocab_size,
        parts,
        sum(parts.values()),
        float(cost.seconds),
        float(cost.memory_bytes),
        math.log(vocab_size),
        cost.refused,
        # a training step has a forward pass and a backward pass of twice its cost; a multiply-add is two operations
        training_matmul_flops(registry.build_empty(config), length) / 6 / length,
        4 * _kept(config) if registry.family_of(config).context_length(config) else 0,
    )


def describe_cost_difference(with_it: TrainingCost, without: TrainingCost) -> str:
    """Describe the cost of one setting: a recipe that has it, compared with one that doesn't."""
    if refusal := with_it.refused or without.refused:
        return LABELS("refused", reason=refusal.rstrip("."))
    told = [
        _more("parameters", with_it.n_parameter - without.n_parameter),
        _more("multiply_adds", round(with_it.multiply_adds - without.multiply_adds)),
        _more("cache", with_it.cache_bytes - without.cache_bytes, format_bytes),
    ]
    shares = (("time", with_it.seconds, without.seconds), ("memory", with_it.memory_bytes, without.memory_bytes))
    told += [LABELS(key, change=a / b - 1).replace("-", "−") for key, a, b in shares if abs(a / b - 1) >= 0.01]
    return ", ".join(filter(None, told)) or LABELS["costs_nothing"]


def _more(key: str, n: int, format_size: Callable[[float], str] | None = None) -> str:
    """Return a difference with its sign and name; "" without one."""
    size = format_number(abs(n), ",") if format_size is None else format_size(abs(n))
    return LABELS(key, change=f"{'+' if n > 0 else '−'}{size}") if n else ""


def _kept(config: Any) -> int:
    """Count the cached keys and values of one full context; a layer with a window caches at most the window."""
    from core.inspect.costs import model_cost
    from core.models.registry import modern_options_of_model

    length = config.context_length
    whole = model_cost.count_cache_numbers(config, length)
    window = modern_options_of_model(config).window
    if window is None or not whole:
        return whole
    kept = sum(min(length, window) if config.has_window(i) else length for i in range(config.n_layer))
    return whole * kept // (config.n_layer * length)


def _parts(config: object) -> dict[str, int]:
    """Count the parameters by place, on a model that has shapes but no data."""
    from core.models import registry

    parts = dict.fromkeys(PLACES, 0)
    for name, parameter in registry.build_empty(config).named_parameters():
        place = "recurrent" if name.endswith(("_ih", "_hh")) else "other"
        if any(part in name for part in ("tok_emb", "pos_emb", "unembed")):
            place = "embedding"
        elif "attn." in name:  # including an encoder-decoder's cross-attention
            place = "attention"
        elif ".mlp." in name:
            place = "mlp"
        parts[place] += parameter.numel()
    return parts
