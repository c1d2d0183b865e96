"""Warping: what stays, what is drawn, and from which generator."""

import torch

from core.data import images
from core.train.experiments.augment import augment


def _pictures(n: int = 8) -> torch.Tensor:
    return torch.from_numpy(images.training_digits().shades[:n])


def test_strength_zero_gives_the_pictures_back() -> None:
    some = _pictures()
    assert torch.allclose(augment(some, torch.Generator().manual_seed(0), 0.0), some, atol=1e-6)


def test_each_picture_is_warped_with_its_own_generator() -> None:
    one = _pictures(1).expand(6, -1, -1, -1)
    before = torch.random.get_rng_state()
    first = augment(one, torch.Generator().manual_seed(3))
    assert torch.equal(first, augment(one, torch.Generator().manual_seed(3)))
    assert not torch.equal(first, augment(one, torch.Generator().manual_seed(4)))
    assert len({tuple(row) for row in first.flatten(1).tolist()}) == 6
    assert torch.equal(before, torch.random.get_rng_state())


def test_shades_stay_within_paper_and_ink_and_most_ink_stays_in_the_picture() -> None:
    some = torch.from_numpy(images.training_digits().shades)
    warped = augment(some, torch.Generator().manual_seed(0))
    assert warped.min() >= 0 and warped.max() <= 1
    assert 0.85 < warped.sum() / some.sum() < 1.05


def test_a_wide_picture_moves_no_further_than_it_says() -> None:
    """A dot in the middle of 8 x 8 stays within the 17 % of half the width, and what turning adds to that."""
    dot = torch.zeros(200, 1, 8, 8)
    dot[:, :, 3:5, 3:5] = 1
    warped = augment(dot, torch.Generator().manual_seed(1))[:, 0]
    place = torch.arange(8) + 0.5
    for axis in (1, 2):
        middle = (warped.sum(axis) * place).sum(-1) / warped.sum((1, 2))
        assert (middle - 4).abs().max() < 0.17 * 4 * 1.6  # stretched by at most 1 / 0.85, slanted by 0.2 a line
        assert (middle - 4).abs().max() > 0.5
