"""The parts of the studio: whatever is chosen trains or is refused in plain words, and differences are exact."""

import contextlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from streamlit.testing.v1 import AppTest

from core.jobs.store import RunStore
from core.rooms.studio.run_comparison import PRICE_LABEL, apply_settings, differing_settings, flatten_recipe, table
from core.train.recipe_parts.recipe_part import RecipePart
from core.train.recipe_parts.table import PARTS, PRESETS
from core.train.recipes import RECIPES, Recipe
from core.train.run import TrainingDiverged, TrainRun
from core.train.watch.behavior_snapshots import capture_frame
from core.ui.training.choices_to_recipe import (
    KIND_LABELS,
    POSITION_LABELS,
    TrainingChoices,
    recipe_from_choice,
)
from core.ui.training.cost import estimate_training_cost
from tests.counts import count
from tests.rooms.run_pages import OWNER, checked, texts
from tests.rooms.studio.test_page import choose, make_run, store, studio  # noqa: F401  (fixtures)

TINY: Mapping[str, Any] = {
    "corpus": "bottle-and-cup", "tokenizer": "word", "n_layer": 2, "n_head": 4, "d_model": 16, "context_length": 8,
    "n_step": 8, "batch_size": 3,
}  # fmt: skip


def choices_from_preset(preset: str, **given: object) -> TrainingChoices:
    """The studio's choice if only the preset and these values are chosen."""
    one = PRESETS[preset]
    told = {name: getattr(one, name) for name in ("kind", "positions", "optimizer", "learning_rate")}
    choice = TrainingChoices(**{**told, "parts": preset, **given})
    return replace(choice, own_parts=tuple(choice.preset.items()))


