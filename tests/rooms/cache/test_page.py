"""The room of the cache, driven without a browser: what it says by default, every control, links, odd texts."""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.inspect.model_and_text import ModelAndText
from core.nn.recurrent import unroll
from core.rooms.cache import inputs, memory, mistakes, same_words, tables
from core.rooms.cache.compute import cached_writing
from core.rooms.cache.compute.cached_writing import cache_bytes, step_work
from core.ui.models import models
from core.ui.numbers import in_bytes
from core.ui.widgets.message import unpack
from tests.pages.rooms import clean, text_of

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "generate" / "cache.py")
EXHIBITS = (same_words.same_words, tables.tables_that_grow, memory.how_much_memory, mistakes.break_it)


def page(**address: str) -> AppTest:
    test = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in address.items():
        test.query_params[name] = value
    return test


def stories() -> ModelAndText:
    key = models.shipped_key("stories")
    return ModelAndText(key, models.encode(key, models.SENTENCES["stories"], inputs.MOST_PROMPT))


def test_opens_with_four_exhibits_and_keeps_what_it_promises() -> None:
    test = clean(page().run())
    titles = [one.value for one in test.subheader]
    assert all(any(piece.title in title.replace("\\", "") for title in titles) for piece in EXHIBITS)
    words = text_of(test)
    assert "words: the same" in words and re.search(r"\*\*2\d\.\d times less\*\*", words)
    assert "Positions: learned." in words and "The texts part at new token **2**" in words
    assert not test.warning


def test_claims_about_the_shipped_models() -> None:
    prompt = inputs.prompt_of(stories())
    assert prompt.key == models.shipped_key(mistakes.LEARNED)
    distances = models.shipped_key(mistakes.DISTANCES)
    there = inputs.prompt_of(ModelAndText(distances, models.encode(distances, models.SENTENCES["stories"], 40)))
    for mistake in ("zero", "restart"):
        assert mistakes.forgotten(distances, there.packed, 16, mistake).first is None  # type: ignore[arg-type]
        found = mistakes.forgotten(prompt.key, prompt.packed, 16, mistake)  # type: ignore[arg-type]
        assert found.first == 1  # "Only the first new word is still right"
        assert found.wrong_loss.mean() > 10 * found.right_loss.mean()
    zero = mistakes.forgotten(prompt.key, prompt.packed, 16, "zero").wrong
    said = "".join(models.vocabulary(prompt.key)[token] for token in zero)
    assert said.endswith('"I see it. "I see it.')  # "the same words again and again"
    text = models.SENTENCES["stories"].replace("Mia", "Ben")
    edited = models.encode(prompt.key, text).packed
    stale = mistakes.stale(prompt.key, prompt.packed, edited, 16)
    names = models.vocabulary(prompt.key)
    assert " Ben" in {names[token] for token in stale.right} and " Mia" not in {names[token] for token in stale.right}
    assert " Mia" in {names[token] for token in stale.wrong} and " Ben" not in {names[token] for token in stale.wrong}


def test_claims_about_work_and_memory() -> None:
    looked = stories()
    prompt = inputs.prompt_of(looked)
    model = models.load(prompt.key).model
    found = cached_writing.race(model, models.unpack(prompt.packed), 96, n_repeat=1, most_seconds=600)
    context = models.load(looked.key).config.context_length
    inside = context - len(prompt.ids)
    assert context == 96 and np.array_equal(found.tokens, found.tokens_anew)
    assert found.difference.max() < 2e-5
    assert (np.diff(found.work_anew[:inside]) > 0).all()  # each step costs more than the one before
    assert 0.8 < found.work[0] / found.work_anew[0] < 1  # "both ways cost nearly the same", the cache "a little" less
    assert found.work[inside + 1] > 20 * found.work[inside]  # "the curve jumps up to the other one"
    small, seven, seventy = (memory.SHAPES[name] for name in ("gpt2", "llama2-7b", "llama2-70b"))
    one = cache_bytes(small.n_layer, small.n_kept, small.d_head, small.context, 4)
    assert in_bytes(one) == "75.5 MB" and 6 * one < 124_439_808 * 4 < 7 * one
    assert in_bytes(124_439_808 * 4) == "498 MB"
    sizes = [in_bytes(cache_bytes(s.n_layer, s.n_kept, s.d_head, s.context, 2)) for s in (seven, seventy)]
    assert sizes == ["2.15 GB", "1.34 GB"] and seventy.n_head // seventy.n_kept == 8
    net = models.load(models.shipped_key(memory.RECURRENT))
    _, state = unroll(net.model.cells[0], torch.zeros(1, 7, net.config.d_model))  # type: ignore[operator, index]
    assert net.config.n_layer == 1 and isinstance(state, torch.Tensor)  # "one state": a GRU has one
    assert state.numel() * state.element_size() == memory.StateShape(1, net.config.d_model, 96).needs(7, 4) == 192


