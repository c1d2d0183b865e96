"""What the glossary says of this app, and what its formulas say of a model that ships, is so."""

from dataclasses import asdict
from typing import Any

import numpy as np

from core.data import glossary
from core.inspect.model_inputs.model_and_text import load_model_and_text, load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.ngram import NGram
from core.rooms.cache import memory


def definition(name: str) -> str:
    return {one.name: one.definition for one in glossary.glossary_terms()}[name]


def test_heads_and_layers_are_counted_from_0() -> None:
    assert "counted from 0 everywhere" in definition("layer")
    weights = load_model_and_text("stories", "Tom had a ball.", 20).attention.weights
    assert weights.shape[:2] == (2, 4)  # 0.0 to 1.3


def test_the_cache_holds_what_its_formula_says() -> None:
    """2 · L · T · H_kv · d_k, of a model whose heads share keys and of one whose heads don't."""
    seventy, seven = memory.SHAPES["llama2-70b"], memory.SHAPES["llama2-7b"]
    for shape in (seventy, seven):
        numbers = 2 * shape.n_layer * 100 * shape.n_kept * shape.d_head
        assert shape.needs(100, 1) == numbers
    assert seven.n_kept == seven.n_head and seventy.n_kept < seventy.n_head


def test_interpolated_smoothing_is_witten_and_bells_with_a_strength_of_1() -> None:
    ids = np.array([0, 1, 0, 2, 0, 1, 1, 2, 0])
    single, model = (NGram(order, 3, "interpolated", strength=1.0).fit(ids) for order in (1, 2))
    after = ids[1:][ids[:-1] == 0]
    for w in range(3):
        c, n, t = (after == w).sum(), len(after), len(set(after.tolist()))
        lower = single.probabilities([])[w]
        assert np.isclose(model.probabilities([0])[w], (c + t * lower) / (n + t))


def test_half_of_the_parameters_of_a_block_and_more_are_feed_forward() -> None:
    """“Where its inside is four times as wide, it holds about two thirds of a block's parameters”."""
    model: Any = load_text_model(ModelKey.at("stories")).model
    block = model.blocks[0]
    assert asdict(model.config)["d_model"] * 4 == 384
    whole = sum(parameter.numel() for parameter in block.parameters())
    part = sum(p.numel() for name, p in block.named_parameters() if "ff" in name or "mlp" in name or "feed" in name)
    assert 0.6 < part / whole < 0.72
