"""What a multi-scale model costs and how far its tokens see: against torch's counter, closed forms and gradients."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch.utils.flop_counter import FlopCounterMode

from core.inspect.costs import model_cost
from core.models import registry
from core.models.images.multiscale_vit import MultiScaleViTConfig
from core.models.images.vit import ViTConfig
from core.nn.tap import Trace
from core.rooms.multiscale import reach, stages
from core.rooms.multiscale.experiments.scales import DIGITS_CONFIG, upsample
from core.rooms.multiscale.stages import SWIN_T, draw_stages

SMALL = MultiScaleViTConfig(image_size=32, patch_size=2, d_model=8, n_layer=(2, 2, 1), n_head=(1, 2, 4), window=4)


def flops(config: object) -> int:
    """Multiply-adds of one pass as torch counts them."""
    model = registry.build(config)
    size, n_channel = model.config.image_size, model.config.n_channel
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, n_channel, size, size))
    return counter.get_total_flops() // 2


@pytest.mark.parametrize("config", [SMALL, DIGITS_CONFIG, stages.remove_windows(SMALL), replace(SMALL, image_size=64)])
def test_multiply_adds_are_those_that_torch_counts(config: MultiScaleViTConfig) -> None:
    assert stages.count_work(config).total == flops(config)


@pytest.mark.parametrize(("patch_size", "d_model"), [(2, 21), (4, 50)])
def test_a_plain_vit_costs_what_torch_counts(patch_size: int, d_model: int) -> None:
    config = ViTConfig(image_size=16, patch_size=patch_size, d_model=d_model, n_layer=2, n_head=1)
    assert model_cost.forward_cost(config, 0).total == flops(config)


def test_swin_t_is_the_published_one_and_its_plain_rival_is_vit_small() -> None:
    assert sum(p.numel() for p in registry.build_empty(SWIN_T).parameters()) == 28_288_354
    found = stages.stage_sizes(SWIN_T)
    assert [one.side for one in found] == [56, 28, 14, 7] and [one.width for one in found] == [96, 192, 384, 768]
    assert [one.n_window for one in found] == [64, 16, 4, 1] and [one.shift for one in found] == [3, 3, 3, 0]
    assert round(stages.count_work(SWIN_T).total / 1e9, 2) == 4.49  # Liu et al. 2021, table 1: 4.5 G
    plain = stages.plain_vit(SWIN_T)
    assert (plain.n_layer, plain.d_model, plain.patch_size, plain.n_patch) == (12, 384, 16, 196)


@given(st.sampled_from([1, 2, 4]), st.sampled_from([8, 16, 96]), st.sampled_from([2, 3, 7]), st.integers(2, 6))
@settings(max_examples=25)
def test_the_polynomials_are_the_counts_and_the_crossing_is_one(patch: int, d: int, window: int, times: int) -> None:
    config = MultiScaleViTConfig(
        image_size=4 * patch * window * times, patch_size=patch, d_model=d, n_layer=(2, 2, 2), n_head=(1, 1, 1),
        window=window,
    )  # fmt: skip
    area = float(config.image_size) ** 2
    for counted in (lambda one: stages.count_work(one).total, stages.count_plain_vit,
                    lambda one: stages.count_work(stages.remove_windows(one)).total):  # fmt: skip
        found = np.polyval(stages.fit_by_area(counted, config), area)
        assert found == pytest.approx(counted(config), rel=1e-9)
    assert stages.fit_by_area(lambda one: stages.count_work(one).total, config)[0] == 0
    crossing = stages.crossing_size(config)
    assert crossing is None or crossing > 0
    for one in stages.growing_sizes(config):
        if crossing is None or one.image_size > crossing:
            assert stages.count_work(one).total <= stages.count_plain_vit(one)


def test_pairs_overtake_the_rest_of_a_stage_at_six_times_its_width() -> None:
    first = stages.stage_sizes(MultiScaleViTConfig(image_size=24, patch_size=1, d_model=96, n_layer=(1,), n_head=(1,),
                                           window=24))[0]  # fmt: skip
    assert first.n_token == 6 * first.width and first.pairs == first.alone


@pytest.mark.parametrize(
    "config", [SMALL, DIGITS_CONFIG, replace(DIGITS_CONFIG, shifted=False)], ids=["small", "ours", "unshifted"]
)
def test_what_a_token_has_seen_is_where_its_gradient_is_not_zero(config: MultiScaleViTConfig) -> None:
    model = registry.build(config).eval().requires_grad_(False)
    image = torch.randn(1, config.image_size, config.image_size, generator=torch.Generator().manual_seed(1))
    rng = np.random.default_rng(0)
    for step in reach.receptive_fields(config):
        for token in (0, int(rng.integers(step.side**2)), step.side**2 - 1):
            felt = reach.pixel_gradient(model, image, step.stage, step.block, token)
            expected = reach.patches_to_pixels(step.patches[token], config.patch_size)
            assert np.array_equal(felt > 0, expected), (step.name, token)


def test_neighbors_are_those_with_a_weight() -> None:
    model = registry.build(SMALL)
    with torch.no_grad(), Trace(model) as trace:
        model(torch.zeros(1, 1, 32, 32))
    for stage, n_layer in enumerate(SMALL.n_layer):
        for block in range(n_layer):
            weights = trace[f"stages.{stage}.blocks.{block}.attn.weights"]
            found = reach.window_attention_mask(SMALL, stage, block)
            assert found.sum() == int((weights[:, 0] > 0).sum()) and np.array_equal(found, found.T)


def test_without_a_shift_windows_stay_apart_until_they_are_merged() -> None:
    counts = {
        shifted: [
            int(one.patches.sum((1, 2)).max())
            for one in reach.receptive_fields(replace(DIGITS_CONFIG, shifted=shifted))
        ]
        for shifted in (True, False)
    }
    assert counts == {True: [1, 4, 16, 36, 64, 64], False: [1, 4, 4, 16, 16, 64]}
    whole = reach.receptive_fields(replace(DIGITS_CONFIG, window=8))[1]
    assert whole.patches.all()  # as in a plain ViT


def test_upsampling_keeps_the_range_and_flat_paper_flat() -> None:
    flat = np.full((1, 1, 8, 8), 0.25, np.float32)
    assert torch.allclose(upsample(flat), torch.full((1, 1, 16, 16), 0.25))
    image = np.random.default_rng(0).random((2, 1, 8, 8), np.float32)
    large = upsample(image)
    assert large.shape == (2, 1, 16, 16) and large.min() >= image.min() and large.max() <= image.max()


def test_no_stages_and_too_many_are_not_drawn() -> None:
    for found in ([], [None] * 7):
        with pytest.raises(ValueError, match=f"{len(found)} stages; a picture shows between 1 and 6"):
            draw_stages(found, key="k", label="", takeaway="")  # type: ignore[arg-type]
