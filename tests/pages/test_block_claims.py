"""What the texts of the block's room promise is what it shows."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.exhibits.block import layer_norm, parameters, way
from core.inspect import bends
from core.inspect import way as ways
from core.inspect.parameters import ParameterRecord, count_config
from core.models.gpt import GPTConfig
from core.ui import models
from core.ui.models import SENTENCES, SHIPPED

needs_model = pytest.mark.skipif(
    not (SHIPPED / "stories" / models.WEIGHTS).exists(), reason="the shipped model is not in this checkout"
)


def record_of(layer: int) -> Any:
    key = models.shipped_key("stories")
    return way.way_of(key, models.encode(key, SENTENCES["stories"], way.MOST_TOKENS).packed, layer)


def share(record: ParameterRecord, name: str) -> int:
    return round(100 * record.term(name).count / record.total)


@needs_model
def test_the_last_block_writes_more_than_three_times_its_stream() -> None:
    for layer, written, stream in ((1, 124, 38), (0, 4.7, 17.9)):
        record = record_of(layer)
        sizes = dict(zip([one.name for one in record.stages], ways.lengths(record, -1), strict=True))
        assert sizes["feed-forward writes"] == pytest.approx(written, abs=0.5 if layer else 0.05)
        assert sizes["stream after attention"] == pytest.approx(stream, abs=0.5 if layer else 0.05)
        assert (sizes["feed-forward writes"] > 3 * sizes["stream after attention"]) == (layer == 1)
        assert layer == 1 or sizes["feed-forward writes"] < sizes["stream after attention"] / 3


@needs_model
def test_every_number_of_the_stream_is_a_sum() -> None:
    for layer in (0, 1):
        record = record_of(layer)
        for before, written, after in way._places(record):
            total = record.stages[before].vectors + record.stages[written].vectors
            np.testing.assert_array_equal(total, record.stages[after].vectors)


@needs_model
def test_skew_stays_through_the_models_own_norms() -> None:
    from core.inspect.moments import moments

    for layer in (0, 1):
        record = record_of(layer)
        for normed, before in (("normed for attention", 0), ("normed for feed-forward", 3)):
            if normed == "normed for feed-forward":
                before = [one.name for one in record.stages].index("stream after attention")
            skews = [moments(v[-1].astype(float)).skew for v in (record.stages[before].vectors, record.stage(normed))]
            assert skews[0] == pytest.approx(skews[1], abs=5e-4)


@needs_model
def test_a_fifth_of_the_units_and_then_more_are_on() -> None:
    assert [round(100 * bends.units_on(record_of(layer).pre).share.mean()) for layer in (0, 1)] == [20, 37]


@needs_model
def test_the_stories_model_has_relu_squared() -> None:
    record = record_of(0)
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
    gap, where = bends.gelu_gap()
    assert f"{gap:.5f}" == "0.00047"
    assert round(where, 1) == 2.7
    x, curves = bends.curves(["GELU, exact"])
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
