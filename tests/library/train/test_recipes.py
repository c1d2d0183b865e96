"""Recipes: JSON and back, clear messages about limits, and the learning rate's schedule."""

import json
from dataclasses import replace
from typing import Any

import pytest

from core.data import corpora
from core.jobs.admission import check_recipe_cost
from core.train.recipes import LIMITS, RECIPES, Recipe
from core.ui.training.cost import estimate_training_cost

TOPICS = RECIPES["python-topics"]


@pytest.mark.parametrize("name", RECIPES)
def test_recipe_survives_json(name: str) -> None:
    recipe = RECIPES[name]
    assert recipe.name == name
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_has_a_text(name: str) -> None:
    assert corpora.corpus_title(RECIPES[name].corpus)


def with_size(name: str, value: int) -> dict[str, Any]:
    if name in ("tokenizer_vocab", "batch_size", "n_step"):
        return TOPICS.to_dict() | {name: value}
    if name == "n_expert":
        return TOPICS.to_dict() | {"model": {"experts": {name: value, "n_active": 1}}}
    return TOPICS.to_dict() | {"model": {"n_head": 1, "positions": "none", name: value}}


@pytest.mark.parametrize("name", LIMITS)
def test_sizes_over_a_browsers_limits_are_refused_with_both_numbers(name: str) -> None:
    least, most, why = LIMITS[name]
    assert Recipe.for_browser(with_size(name, most))
    with pytest.raises(ValueError, match=f"{name}={most + 1} is not within {least} to {most}: {why}"):
        Recipe.for_browser(with_size(name, most + 1))
    with pytest.raises(ValueError, match=f"{name}={least - 1} is not within {least} to {most}$"):
        Recipe.for_browser(with_size(name, least - 1))


@pytest.mark.parametrize("name", LIMITS)
def test_a_script_may_ask_for_all_that_is_possible(name: str) -> None:
    """A limit made for a browser in the recipe itself would stop scripts, too."""
    least, most, _ = LIMITS[name]
    assert Recipe.from_dict(with_size(name, 2 * most))
    with pytest.raises(ValueError, match=f"{name}={least - 1} must be at least {least}"):
        Recipe.from_dict(with_size(name, least - 1))


@pytest.mark.parametrize("name", LIMITS)
def test_what_comes_from_a_browser_meets_its_limits(name: str) -> None:
    """Both doors: the job's admission, and the studio's reckoning of what a run would cost."""
    with pytest.raises(ValueError, match=f"{name}={LIMITS[name][1] + 1} is not within"):
        check_recipe_cost(with_size(name, LIMITS[name][1] + 1))
    assert f"{name}={LIMITS[name][1] + 1} is not within" in str(
        estimate_training_cost(with_size(name, LIMITS[name][1] + 1)).refused
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("optimizer", "lion"),
        ("tokenizer", "tiktoken"),
        ("decay", "none"),
        ("learning_rate", float("nan")),
        ("learning_rate", -1.0),
        ("learning_rate", True),
        ("n_step", 2.5),
        ("batch_size", True),
        ("n_warmup", -1),
        ("decay_to", 1.5),
        ("decay_share", 0.0),
        ("momentum", 1.0),
        ("beta_2", 1.0),
        ("clip", 0.0),
        ("dropout", 1.0),
        ("dropout_at", "everywhere"),
        ("label_smoothing", float("nan")),
        ("model", {"d_model": 30, "n_head": 4}),
        ("model", {"d_model": "wide"}),
        ("model", {"depth": 3}),
    ],
)
def test_impossible_values_are_refused(field: str, value: object) -> None:
    with pytest.raises(ValueError):
        replace(TOPICS, **{field: value})


def test_unknown_or_missing_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="no field colour"):
        Recipe.from_dict({**TOPICS.to_dict(), "colour": "red"})
    with pytest.raises(ValueError, match="does not fit"):
        Recipe.from_dict({"name": "only a name"})


def test_linear_decay_goes_from_the_full_rate_to_zero() -> None:
    shares = [TOPICS.learning_rate_share(step) for step in range(TOPICS.n_step)]
    assert shares[0] == 1.0
    assert shares[TOPICS.n_step // 2] == 0.5
    assert shares[-1] == pytest.approx(1 / TOPICS.n_step)


def test_warm_up_then_cosine_as_nanogpt() -> None:
    recipe = RECIPES["nanogpt-cpu"]
    assert recipe.learning_rate_share(0) == pytest.approx(1 / 101)
    assert recipe.learning_rate_share(100) == 1.0
    assert recipe.learning_rate_share(1050) == pytest.approx(0.55)  # halfway between 1 and 0.1
    assert recipe.learning_rate_share(2000) == pytest.approx(0.1)
