"""What a recipe comes to, before anything of it is made: cached, by short keys of plain values."""

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.data import corpora

if TYPE_CHECKING:
    from core.train.estimate import Estimate


@dataclass(frozen=True)
class Cost:
    """What a recipe comes to, before anything is allocated.

    Attributes:
        parts: parameters by place: "embedding", "attention", "MLP", "other".
        blind_loss: ln V, nats per token.
        refused: why it cannot be trained, or None.
    """

    vocab_size: int
    parts: dict[str, int]
    n_parameter: int
    seconds: float
    memory_bytes: float
    blind_loss: float
    refused: str | None


@st.cache_data(max_entries=200, show_spinner=False)
def count_tokens(corpus: str, tokenizer: str, vocab: int | None, gaps: bool = False) -> tuple[int, int]:
    """How many different tokens a model of the text knows, and how many the text has.

    Args:
        gaps: whether two more tokens are needed to fill gaps.

    Raises:
        CorpusRefused: if the text is not there.
        ValueError: if the tokenizer cannot be trained on it.
    """
    from core.data import tokenizers

    text = corpora.load(corpus).text
    cutter = tokenizers.train(tokenizer, text, vocab)
    vocab_size = tokenizers.GapTokenizer(cutter).vocab_size if gaps else cutter.vocab_size
    return vocab_size, len(cutter.encode(text))


def cost_of(recipe: dict[str, Any]) -> Cost:
    """What training this recipe would cost here, and whether it is allowed."""
    return _cost(json.dumps(recipe, sort_keys=True))


@st.cache_data(max_entries=500, show_spinner=False)
def _cost(recipe_json: str) -> Cost:
    import torch

    from core.train.estimate import estimate
    from core.train.objectives import split
    from core.train.recipes import Recipe

    try:
        recipe = Recipe.for_browser(json.loads(recipe_json))
        cut = (recipe.corpus, recipe.tokenizer, recipe.tokenizer_vocab)
        vocab_size, n_token = count_tokens(*cut, recipe.fills_gaps)
        config = recipe.config(vocab_size)
        split(torch.empty(n_token, dtype=torch.long), config.context_length)  # refuses a text that is too short
        cost: Estimate = estimate(recipe, vocab_size)
    except (ValueError, corpora.CorpusRefused) as problem:
        return Cost(0, {}, 0, math.nan, math.nan, math.nan, str(problem))
    parts = _parts(config)
    return Cost(
        vocab_size,
        parts,
        sum(parts.values()),
        float(cost.seconds),
        float(cost.memory_bytes),
        math.log(vocab_size),
        cost.refused,
    )


def _parts(config: Any) -> dict[str, int]:
    """Parameters by place, counted on a model that has shapes but no numbers."""
    from core.models import registry

    parts = {"embedding": 0, "attention": 0, "MLP": 0, "recurrent": 0, "other": 0}
    for name, parameter in registry.empty(config).named_parameters():
        place = "recurrent" if name.endswith(("_ih", "_hh")) else "other"
        if name.startswith(("tok_emb", "pos_emb", "unembed", "head.unembed")):
            place = "embedding"
        elif ".attn." in name:
            place = "attention"
        elif ".mlp." in name:
            place = "MLP"
        parts[place] += parameter.numel()
    return parts
