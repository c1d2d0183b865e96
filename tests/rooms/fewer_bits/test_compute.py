"""Rounding and outliers: against torch's own quantizer and by their promises."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import Tensor

from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models import registry
from core.models.configs.modern import Modern
from core.models.gpt import GPTConfig
from core.rooms.fewer_bits import dial, outliers
from core.rooms.fewer_bits.compute import evaluation, rounding
from core.rooms.fewer_bits.compute.quantize import (
    GROUP_SIZE,
    SCALES,
    max_level,
    quantize,
    quantize_by_mean,
    straight_through,
)
from core.train.device import single_torch_thread

BITS = st.integers(2, 8)
KEY = ModelKey.at("stories")


@st.composite
def matrices(draw: st.DrawFn) -> Tensor:
    """Of any small shape and size, with rows of 0 and outliers among them."""
    shape = draw(st.tuples(st.integers(1, 5), st.integers(1, 70)))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10**6)))
    weight = torch.randn(shape, generator=generator) * 10.0 ** draw(st.integers(-6, 4))
    weight[draw(st.integers(0, shape[0] - 1))] *= draw(st.sampled_from([0.0, 1.0, 100.0]))
    return weight


def spread(scale: Tensor, d_in: int) -> Tensor:
    """A scale for each weight, by repetition."""
    wide = scale if scale.shape[1] == 1 else scale.repeat_interleave(GROUP_SIZE, 1)[:, :d_in]
    return wide.expand(-1, d_in)


@settings(max_examples=80, deadline=None)
@given(matrices(), BITS, st.sampled_from(SCALES))
def test_no_weight_moves_by_more_than_half_its_scale_and_rounding_twice_is_rounding_once(
    weight: Tensor, bits: int, scales: str
) -> None:
    kept = quantize(weight, bits, scales)
    assert kept.levels.abs().max() <= max_level(bits)
    assert ((kept.restored - weight).abs() <= spread(kept.scale, weight.shape[1]) * (0.5 + 1e-5)).all()
    torch.testing.assert_close(quantize(kept.restored, bits, scales).restored, kept.restored, rtol=0, atol=0)


@settings(max_examples=40, deadline=None)
@given(matrices(), st.sampled_from(SCALES))
def test_more_bits_never_allow_a_larger_error(weight: Tensor, scales: str) -> None:
    allowed = [float(quantize(weight, bits, scales).scale.max()) for bits in (8, 4, 3, 2) if weight.any()]
    assert allowed == sorted(allowed)


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_rows_are_rounded_as_torch_rounds_them(bits: int) -> None:
    weight = torch.randn(9, 40, generator=torch.Generator().manual_seed(0))
    kept, most = quantize(weight, bits, "row"), max_level(bits)
    zero_points = torch.zeros(9, dtype=torch.int32)
    theirs = torch.fake_quantize_per_channel_affine(weight, kept.scale[:, 0], zero_points, 0, -most, most)
    torch.testing.assert_close(kept.restored, theirs)
    by_hand = np.abs(weight.numpy()).max(1) / most
    np.testing.assert_allclose(kept.scale[:, 0].numpy(), by_hand, rtol=2**-8)  # two bytes keep 8 binary digits


def test_a_group_is_rounded_as_if_it_stood_alone() -> None:
    weight = torch.randn(3, 2 * GROUP_SIZE + 5, generator=torch.Generator().manual_seed(0))
    alone = [quantize(part, 3, "row").restored for part in weight.split(GROUP_SIZE, 1)]
    torch.testing.assert_close(quantize(weight, 3, "group").restored, torch.cat(alone, 1))


def test_the_gradient_passes_straight_through() -> None:
    weight = torch.tensor([[0.2, -0.9, 2.0]], requires_grad=True)
    kept = quantize_by_mean(weight)
    assert kept.levels.tolist() == [[0, -1, 1]]  # 2.0 is cut off at the scale, about 1.03
    out = straight_through(weight, kept)
    torch.testing.assert_close(out.detach(), kept.restored)
    (out * torch.tensor([[1.0, 2.0, 3.0]])).sum().backward()
    assert weight.grad is not None and weight.grad.tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize("wrong", [{"bits": 1}, {"bits": 9}, {"bits": 4, "scales": "column"}])
def test_what_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"is not from 2 to 8|is not one of"):
        quantize(torch.ones(1, 1), **wrong)  # type: ignore[arg-type]


def test_the_shipped_model_is_left_alone_and_only_its_matrices_are_rounded() -> None:
    model = load_text_model(KEY).model
    before = {name: weight.clone() for name, weight in model.named_parameters()}
    copy = dict(rounding.round_model(model, 2, "row").named_parameters())
    for name, weight in model.named_parameters():
        assert torch.equal(weight, before[name]), name
        is_matrix = weight.ndim == 2 and name != "pos_emb.weight"
        assert torch.equal(copy[name], weight) != is_matrix, name
    tied = registry.build(GPTConfig(vocab_size=9, d_model=8, n_head=2))
    once = rounding.round_model(tied, 4, "row")
    assert once.unembed.weight is once.tok_emb.weight  # still one matrix


def test_bytes_are_those_of_the_packed_levels_and_the_scales() -> None:
    model = load_text_model(KEY).model
    for scales in SCALES:
        found = sum(4 * w.numel() for n, w in model.named_parameters() if not rounding.part_of(n))
        for weight in rounding.weight_matrices(model).values():
            kept = quantize(weight, 3, scales)
            found += len(np.packbits(np.zeros(3 * kept.levels.numel(), np.uint8))) + 2 * kept.n_scale
        assert rounding.model_bytes(model, 3, scales) == found


@pytest.mark.parametrize("n_kv_head", [None, 2])
def test_an_outlier_changes_nothing_to_the_last_bit(n_kv_head: int | None) -> None:
    config = GPTConfig(vocab_size=11, d_model=16, n_head=4, modern=Modern(n_kv_head=n_kv_head))
    model = registry.build(config).eval().requires_grad_(False)
    for weight in model.parameters():
        weight.data = torch.randn(weight.shape, generator=torch.Generator().manual_seed(1))
    windows = torch.arange(10)[None]
    changed = outliers.add_outlier(model, 64)
    assert len(changed) == 3 * config.n_layer
    with single_torch_thread():
        before, after = (
            evaluation.log_probabilities(model, windows),
            evaluation.log_probabilities(registry.with_weights(model, changed), windows),
        )
    assert torch.equal(before, after)


def test_an_outlier_that_stands_out_is_kept_apart() -> None:
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    x[..., 3] *= 100
    assert outliers.find_outliers(x).tolist() == [i == 3 for i in range(8)]
    errors = {way: (outliers.round_activations(x, 8, way) - x).abs() for way in outliers.SCALE_METHODS["flow"]}
    assert not errors["apart"][..., 3].any()
    assert errors["apart"].max() < 0.02 < errors["token"].max() <= errors["all"].max()


def test_held_out_text_is_none_of_the_training_text() -> None:
    """What would be wrong: a loss on what the model has learned by heart."""
    windows = evaluation.held_out_ids(KEY)
    assert windows is not None and windows.shape == (evaluation.N_WINDOW, 97)
    model = load_text_model(KEY)
    text = Path(KEY.folder / "recipe.json").read_text()
    assert '"corpus": "stories"' in text
    found = evaluation.loss_from_log_probs(
        evaluation.log_probabilities(model.model, torch.tensor(windows)), torch.tensor(windows)
    )
    assert found == pytest.approx(0.33, abs=0.02)  # as its recipe says of all of the held-out text


@pytest.mark.parametrize(("bits", "scales", "n"), [(4, "row", 15), (2, "matrix", 3), (3, "group", 0), (8, "row", 0)])
def test_each_weight_of_the_first_picture_is_on_one_of_its_levels(bits: int, scales: str, n: int) -> None:
    weight = torch.randn(5, 100, generator=torch.Generator().manual_seed(0))
    row = dial.sorted_row(weight, bits, scales)
    assert len(row["levels"]) == n and row["before"] == sorted(row["before"])
    if n:
        assert set(np.float32(row["after"])) <= set(np.float32(row["levels"]))
        assert row["levels"] == [-one for one in row["levels"][::-1]]
