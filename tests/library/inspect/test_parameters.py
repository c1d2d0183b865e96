"""Where the parameters are: the terms sum to what the module holds, and each formula gives its term."""

from torch import nn

from core.inspect.costs import parameters
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.rooms.block.parameters import PRESETS
from core.train.estimate import count_parameters


def test_gpt2_small_is_the_published_size() -> None:
    found = parameters.count_config(PRESETS["gpt2"])
    assert found.total == 124_439_808
    assert found.term("feed-forward").count == 56_669_184
    assert found.term("attention").count == 28_348_416
    assert parameters.count_config(PRESETS["gpt2-xl"]).total == 1_557_611_200


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