def values_of(part: RecipePart) -> st.SearchStrategy[Any]:
    """All that a part's control can be set to."""
    if part.options is not None:
        return st.sampled_from(sorted(part.options, key=str))
    steps = round((part.high - part.low) / part.step)
    number = st.sampled_from([0, 1, 2, 3, steps // 2, steps]).map(lambda n: part.low + n * part.step)
    return number.map(lambda x: int(x) if isinstance(part.plain, int) else min(float(x), part.high))


def with_parts(choice: TrainingChoices, **values: Any) -> TrainingChoices:
    """The same with other values of some parts."""
    return replace(choice, own_parts=(*choice.own_parts, *values.items()))


OWN = st.fixed_dictionaries({}, optional={name: values_of(part) for name, part in PARTS.items()})
CHOICES = st.builds(
    lambda preset, own, how: with_parts(choices_from_preset(preset, **TINY, **how), **own),
    st.sampled_from(sorted(PRESETS)),
    OWN,
    st.fixed_dictionaries(
        {},
        optional={
            "kind": st.sampled_from(sorted(KIND_LABELS)),
            "positions": st.sampled_from(sorted(POSITION_LABELS)),
            "optimizer": st.sampled_from(["fast", "adamw", "sgd"]),
            "learning_rate": st.just(0.001),
        },
    ),
)


@settings(max_examples=count(15, 1_500), deadline=None, suppress_health_check=list(HealthCheck))
@given(CHOICES)
def test_any_choice_trains_two_steps_or_is_refused_in_plain_words(choice: TrainingChoices) -> None:
    """A part that fits no other would otherwise end as a run that fails, or as nonsense from the depths of torch."""
    recipe, told = None, ""
    try:
        recipe = Recipe.for_browser(json.loads(json.dumps(recipe_from_choice(choice, "Cup"))))
    except ValueError as refusal:
        told = str(refusal)
    if recipe is None:
        assert 10 < len(told) < 200 and " " in told
        return
    cost = estimate_training_cost(recipe.to_dict())
    assert cost.refused is None and cost.n_parameter > 0 and cost.seconds > 0
    run = TrainRun(recipe, 0, "cpu", live_evaluation=False)
    assert cost.n_parameter == sum(w.numel() for w in run.model.parameters())
    points = []
    with contextlib.suppress(TrainingDiverged):  # a start of deviation 1, say: told, and not a crash
        points = run.advance(2)
    if not points:
        return
    assert len(points) == 2 and all(math.isfinite(point.loss) for point in points)
    assert capture_frame(run).sample  # it writes, too, with what it has of keys and values


@settings(max_examples=count(40, 1_500), deadline=None, suppress_health_check=list(HealthCheck))
@given(CHOICES, CHOICES)
def test_what_differs_put_into_the_one_gives_the_other(first: TrainingChoices, other: TrainingChoices) -> None:
    flats = []
    for choice in (first, other):
        try:
            flats.append(flatten_recipe(recipe_from_choice(choice, "Cup")))
        except ValueError:
            return
    assert differing_settings([flats[0], flats[0]]) == []
    assert flatten_recipe(apply_settings(flats[0], flats[1], differing_settings(flats))) == flats[1]


def test_what_differs_makes_the_same_training() -> None:
    first, other = (recipe_from_choice(choices_from_preset(name, **TINY), "Cup") for name in ("2017", "qwen3"))
    mixed = apply_settings(
        flatten_recipe(first), flatten_recipe(other), differing_settings([flatten_recipe(first), flatten_recipe(other)])
    )
    histories = [TrainRun(Recipe.from_dict(one), 0, "cpu").advance(3) for one in (mixed, other)]
    assert histories[0] == histories[1]


def test_recipes_that_ship_differ_by_named_settings() -> None:
    flats = {name: flatten_recipe(recipe.to_dict()) for name, recipe in RECIPES.items()}
    for one in flats.values():
        for row in differing_settings([flats["python-topics"], one]):
            assert row.label[0].isupper() and "_" not in row.label and "." not in row.label
    rows = differing_settings([flats["python-topics"], flats["python-topics-adamw"]])
    assert [(row.label, row.words) for row in rows] == [
        ("Optimizer", ("Fast (Muon)", "AdamW")), ("Learning rate", ("0.045", "0.004")), ("Warm-up steps", ("0", "30"))
    ]  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_a_recipe_that_a_browser_may_ask_for(preset: str) -> None:
    recipe = Recipe.for_browser(recipe_from_choice(choices_from_preset(preset), "x"))
    assert estimate_training_cost(recipe.to_dict()).refused is None


def test_prices_are_counted() -> None:
    """By hand: shared keys halve what is kept; a gate is a third matrix; experts are there four times, asked once."""
    plain = choices_from_preset("gpt2", n_layer=1, n_head=4, d_model=64, context_length=32)
    costs = {
        name: estimate_training_cost(recipe_from_choice(with_parts(plain, **{name: value}), ""))
        for name, value in {"n_active": 1, "kv_heads": "2", "activation": "swiglu", "n_expert": 4, "window": 8}.items()
    }
    base = costs["n_active"]
    assert base.cache_bytes == 4 * 2 * 64 * 32
    assert costs["kv_heads"].cache_bytes == base.cache_bytes // 2
    assert base.n_parameter - costs["kv_heads"].n_parameter == 2 * (64 * 32 + 32)
    assert costs["window"].cache_bytes == base.cache_bytes // 4
    assert costs["activation"].n_parameter - base.n_parameter == 64 * 256 + 256
    assert costs["activation"].multiply_adds - base.multiply_adds == 64 * 256
    assert costs["n_expert"].n_parameter - base.n_parameter == 3 * 2 * 64 * 256 + 4 * 64 - (256 + 64)
    assert costs["n_expert"].multiply_adds - base.multiply_adds == 4 * 64  # the router


# On the page


def test_a_beginner_sees_none_of_it(studio: Callable[..., AppTest]) -> None:  # noqa: F811
    app = studio(depth="story")
    assert not {one.key for one in (*app.selectbox, *app.number_input, *app.toggle)} & PARTS.keys()
    app = studio(depth="story", activation="SwiGLU (gated)")
    assert app.selectbox(key="activation").value == "swiglu"  # a link names it: what trains is what is seen


def test_a_preset_sets_all_and_tells_what_was_changed(studio: Callable[..., AppTest], store: RunStore) -> None:  # noqa: F811
    app = studio(depth="numbers")
    app.selectbox(key="norm").set_value("layer").run()
    checked(app.selectbox(key="parts").set_value("llama").run())
    assert app.selectbox(key="norm").value == "rms" and app.selectbox(key="positions").value == "rotary"
    assert app.segmented_control(key="optimizer").value == "adamw" and app.number_input(key="clip").value == 1.0
    assert "**Llama-like**, but" not in texts(app)
    checked(app.selectbox(key="activation").set_value("relu").run())
    assert "**Llama-like**, but" in texts(app) and "not SwiGLU" in texts(app)
    checked(app.button(key="studio-train").click().run())
    assert store.list(OWNER)[0].recipe["model"]["block"]["activation"] == "relu"
    checked(app.button(key="studio-preset-again").click().run())
    assert app.selectbox(key="activation").value == "swiglu" and "**Llama-like**, but" not in texts(app)
    checked(app.selectbox(key="parts").set_value("recurrent").run())
    assert app.selectbox(key="kind").value == "gru" and "activation" not in {one.key for one in app.selectbox}


def test_a_part_that_fits_no_size_is_refused(studio: Callable[..., AppTest]) -> None:  # noqa: F811
    app = studio(depth="numbers", size="Custom", heads="6", width="48", kv_heads="four")
    assert "6 heads can" in texts(app) and app.button(key="studio-train").disabled


def test_two_runs_differ_by_a_list_of_settings(studio: Callable[..., AppTest], store: RunStore) -> None:  # noqa: F811
    ids = [make_run(store, "finished", seed=i) for i in range(2)]
    app = choose(studio(), *ids)
    assert "What differs" in texts(app) and "Seed" in texts(app)
    made = [
        recipe_from_choice(choices_from_preset(name, **{**TINY, "n_step": 40}), "Cup") for name in ("gpt2", "llama")
    ]
    runs = [replace(store.get(ids[0]), recipe=recipe) for recipe in made]
    told = table(runs, ["a", "b"])
    rows = {line[0]: line[1:] for line in zip(*told.values(), strict=True)}
    assert list(told) == ["Setting", "a", "b", PRICE_LABEL]
    assert rows["Norm"] == ("LayerNorm", "RMSNorm", "−80 parameters")
    assert rows["Dropout"][:2] == ("0.1", "0") and "Layers" not in rows and "–" not in rows["Norm"]
    assert rows["Parameters"][0] != rows["Parameters"][1] and rows["Parameters"][2] == ""
