"""On a GPU: the same numbers as on a CPU, and a recorded step that is the step from Python, bit for bit."""

from dataclasses import replace

import pytest

from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainRun

SHORT = [
    replace(recipe, n_step=30, n_warmup=min(30, recipe.n_warmup))
    for recipe in RECIPES.values()
    if recipe.corpus != "tiny-shakespeare"  # a download
]


@pytest.mark.parametrize("recipe", SHORT, ids=lambda recipe: recipe.name)
def test_a_recorded_step_computes_what_the_step_from_python_does(recipe: Recipe) -> None:
    recorded, plain = TrainRun(recipe, 0, "cuda"), TrainRun(recipe, 0, "cuda")
    plain._is_recordable = False
    assert recorded.advance() == plain.advance()


@pytest.mark.parametrize("recipe", SHORT, ids=lambda recipe: recipe.name)
def test_the_gpu_learns_what_the_cpu_learns(recipe: Recipe) -> None:
    losses = {
        device: [point.loss for point in TrainRun(recipe, 0, device, dtype="float32").advance()]
        for device in ("cuda", "cpu")
    }
    assert losses["cuda"] == pytest.approx(losses["cpu"], abs=1e-3)
