"""Digits as texts of pixels: orders, levels, writing with kept keys and values, bits, and what counting pays."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.data import images
from core.models import registry
from core.models.images.image_gpt import ImageGPT, ImageGPTConfig
from core.models.images.vit import ViTConfig
from core.rooms.pixels.compute import completions, pixel_bits, pixel_generation as writing, pixel_text
from core.rooms.pixels.experiments import pixels as task
from core.train import experiment

LEVELS = 5


@pytest.fixture(scope="module")
def model() -> ImageGPT:
    """A small one with weights that are far from 0."""
    built: ImageGPT = registry.build(
        ImageGPTConfig(vocab_size=LEVELS + 1, context_length=64, n_layer=2, n_head=2, d_model=16), 0
    )
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for w in built.parameters():
            w.add_(0.3 * torch.randn(w.shape, generator=generator))
    return built.eval()


def some_ids(n: int, length: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(LEVELS, (n, length), generator=torch.Generator().manual_seed(seed))


def test_the_orders_are_permutations_that_read_rows_and_columns() -> None:
    assert pixel_text.pixel_order("raster").tolist() == list(range(64))
    assert pixel_text.pixel_order("column")[:9].tolist() == [0, 8, 16, 24, 32, 40, 48, 56, 1]
    for name in pixel_text.PIXEL_ORDERS:
        assert sorted(pixel_text.pixel_order(name)) == list(range(64))
    with pytest.raises(ValueError, match="there is no order 'spiral'"):
        pixel_text.pixel_order("spiral")
    with pytest.raises(ValueError, match="1 levels"):
        pixel_text.to_ids(torch.zeros(1, 1, 8, 8), 1)


@given(n_level=st.integers(2, 17), name=st.sampled_from(pixel_text.PIXEL_ORDERS), which=st.integers(0, 359))
@settings(max_examples=25)
def test_a_picture_comes_back_but_for_the_rounding(n_level: int, name: str, which: int) -> None:
    shades = torch.from_numpy(images.held_out_digits().shades[which : which + 1])
    ids = pixel_text.to_ids(shades, n_level, name)
    back = pixel_text.to_shades(ids, n_level, name)
    assert ids.min() >= 0 and ids.max() < n_level
    assert (back - shades).abs().max() <= 0.5 / (n_level - 1) + 1e-6
    assert torch.equal(pixel_text.to_ids(back, n_level, name), ids)
    if n_level == 17:
        assert np.array_equal(pixel_text.to_pixels(ids, 17, name)[0], images.held_out_digits().pixels[which])


@pytest.mark.parametrize("n_given", [0, 1, 32, 63])
def test_what_is_kept_changes_nothing(model: ImageGPT, n_given: int) -> None:
    given_ids = some_ids(3, n_given)
    written = writing.generate_pictures(model, given_ids, torch.Generator().manual_seed(2), temperature=1.3, top_k=3)
    assert torch.equal(written.ids[:, :n_given], given_ids)
    with torch.no_grad():
        anew = model(writing.shift_pixels_right(model, written.ids))[:, n_given:]
    torch.testing.assert_close(written.logits, anew, atol=2e-5, rtol=1e-5)
    used = writing.sampling_probabilities(anew, 1.3, 3)
    drawn = used.gather(-1, written.ids[:, n_given:, None])
    assert (drawn > 0).all() and ((used > 0).sum(-1) == 3).all()
    torch.testing.assert_close(used.sum(-1), torch.ones(3, 64 - n_given))


def test_temperature_0_takes_the_likeliest_and_a_seed_repeats(model: ImageGPT) -> None:
    def write(seed: int, **how: float) -> torch.Tensor:
        return writing.generate_pictures(model, some_ids(4, 20), torch.Generator().manual_seed(seed), **how).ids  # type: ignore[arg-type]

    cold = writing.generate_pictures(model, some_ids(4, 20), torch.Generator().manual_seed(0), temperature=0)
    assert torch.equal(cold.ids[:, 20:], cold.logits.argmax(-1))
    assert torch.equal(write(1, temperature=0), cold.ids) and torch.equal(write(5, top_k=1), cold.ids)
    assert torch.equal(write(3), write(3)) and not torch.equal(write(3), write(4))
    state = torch.get_rng_state()
    write(3)
    assert torch.equal(torch.get_rng_state(), state)


def test_draws_follow_the_probabilities(model: ImageGPT) -> None:
    given_ids = some_ids(1, 63).expand(1_000, -1)
    written = writing.generate_pictures(model, given_ids, torch.Generator().manual_seed(0), temperature=0.7)
    p = writing.sampling_probabilities(written.logits[0, 0], 0.7, 0)
    share = torch.bincount(written.ids[:, -1], minlength=LEVELS) / 1_000
    assert (share - p).abs().max() < 0.05


def test_a_full_picture_is_given_back_and_a_longer_one_refused(model: ImageGPT) -> None:
    full = some_ids(2, 64)
    done = writing.generate_pictures(model, full, torch.Generator())
    assert torch.equal(done.ids, full) and done.logits.shape == (2, 0, LEVELS)
    with pytest.raises(ValueError, match="65 pixels are more than the 64"):
        writing.generate_pictures(model, some_ids(1, 65), torch.Generator())
    with pytest.raises(ValueError, match="temperature=-1"):
        writing.generate_pictures(model, some_ids(1, 60), torch.Generator(), temperature=-1)


def test_bits_are_those_of_the_softmax(model: ImageGPT) -> None:
    ids = some_ids(3, 64, seed=4)
    with torch.no_grad():
        p = model(writing.shift_pixels_right(model, ids)).double().softmax(-1).gather(-1, ids[..., None])[..., 0]
    np.testing.assert_allclose(writing.bits_per_pixel(model, ids).numpy(), -p.log2().numpy(), atol=1e-4)
    blind = registry.build(ImageGPTConfig(vocab_size=5, d_model=16, n_head=2), 0)  # four colors and the start token
    with torch.no_grad():
        blind.unembed.weight.zero_()
    np.testing.assert_allclose(writing.bits_per_pixel(blind, some_ids(2, 64) % 4).numpy(), math.log2(4), atol=1e-6)


def test_a_1_gram_and_the_table_are_what_counting_by_hand_gives() -> None:
    learn, held = (ids.numpy() for ids in pixel_text.digit_sequences(4, "column"))
    counts = np.bincount(learn.ravel(), minlength=5) + np.array([0, 0, 0, 0, len(learn)])  # the start tokens
    p = (counts + 1) / (counts.sum() + 5)
    np.testing.assert_allclose(pixel_bits.ngram_pixel_bits(1, "laplace", 4, "column"), -np.log2(p[held]), rtol=1e-9)
    table = pixel_bits.position_table_bits(4)
    raster = pixel_text.digit_sequences(4, "raster")
    at = (raster[0][:, 20] == raster[1][7, 20]).sum().item()
    assert table[7, 20] == pytest.approx(-math.log2((at + 0.1) / (1437 + 0.4)))


@pytest.mark.parametrize(("smoothing", "n"), [("laplace", 1), ("lidstone", 10), ("interpolated", 4), ("kneser_ney", 3)])
def test_one_counting_serves_all_n(smoothing: str, n: int) -> None:
    table = pixel_bits.compare_ngram_bits(4, "raster")
    assert table.shape == (len(pixel_bits.SMOOTHINGS), len(pixel_bits.NGRAM_ORDERS))
    found = table[pixel_bits.SMOOTHINGS.index(smoothing), pixel_bits.NGRAM_ORDERS.index(n)]
    assert found == pytest.approx(pixel_bits.ngram_pixel_bits(n, smoothing, 4, "raster").mean(), rel=1e-12)
    is_best = pixel_bits.best_ngram_name(4, "raster") == f"{n}-gram, {pixel_bits.SMOOTHING_TITLES[smoothing]}"
    assert is_best == (found == table.min())


def test_bits_stand_where_their_pixels_stand() -> None:
    bits = np.arange(64.0)[None].repeat(2, 0)
    assert pixel_bits.mean_bits_map(bits, "raster").tolist() == np.arange(64.0).reshape(8, 8).tolist()
    assert pixel_bits.mean_bits_map(bits, "column").tolist() == np.arange(64.0).reshape(8, 8).T.tolist()


def test_completions_are_judged_by_the_classifier(model: ImageGPT) -> None:
    truth = some_ids(1, 64, seed=9)[0].numpy()
    made = completions.complete_pixels(model, truth[:40], 6, seed=0, temperature=0.8, top_k=2)
    assert made.ids.shape == (6, 64) and made.raw.shape == made.used.shape == (6, 24, LEVELS)
    assert (made.ids[:, :40] == truth[:40]).all() and ((made.used > 0).sum(-1) == 2).all()
    judge = registry.build(ViTConfig(d_model=16, n_head=2), 0)
    found = completions.recognize_digits(judge, made.ids, LEVELS, "column")
    with torch.no_grad():
        p = judge(pixel_text.to_shades(torch.from_numpy(made.ids), LEVELS, "column")).softmax(-1)
    assert found.said.tolist() == p.argmax(-1).tolist()
    all_given = completions.measure_completion_accuracy(
        model, judge, LEVELS, "raster", 64, seed=0, temperature=1, top_k=0
    )
    assert (all_given.right == all_given.whole).all() and len(all_given.right) == 360


@pytest.mark.slow
def test_the_experiment_starts_at_guessing_and_refuses_what_it_cannot() -> None:
    running = experiment.make_experiment("pixels", {"n_step": 2, "n_level": 4}, 3)
    first = running.record()
    assert first["curve.raster.bits"].tolist() == first["curve.column.bits"].tolist() == pytest.approx([2.0])
    running.advance()
    running.advance()
    assert running.record()["step"].tolist() == [0, 1, 2]
    assert running.record()["curve.column.bits"][-1] < 1.9
    built = experiment.rebuild_model(running.record(), "column", task.config(4))
    assert built.config.vocab_size == 5
    for wrong in ({"n_level": 5}, {"n_step": 0}):
        with pytest.raises(ValueError, match=r"is not one of|at least 1"):
            experiment.parse_experiment_options("pixels", wrong)
    assert [task.warp_strength(share) for share in (0.0, 1.0)] == [pytest.approx(task.WARP_STRENGTH), 0.0]


@pytest.mark.slow
def test_what_is_read_in_training_is_off_by_a_level_at_times() -> None:
    ids = torch.full((500, 64), 4)
    read = task.add_level_noise(ids, 8, torch.Generator().manual_seed(0))
    assert 0.5 < (read - ids).double().std() < 0.7 and abs((read - ids).double().mean()) < 0.02
    edges = task.add_level_noise(torch.tensor([[0, 7]] * 500), 8, torch.Generator().manual_seed(0))
    assert edges.min() == 0 and edges.max() == 7
    alone = experiment.make_experiment("pixels", {"n_step": 1, "column": False}, 0)
    both = experiment.make_experiment("pixels", {"n_step": 1}, 0)
    for running in (alone, both):
        running.advance()
    assert not [name for name in alone.record() if ".column." in name]
    same = [name for name in alone.record() if name.startswith("model.raster.")]
    assert all(np.array_equal(alone.record()[name], both.record()[name]) for name in same)
