"""What a sweep varies: reading values, grids and random points, and how much a setting explains."""

import random

import pytest
from hypothesis import given, strategies as st

from core.jobs.sweeps.variance_explained_by_settings import omega_squared
from core.rooms.sweeps import recorded_example
from core.rooms.sweeps.outcome import Inputs, compute
from core.rooms.sweeps.space import SWEEP_AXES, SweepRequest, grid_points, sample_points, tick_position
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.ui.training.choices_to_recipe import TrainingChoices


@pytest.mark.parametrize("name", SWEEP_AXES)
def test_the_values_to_begin_with_can_be_read_and_told_and_make_models(name: str) -> None:
    axis = SWEEP_AXES[name]
    values = axis.read(axis.typed)
    assert axis.read(", ".join(map(axis.in_words, values))) == values
    other = "seed" if name != "seed" else "d_model"
    asked = SweepRequest(
        base=TrainingChoices(d_model=64, n_head=4), values={name: values, other: SWEEP_AXES[other].read("16, 32")}
    )
    for recipe, _ in asked.runs("A text"):
        Recipe.from_dict(recipe).config(vocab_size=30)
    assert len(asked.points) == 2 * len(values)


@pytest.mark.parametrize(
    ("name", "typed", "why"),
    [
        ("d_model", "16", "2 to 12 different values"),
        ("d_model", "16, 16", "2 to 12 different values"),
        ("d_model", ",".join(map(str, range(4, 17))), "2 to 12 different values"),
        ("d_model", "16, 32.5", "not a whole number"),
        ("d_model", "16, 1e9", "from 4 to 512"),
        ("learning_rate", "0.1, nan", "not a number"),
        ("learning_rate", "0.1, -inf", "not a number"),
        ("learning_rate", "0.1, <b>", "is no number"),
        ("optimizer", "Muon, Lion", "Muon or AdamW or SGD"),
        ("dropout", "0, 0.95", "from 0 to 0.9"),
        ("activation", "ReLU, tanh", "SwiGLU"),
    ],
)
def test_values_that_cannot_be_are_refused_in_words(name: str, typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        SWEEP_AXES[name].read(typed)


@given(st.integers(2, 40), st.integers(0, 99))
def test_random_points_differ_and_lie_between_the_values(n: int, seed: int) -> None:
    values = {"learning_rate": (0.001, 0.01, 1.0), "d_model": (16, 32)}
    points = sample_points(values, n, seed)
    assert len(points) == len(set(points)) == n and points == sample_points(values, n, seed)
    assert all(0.001 <= float(rate) <= 1 and width in (16, 32) for rate, width in points)
    places = [tick_position(rate, values["learning_rate"]) for rate, _ in points]
    assert all(0 <= one <= 2 for one in places)
    by_place = sorted(zip(places, points, strict=True))
    assert [rate for _, (rate, _) in by_place] == sorted(rate for rate, _ in points)


def test_a_grid_is_every_combination_in_an_order_that_the_seed_draws() -> None:
    values = {"d_model": (16, 32, 64), "optimizer": ("fast", "adamw")}
    assert sorted(grid_points(values, 0)) == sorted((w, o) for w in (16, 32, 64) for o in ("fast", "adamw"))
    assert grid_points(values, 0) != grid_points(values, 1)
    impossible = SweepRequest(base=TrainingChoices(), values={"d_model": (16, 30), "n_head": (1, 4)})
    assert (30, 4) not in impossible.points and impossible.n_impossible == 1


def test_a_setting_explains_what_it_causes_and_chance_nothing() -> None:
    draw = random.Random(0)
    noise = {k: [draw.gauss(0, 1) for _ in range(200)] for k in range(4)}
    assert omega_squared(noise) == pytest.approx(0, abs=0.02)
    # Half of the variance lies between the groups: their means are -1 and 1, and each spreads with deviation 1.
    halves = {k: [2 * k - 1 + draw.gauss(0, 1) for _ in range(2000)] for k in (0, 1)}
    assert omega_squared(halves) == pytest.approx(0.5, abs=0.03)
    assert omega_squared({0: [1.0, 2.0], 1: [2.0]}) is None and omega_squared({0: [1.0] * 6, 1: [1.0] * 6}) is None


@pytest.mark.slow
def test_the_recorded_sweep_is_what_its_code_gives() -> None:
    """Of its 48 runs the one that trains fastest, again."""
    result = compute(Inputs())
    assert len(result.rows) == 48 and result.state == "over"
    row = next(row for row in result.rows if row.point == ("adamw", 16, 0.01))
    recipe, seed = recorded_example.EXAMPLE_REQUEST.runs("")[result.rows.index(row)]
    run = TrainRun(Recipe.from_dict(recipe), seed, device="cpu")
    run.advance(result.steps[0])
    assert run.history[-1].val_loss == pytest.approx(row.losses[0], abs=0.02)
    run.advance()
    assert run.final_val_loss == pytest.approx(row.loss, abs=0.03)
    n_parameter = sum(parameter.numel() for parameter in run.model.parameters())
    assert n_parameter == row.run.n_parameter


def test_parts_of_the_studio_vary_and_heads_that_cannot_share_keys_are_left_out() -> None:
    values = {"n_head": (2, 4), "kv_heads": SWEEP_AXES["kv_heads"].read("none, four"), "dropout": (0.0, 0.1)}
    asked = SweepRequest(base=TrainingChoices(n_layer=1, d_model=16), values=values)
    assert len(asked.points) == 6 and asked.n_impossible == 2
    made = [recipe for recipe, _ in asked.runs("x")]
    assert {recipe["model"].get("n_kv_head") for recipe in made} == {None, 1}
    assert {recipe.get("dropout", 0.0) for recipe in made} == {0.0, 0.1}
    assert {point[2] for point in sample_points(values, 8, 0)} == {0.0, 0.1}  # 0 has no logarithm to draw between
