"""What the texts of the block's room promise is what it shows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.costs.parameters import ParameterRecord, count_config
from core.models.gpt import GPTConfig
from core.rooms.block import layer_norm, parameters, through_the_block
from core.rooms.block.compute import activations
from core.rooms.block.compute import residual_stream as ways
from core.ui.models import models
from core.ui.models.models import SENTENCES, SHIPPED

needs_model = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


def record_of(layer: int) -> Any:
    key = models.shipped_key("stories")
    return through_the_block.way_of(
        key, models.encode(key, SENTENCES["stories"], through_the_block.MOST_TOKENS).packed, layer
    )


def share(record: ParameterRecord, name: str) -> int:
    return round(100 * record.term(name).count / record.total)


@needs_model
def test_feed_forward_writes_more_than_its_stream_in_both_layers() -> None:
    for layer, written, stream in ((0, 3.2, 2.3), (1, 11.2, 6.4)):
        record = record_of(layer)
        sizes = dict(zip([one.name for one in record.stages], ways.lengths(record, -1), strict=True))
        assert sizes["feed-forward writes"] == pytest.approx(written, abs=0.05)
        assert sizes["stream after attention"] == pytest.approx(stream, abs=0.05)
        assert sizes["feed-forward writes"] > 1.3 * sizes["stream after attention"]


@needs_model
def test_every_number_of_the_stream_is_a_sum() -> None:
    for layer in (0, 1):
        record = record_of(layer)
        for before, written, after in through_the_block._places(record):
            total = record.stages[before].vectors + record.stages[written].vectors
            np.testing.assert_array_equal(total, record.stages[after].vectors)


@needs_model
def test_only_gain_and_bias_move_the_skew_in_the_models_own_norms() -> None:
    from core.rooms.block.compute.moments import moments

    model = models.load(models.shipped_key("stories")).model
    moved = []
    for layer in (0, 1):
        record = record_of(layer)
        after_attention = [one.name for one in record.stages].index("stream after attention")
        norms = (("normed for attention", 0, "norm_1"), ("normed for feed-forward", after_attention, "norm_2"))
        for normed, before, name in norms:
            gain, bias = (parameter.detach().numpy() for parameter in getattr(model.blocks[layer], name).parameters())
            after = record.stage(normed)
            plain = (after - bias) / gain
            skews = [moments(v[-1].astype(float)).skew for v in (record.stages[before].vectors, plain, after)]
            assert skews[0] == pytest.approx(skews[1], abs=5e-4)
            moved.append(abs(skews[2] - skews[0]))
    assert max(moved) > 0.5


@needs_model
def test_16_and_12_percent_of_the_units_are_on_and_never_half() -> None:
    found = [activations.units_on(record_of(layer).pre).share for layer in (0, 1)]
    assert [round(100 * share.mean()) for share in found] == [16, 12]
    assert max(share.max() for share in found) < 0.5


@needs_model
def test_the_stories_model_has_gelu_and_the_one_with_alibi_relu_squared() -> None:
    from core.nn.feed_forward import gelu

    record = record_of(1)
    np.testing.assert_allclose(record.act, gelu(torch.tensor(record.pre)).numpy(), rtol=1e-5, atol=1e-6)
    assert record.act[-1].min() == pytest.approx(-0.17, abs=0.005)  # a dot at the lowest point of the curve
    alibi = models.shipped_key("stories-alibi")
    record = through_the_block.way_of(
        alibi, models.encode(alibi, SENTENCES["stories"], through_the_block.MOST_TOKENS).packed, 0
    )
    np.testing.assert_allclose(record.act, np.maximum(record.pre, 0) ** 2, rtol=1e-6)


def test_exponential_numbers_keep_their_tail() -> None:
    found = layer_norm.normed("exponential", 4096, 0, "layer", 1.0, 0.0, 1e-5)
    for one in found.moments:
        assert round(one.skew, 2) == 1.86
        assert round(one.kurtosis, 2) == 4.32


def test_sixteen_numbers_have_two_variances() -> None:
    after = layer_norm.normed("exponential", 16, 0, "layer", 1.0, 0.0, 1e-5).moments[1]
    assert (round(after.variance, 3), round(after.variance_unbiased, 3)) == (1.0, 1.067)


def test_gelu_bends_back_up_and_its_forms_differ_by_0_00047() -> None:
    gap, where = activations.gelu_gap()
    assert f"{gap:.5f}" == "0.00047"
    assert round(where, 1) == 2.7
    x, curves = activations.curves(["GELU, exact"])
    lowest = x[curves["GELU, exact"].argmin()]
    assert -0.8 <= round(lowest, 1) < -0.6
    assert curves["GELU, exact"].min() < 0


def test_gpt2_and_a_small_teaching_model() -> None:
    small, large = (count_config(parameters.preset(name)) for name in ("gpt2", "gpt2-xl"))
    assert round(small.term("feed-forward").count / 1e6, 1) == 56.7
    assert round(small.term("attention").count / 1e6, 1) == 28.3
    assert round(small.term("token embedding").count / 1e6, 1) == 38.6
    assert (share(small, "token embedding"), share(large, "token embedding")) == (31, 5)
    own = GPTConfig(vocab_size=1_000, n_layer=2, n_head=4, d_model=64)
    assert share(count_config(own), "token embedding") == 38
    assert share(count_config(replace(own, vocab_size=10_000)), "token embedding") == 86
    wide = count_config(replace(own, d_model=128))
    assert wide.term("feed-forward").count / count_config(own).term("feed-forward").count == pytest.approx(4, abs=0.1)
    assert wide.term("token embedding").count == 2 * count_config(own).term("token embedding").count
