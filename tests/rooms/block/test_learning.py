"""Depth without residual paths: eight layers fail and two learn, on three seeds."""

import numpy as np
import pytest
import torch

from core.rooms.block.experiments.depth import VARIANTS, Depth, Options, token_cosines, token_diversity
from core.train.device import single_torch_thread
from core.train.experiments import referent
from tests.counts import SEEDS


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_only_eight_layers_without_residual_paths_fail(seed: int) -> None:
    with single_torch_thread():
        running = Depth(Options(), seed)
        while running.step < running.n_step:
            running.advance()
        record = running.record()
        with torch.no_grad():
            answers = referent.referent_logits(running.trainers["none_8"].model, running.held_out_ids).argmax(-1)
    assert len(set(answers.tolist())) == 1  # one noun is the answer to everything
    left = {name: record[f"diversity.{name}"][[0, -1], -1] for name in VARIANTS}
    assert left["none_8"].max() < 0.01
    assert left["pre_8"].min() > 0.2 and left["post_8"].min() > 0.2 and left["none_2"].min() > 0.1
    # Healthy at the start, gone after ten steps.
    first = {name: record[f"gradient.{name}"][:, 0] for name in VARIANTS}
    assert first["none_8"][0] > 10 * first["pre_8"][0]
    assert first["none_8"][1] < 1e-3


def test_diversity_and_likeness_of_known_vectors() -> None:
    alike = torch.ones(1, 1, 3, 4)
    apart = torch.tensor([[[[1.0, 0.0], [-1.0, 0.0]]]])
    assert token_diversity(alike) == pytest.approx(0) and token_diversity(apart) == pytest.approx(1)
    np.testing.assert_allclose(token_cosines(apart[:, 0])[0], [[1, -1], [-1, 1]])
