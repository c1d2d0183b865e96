"""The room of the cache, driven without a browser: what it says by default, and that it is so."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.data.localization.quantities import format_bytes
from core.data.sentences import SENTENCES
from core.inspect.attention_record import attention
from core.inspect.costs.model_cost import decoding_step_cost
from core.inspect.model_inputs.model_and_text import load_text_model, model_vocabulary
from core.inspect.model_inputs.model_key import ModelKey
from core.nn.recurrent import unroll
from core.rooms.cache import memory, same_words, tables, tokens_computed
from core.rooms.cache.inputs import CacheInputs
from tests.pages.rooms import clean, linked

STORY = SENTENCES["stories"]
GIVEN = CacheInputs().given
page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "generate" / "cache.py"))


def test_claims_about_work() -> None:
    found = same_words.compare_cache(GIVEN.model, GIVEN.ids, 96, n_repeat=1, most_seconds=600)
    inside = GIVEN.config.context_length - GIVEN.n_token
    assert GIVEN.config.context_length == 96 and found.is_same
    assert found.difference.max() < 2e-5
    assert (np.diff(found.work_anew[:inside]) > 0).all()  # each step costs more than the one before
    assert 0.8 < found.work[0] / found.work_anew[0] < 1  # "both ways cost nearly the same", the cache "a little" less
    assert found.work[inside + 1] > 20 * found.work[inside]  # "the curve jumps up to the other one"


def test_claims_about_memory() -> None:
    small, seven, seventy = (memory.SHAPES[name] for name in ("gpt2", "llama2-7b", "llama2-70b"))
    one = small.needs(small.context, 4)
    assert 6 * one < 124_439_808 * 4 < 7 * one and format_bytes(124_439_808 * 4) == "498 MB"
    assert seventy.needs(seventy.context, 2) < seven.needs(seven.context, 2)  # "and yet the cache shrinks"
    assert seventy.n_head // seventy.n_kept == 8
    net: Any = load_text_model(ModelKey.at(memory.RECURRENT))
    _, state = unroll(net.model.cells[0], torch.zeros(1, 7, net.config.d_model))
    assert net.config.n_layer == 1 and isinstance(state, torch.Tensor)  # "one state": a GRU has one
    asked = memory.Inputs(shape=memory.RECURRENT, length=7)
    assert state.numel() * state.element_size() == memory.compute(asked).total == 192


def test_a_text_longer_than_the_model_reads_is_told_and_its_formula_is_that_of_a_step_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient = partial(same_words.compare_cache, n_repeat=1, most_seconds=600)  # a busy machine writes fewer tokens
    monkeypatch.setattr(same_words, "compare_cache", patient)
    config = GIVEN.config
    test = clean(page(same_new="96", same_again="7", depth="numbers").run())
    n_over = GIVEN.n_token + 95 - config.context_length
    assert f"In the last {n_over} steps the text is longer" in test.info[0].value
    with_cache = f"{decoding_step_cost(config, 1, config.context_length - 1).total:,}".replace(",", "{,}")
    assert any(rf"N = {config.context_length},\;" in one.value and with_cache in one.value for one in test.latex)
    assert not clean(page(same_new="64", same_again="7").run()).info  # its last step reads 93 of 96


def test_tables_are_those_of_a_plain_pass() -> None:
    found = tables.compute(tables.Inputs())
    read = GIVEN.other("".join(found.tokens[:-1]))
    assert read.tokens == found.tokens[:-1] and found.n_prompt == GIVEN.n_token
    record = attention(GIVEN.model, read.ids)
    np.testing.assert_allclose(found.keys, record.k, atol=1e-5)
    np.testing.assert_allclose(found.values, record.v, atol=2e-5)


def test_what_each_step_computes_is_what_the_model_was_given_with_the_cache_and_without() -> None:
    found = tokens_computed.compute(tokens_computed.Inputs())
    race = same_words.compare_cache(GIVEN.model, GIVEN.ids, 16, n_repeat=1, most_seconds=600)
    assert (found.computed.sum(), found.computed_anew.sum()) == (race.n_token, race.n_token_anew) == (45, 600)
    names = model_vocabulary(GIVEN.key)
    assert [names[token] for token in race.tokens_anew] == list(found.tokens) and found.is_same and race.is_same
    np.testing.assert_array_equal(found.work, race.work)
    np.testing.assert_array_equal(found.work_anew, race.work_anew)
    n, new = found.n_prompt, len(found.tokens)  # the formula
    assert (found.computed_anew.sum(), found.computed.sum()) == (n * new + new * (new - 1) // 2, n + new - 1)


def test_a_text_of_one_token_is_read_too() -> None:
    found = tokens_computed.compute(tokens_computed.Inputs(given=GIVEN.other("Tom")))
    assert found.n_prompt == 1 and found.computed.tolist() == [1] * 16 and found.computed_anew.sum() == 136
