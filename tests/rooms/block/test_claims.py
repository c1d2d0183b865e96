"""What the texts of the block's room promise is what it shows."""

from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect.costs.parameters import ParameterBreakdown
from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.nn.feed_forward import gelu
from core.rooms.block import collapse, feed_forward, layer_norm, parameters, through_the_block
from core.rooms.block.compute import gradients
from core.rooms.block.compute.moments import compute_moments
from core.rooms.block.experiments.depth import FULL_NAMES
from core.rooms.block.inputs import BlockTokenInputs
from core.train import experiment


def way(layer: int) -> through_the_block.TokenInBlock:
    return through_the_block.compute(through_the_block.Inputs(layer=layer))


def units(**inputs: Any) -> feed_forward.ActiveUnits:
    return feed_forward.compute(feed_forward.Inputs(**inputs))


def counted(of: str = "own", **sizes: Any) -> ParameterBreakdown:
    return parameters.compute(parameters.Inputs(of=of, **sizes))


def test_feed_forward_writes_more_than_its_stream_in_both_layers() -> None:
    for layer, written, stream in ((0, 3.2, 2.3), (1, 11.2, 6.4)):
        lengths = way(layer).lengths
        assert lengths["feed-forward writes"] == pytest.approx(written, abs=0.05)
        assert lengths["stream after attention"] == pytest.approx(stream, abs=0.05)
        assert lengths["feed-forward writes"] > 1.3 * lengths["stream after attention"]


def test_every_number_of_the_stream_is_a_sum() -> None:
    for block in (way(0).block, way(1).block):
        for before, written, after in block.sums:
            total = block.stages[before].vectors + block.stages[written].vectors
            np.testing.assert_array_equal(total, block.stages[after].vectors)


def test_only_gain_and_bias_move_the_skew_in_the_models_own_norms() -> None:
    model: Any = BlockTokenInputs().given.model
    moved = []
    for layer in (0, 1):
        vectors = way(layer).vectors
        for before, after, name in (
            ("stream in", "normed for attention", "norm_1"),
            ("stream after attention", "normed for feed-forward", "norm_2"),
        ):
            gain, bias = (parameter.detach().numpy() for parameter in getattr(model.blocks[layer], name).parameters())
            plain = (vectors[after] - bias) / gain
            skews = [compute_moments(vector).skew for vector in (vectors[before], plain, vectors[after])]
            assert skews[0] == pytest.approx(skews[1], abs=5e-4)
            moved.append(abs(skews[2] - skews[0]))
    assert max(moved) > 0.5


@pytest.mark.measured("07-the-block", "What percentage of the last block's")
def test_most_units_stay_off_for_every_token() -> None:
    assert max(units(layer=layer).share.max() for layer in (0, 1)) < 0.5


def test_the_stories_model_has_gelu_and_the_one_with_alibi_relu_squared() -> None:
    found = units(layer=1)
    np.testing.assert_allclose(found.act, gelu(torch.tensor(found.pre)).numpy(), rtol=1e-5, atol=1e-6)
    assert found.act[-1].min() == pytest.approx(-0.17, abs=0.005)  # a dot at the lowest point of the curve
    alibi = units(given=load_model_and_text("stories-alibi", BlockTokenInputs().given.encoded.text), layer=0)
    np.testing.assert_allclose(alibi.act, np.maximum(alibi.pre, 0) ** 2, rtol=1e-6)


def test_a_norm_keeps_the_tail_of_exponential_numbers() -> None:
    for one in layer_norm.compute(layer_norm.Inputs()).moments:
        assert (round(one.skew, 2), round(one.kurtosis, 2)) == (1.86, 4.32)
    after = layer_norm.compute(layer_norm.Inputs(width=16)).moments[1]
    assert (round(after.variance, 3), round(after.variance_unbiased, 3)) == (1.0, 1.067)


def test_gpt2_and_a_small_teaching_model() -> None:
    small, own, wide = counted("gpt2"), counted(), counted(width=128)
    millions = {
        name: round(small.term(name).count / 1e6, 1) for name in ("feed-forward", "attention", "token_embedding")
    }
    assert list(millions.values()) == [56.7, 28.3, 38.6]
    shares = [found.share("token_embedding") for found in (small, counted("gpt2-xl"), own, counted(vocab=10_000))]
    assert [round(100 * share) for share in shares] == [31, 5, 38, 86]
    assert wide.term("feed-forward").count / own.term("feed-forward").count == pytest.approx(4, abs=0.1)
    assert wide.term("token_embedding").count == 2 * own.term("token_embedding").count


# --- depth


depth_run = partial(experiment.run_experiment, "depth")


def first_of(start: str) -> dict[tuple[str, bool], dict[int, float]]:
    stacks = gradients.gradient_norms_by_kind(start, 0)
    return {kind: {n: float(values[0]) for n, values in found.items()} for kind, found in stacks.items()}


@pytest.mark.measured("07-the-block", "16 layers with norms")
def test_from_the_narrow_start_only_residual_paths_carry_the_gradient() -> None:
    for (norm, path), by in first_of("narrow").items():
        if path:
            assert max(by.values()) < 1.2 * min(by.values()), norm  # 64 layers as much as one
        else:
            assert by[16] < 1e-5 and by[64] == 0, norm


def test_from_the_wide_start_norms_hide_it_and_paths_alone_explode() -> None:
    found = first_of("wide")
    for norm in ("pre", "post"):
        assert min(found[norm, False].values()) > 0.1
    # What 64 layers let through is chaotic: infinite on one processor, 2.5e31 on another, from the same seed.
    assert found["none", True][32] > 1e7 and not found["none", True][64] < 1e20


def test_a_healthy_gradient_at_the_start_proves_little() -> None:
    record = depth_run().record
    first = {name: record[f"gradient.{name}"][:, 0] for name in FULL_NAMES}
    assert list(record["look"][:2]) == [0, 10]
    for name in ("pre_8", "post_8"):
        assert 17 < first["none_8"][0] / first[name][0] < 23  # about twenty times as much
        assert first[name][-1] < 0.002  # solved, and small
    assert first["none_8"][1] < 1e-3


@pytest.mark.measured("07-the-block", "Without residual paths")
@pytest.mark.measured("short/4-short-block", "Two models without")
def test_all_words_become_one_vector() -> None:
    found = collapse.compute(collapse.Inputs(), depth_run())
    record = found.run.record
    assert found.accuracy["none_8"] <= 1 / 8 and found.accuracy["none_2"] > 0.99
    lowest = record["likeness.none_8"].min((1, 2))
    assert (np.diff(lowest) > -1e-5).all() and lowest[-1] > 0.99999  # layer by layer to 1
    for name in ("pre_8", "post_8"):
        assert record[f"diversity.{name}"][-1, -1] > 0.4
