"""The quick learner: where it starts, what moves, and that it learns."""

import math

import torch
from torch import nn

from core.models.images.image_gpt import ImageGPTConfig
from core.models.images.vit import ViTConfig
from core.train.experiment import experiment_record
from core.train.experiments.fast_trainers import muon_trainer


def _pictures() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.rand(10, 1, 8, 8, generator=torch.Generator().manual_seed(0)), torch.arange(10)


def test_it_starts_silent_the_first_answer_is_uniform() -> None:
    images, labels = _pictures()
    runner = muon_trainer(ViTConfig(d_model=16), 0, 10)
    with torch.no_grad():
        loss = nn.functional.cross_entropy(runner.model(images), labels).item()
    assert abs(loss - math.log(10)) < 1e-6


def test_it_learns_ten_pictures_by_heart_and_every_weight_moves() -> None:
    images, labels = _pictures()
    runner = muon_trainer(ViTConfig(d_model=16, n_layer=1), 0, 150)
    before = {name: w.detach().clone() for name, w in runner.model.named_parameters()}
    losses = []
    for _ in range(150):
        losses.append(nn.functional.cross_entropy(runner.model(images), labels))
        runner.learn(losses[-1])
    assert losses[-1] < 1e-2 < losses[0]
    still = {name for name, w in runner.model.named_parameters() if torch.equal(w, before[name])}
    assert not still


def test_same_seed_same_weights_and_the_global_generator_is_left_alone() -> None:
    before = torch.random.get_rng_state()
    one, same, other = (muon_trainer(ImageGPTConfig(vocab_size=9), seed, 4).weights("a") for seed in (0, 0, 1))
    assert all((one[name] == same[name]).all() for name in one)
    assert any((one[name] != other[name]).any() for name in one)
    assert torch.equal(before, torch.random.get_rng_state())


def test_what_ships_is_given_for_its_own_options_seed_and_end_alone() -> None:
    shipped = experiment_record("three-switches")
    assert shipped["step"][-1] == 200
    assert experiment_record("three-switches", until=1)["step"].tolist() == [0]  # measured after every fifth step
    other = experiment_record("three-switches", seed=1, until=1)
    assert any((other[name] != array).any() for name, array in shipped.items() if name.startswith("model."))