def test_a_text_longer_than_the_model_reads_is_told_and_its_formula_is_that_of_a_step_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    patient = partial(cached_writing.race, n_repeat=1, most_seconds=600)  # a busy machine writes fewer tokens
    monkeypatch.setattr(cached_writing, "race", patient)
    prompt = inputs.prompt_of(stories())
    config: Any = models.load(prompt.key).config
    test = clean(page(same_new="96", same_again="7", depth="formula").run())
    n_over = len(prompt.ids) + 95 - config.context_length
    assert f"In the last {n_over} steps the text is longer" in test.info[0].value
    with_cache = f"{step_work(config, 1, config.context_length - 1):,}".replace(",", "{,}")
    assert any(rf"N = {config.context_length},\;" in one.value and with_cache in one.value for one in test.latex)
    assert not clean(page(same_new="64", same_again="7").run()).info  # its last step reads 93 of 96


def test_tables_are_those_of_a_plain_pass() -> None:
    prompt = inputs.prompt_of(stories())
    found = tables.tables_of(prompt.key, prompt.packed, 6)
    record = models.attention(prompt.key, ",".join(map(str, found.ids[:-1])))
    np.testing.assert_allclose(found.keys, record.k, atol=1e-5)
    np.testing.assert_allclose(found.values, record.v, atol=2e-5)
    assert found.weights.shape[-1] == len(prompt.ids) + 5


def test_every_control_to_both_ends() -> None:
    test = clean(page().run())
    for name in ("same_new", "table_layer", "table_head"):
        for end in ("min", "max"):
            slider = test.slider(key=name)
            slider.set_value(getattr(slider, end))
            clean(test.run())
    test.number_input(key="same_again").set_value(2)
    test.number_input(key="memory_texts").set_value(1024)
    for mistake in mistakes.MISTAKES:
        test.segmented_control(key="break_mistake").set_value(mistake)
        clean(test.run())
    test.segmented_control(key="break_mistake").set_value("zero")
    test.run().segmented_control(key="break_model").set_value("above")
    words = text_of(clean(test.run()))
    assert "Positions: learned." in words and "does no harm here" not in words
    test.segmented_control(key="break_model").set_value("other")
    words = text_of(clean(test.run()))
    assert "Positions: alibi." in words and "does no harm here" in words
    for shape in memory.NAMES:
        test.selectbox(key="memory_shape").set_value(shape)
        clean(test.run())
        if shape == memory.RECURRENT:
            assert [one.value for one in test.metric] == ["197 kB", "0 bytes"]  # of 1,024 texts
    assert "2.75 TB" in [one.value for one in test.metric]  # 1,024 full texts of the last one, in float32
    test.segmented_control(key="memory_type").set_value(1)
    clean(test.run())


@pytest.mark.parametrize(
    "address",
    [
        {"text": "Tom"},
        {"text": "🦊 ⇥ <b>x</b> $x$"},
        {"text": "word " * 190},
        {"model": "stories-learned", "same_new": "96", "break_mistake": "Positions start again after the prompt"},
        {"same_new": "-4", "memory_texts": "1e99", "break_model": "nobody", "table_layer": "nan", "memory_type": "x"},
    ],
)
def test_any_text_and_any_link(address: dict[str, str]) -> None:
    clean(page(**address).run())


def test_an_edit_of_another_length_is_refused_in_words() -> None:
    test = clean(page(break_mistake=mistakes.MISTAKES["stale"]).run())
    field = next(one for one in test.text_input if one.label == "The prompt after the edit")
    assert "Ben" in field.value
    field.set_value("Tom ran.")
    assert "this text has 3" in text_of(clean(test.run()))
    field = next(one for one in test.text_input if one.label == "The prompt after the edit")
    field.set_value(models.SENTENCES["stories"])
    words = text_of(clean(test.run()))
    assert "Nothing has changed yet." in words and "does no harm here" not in words  # no mistake has been made


def test_the_picture_gets_the_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    from core.rooms.cache import cache_tables_widget as widget

    sent: list[bytes] = []
    monkeypatch.setattr(widget, "mount", lambda name, key, message: sent.append(message))
    table, weights = np.arange(12.0).reshape(4, 3), np.tril(np.ones((4, 4)))
    tokens = ["a", "b", "c", "d", "e"]
    widget.cache_tables(table, -table, weights, tokens=tokens, n_prompt=2, key="k", label="L")
    header, arrays = unpack(sent[0])
    assert header["tokens"] == tokens and header["limits"] == [11.0, 11.0] and "2 more" in header["takeaway"]
    assert np.array_equal(arrays["values"], -table) and json.dumps(header)
    bad: list[dict[str, Any]] = [{"n_prompt": 0}, {"n_prompt": 5}, {"tokens": tokens[:3]}]
    for wrong in bad:
        with pytest.raises(ValueError, match=r"prompt of|rows"):
            widget.cache_tables(table, table, weights, **({"tokens": tokens, "n_prompt": 2, "key": "k"} | wrong))
