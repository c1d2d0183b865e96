"""Where the parameters are: the terms sum to what the module holds, and each formula gives its term."""

import math
import re
from dataclasses import replace

import pytest
from torch import nn

from core.inspect.costs import parameters
from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.rooms.block.parameters import PRESETS
from core.train.estimate import count_parameters
from tests.library.contracts.test_registry import VARIANTS


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_the_sum_is_what_the_module_holds_and_every_formula_is_right(config: GPTConfig) -> None:
    model = registry.build(config)
    found = parameters.count(model)
    assert found.total == sum(p.numel() for p in model.parameters()) == count_parameters(config)
    assert "other" not in {term.name for term in found.terms}
    for term in found.terms:
        assert term.count == term.predicted == sum(one.count for one in term.tensors)
        assert value_of(term.numbers) == term.count
        assert value_of(in_numbers(term.formula, found)) == term.count
        assert bool(term.note) == (term.count == 0)
        for one in term.tensors:
            assert one.count == one.n_tensor * math.prod(one.shape)


def in_numbers(formula: str, found: parameters.ParameterRecord) -> str:
    for letter, (_, value) in found.sizes.items():
        formula = formula.replace(letter, str(value))
    return formula


def value_of(formula: str) -> int:
    """What is printed, computed: products, sums, brackets and squares of whole numbers."""
    text = formula.replace(",", "").replace("·", "*").replace("²", "^2").replace(" ", "")
    assert re.fullmatch(r"[\d()+*^]+", text), text
    return _sum(list(text))


def _sum(rest: list[str]) -> int:
    total = _product(rest)
    while rest and rest[0] == "+":
        rest.pop(0)
        total += _product(rest)
    return total


def _product(rest: list[str]) -> int:
    result = _factor(rest)
    while rest and rest[0] == "*":
        rest.pop(0)
        result *= _factor(rest)
    return result


def _factor(rest: list[str]) -> int:
    if rest[0] == "(":
        rest.pop(0)
        value = _sum(rest)
        assert rest.pop(0) == ")"
    else:
        digits = ""
        while rest and rest[0].isdigit():
            digits += rest.pop(0)
        value = int(digits)
    if rest and rest[0] == "^":
        del rest[:2]
        value *= value
    return value


def test_gpt2_small_is_the_published_size() -> None:
    found = parameters.count_config(PRESETS["gpt2"])
    assert found.total == 124_439_808
    assert found.term("feed-forward").count == 56_669_184
    assert found.term("attention").count == 28_348_416
    assert parameters.count_config(PRESETS["gpt2-xl"]).total == 1_557_611_200


def test_the_number_of_heads_costs_nothing() -> None:
    few, many = (parameters.count_config(replace(PRESETS["gpt2"], n_head=n)).total for n in (1, 12))
    assert few == many


def test_a_description_takes_no_memory() -> None:
    config = GPTConfig(vocab_size=300_000, n_layer=96, n_head=1, d_model=12_288, block=BlockStyle(norm="rms"))
    assert parameters.count_config(config).total == count_parameters(config) > 1.7e11


def test_tensors_of_all_blocks_are_one_group() -> None:
    found = parameters.count_config(PRESETS["gpt2"]).term("attention")
    assert [one.name for one in found.tensors][:2] == ["blocks.*.attn.w_q.weight", "blocks.*.attn.w_q.bias"]
    assert {one.n_tensor for one in found.tensors} == {12}


def test_an_unknown_architecture_is_counted_without_formulas() -> None:
    found = parameters.count(nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)))
    assert found.total == 3 * 4 + 4 + 8
    assert {term.name: term.formula for term in found.terms} == {"other": ""}
