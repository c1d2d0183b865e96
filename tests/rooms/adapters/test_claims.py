"""What the room and its lesson say is true: of the run that ships, and of the curves of three seeds.

What this catches: a comparison of one variant at its best step with another at its last, and a result that holds for
one seed only.
"""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from core.models import pretrained
from core.rooms.adapters import fifty_lines, matrix, on_and_off, thin_update
from core.rooms.adapters.experiments.adapters import MODEL, RANKS, TEXT, VARIANTS
from core.rooms.adapters.inputs import STRENGTHS
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.several_seeds import N_SEED
from tests.library.learning.once import remade, trained

EVERY = run_experiment("adapters-seeds")
THIN = [f"rank_{rank}" for rank in RANKS]
every_seed = pytest.mark.parametrize("seed", range(N_SEED))


def run(seed: int) -> ExperimentRun:
    """The curves of one seed, with the updates of the example: only the example ships its updates."""
    curves = {name: array if name == "step" else array[:, seed] for name, array in EVERY.record.items()}
    updates = {name: array for name, array in run_experiment("adapters").record.items() if name not in curves}
    return ExperimentRun({**curves, **updates}, {"text": TEXT, "n_step": 80}, seed, 80, 80, name="adapters")


@cache
def result(seed: int) -> fifty_lines.FineTuned:
    return fifty_lines.compute(fifty_lines.Inputs(guess="show"), run(seed))


def test_the_example_is_what_the_code_makes_now() -> None:
    remade("adapters", 10)


def test_the_first_seed_is_the_example() -> None:
    """Catches seeds that were recorded by other code than the curves beside them."""
    example = run_experiment("adapters").record
    for name in ("step", *(name for name in example if name.startswith("curve."))):
        np.testing.assert_allclose(run(0).record[name], example[name], atol=1e-5, err_msg=name)


@pytest.mark.measured("today/5-adapters", "On the stories, the model's **loss** is below half a nat")
@every_seed
def test_before_training_the_model_is_worse_than_a_uniform_guess_on_the_new_lines(seed: int) -> None:
    found = result(seed)
    assert found.before[0] > found.uniform_loss == pytest.approx(math.log(453))
    assert found.before[1] < 0.5
    tokenizer: Any = pretrained.load(MODEL).tokenizer
    pieces = tokenizer.tokens(tokenizer.encode("\n\n".join(TEXT.splitlines())))
    assert {one for one in pieces if len(one.strip()) == 1} <= {"A", "I", "!", ".", '"', ' "'}, "it knows every word"


@pytest.mark.measured("today/5-adapters", "On the fifty training lines, the loss falls all the way")
@every_seed
def test_full_fine_tuning_overfits(seed: int) -> None:
    found = result(seed)
    best, last = found.best["full"], found.last["full"]
    assert last.new > best.new + 0.1 and last.train < best.train - 0.1
    assert np.all(np.diff(found.run.record["curve.full.train"]) < 0.01), "it falls all the way"


@pytest.mark.measured("today/5-adapters", "LoRA with rank 1, or full fine-tuning")
@pytest.mark.measured("today/5-adapters", "The first version of this lesson")
@pytest.mark.measured("today/5-adapters", "A company writes")
@every_seed
def test_at_the_best_steps_full_fine_tuning_is_ahead_of_rank_1(seed: int) -> None:
    found = result(seed)
    full = found.best["full"]
    assert found.outcome is not None and found.outcome.answer == "full"
    assert found.best["rank_1"].new - full.new > 0.05, "this is what the guess asks for"
    assert full.step == 20 and all(found.best[v].step > full.step for v in THIN), "LoRA learns more slowly"
    assert all(found.last[v].new < found.best[v].new + 0.05 for v in THIN), "and barely overfits"
    assert found.last["full"].new > found.last["rank_1"].new, "the unfair comparison"
    assert found.smallest_at_best in (2, 4, 8), "some rank catches up, and it isn't rank 1"
    assert found.best[f"rank_{found.smallest_at_best}"].step >= 2.5 * full.step
    assert found.seeds.n == N_SEED and 0.05 < found.seeds.behind[0] < found.seeds.behind[1] < 0.15


@pytest.mark.measured("today/5-adapters", "We stop each model at its best step")
@every_seed
def test_the_thinnest_update_forgets_most_and_full_fine_tuning_least(seed: int) -> None:
    old = {v: result(seed).best[v].old for v in VARIANTS}
    assert max(old, key=old.__getitem__) == "rank_1" and min(old, key=old.__getitem__) == "full"
    assert all(one > 3 * result(seed).before[1] for one in old.values())


@pytest.mark.measured("today/5-adapters", "With half of the update")
@pytest.mark.parametrize("rank", RANKS)
def test_a_small_part_of_the_update_costs_the_stories_little(rank: int) -> None:
    """Of the example, whose updates ship; other seeds are in `test_learning`."""
    found = on_and_off.compute(on_and_off.Inputs(rank=rank), run_experiment("adapters"))
    new, old = found.losses.T
    quarter = STRENGTHS.index(0.25)
    assert found.outcome.answer == "both"
    assert abs(old[quarter] - old[0]) < 0.05 and new[quarter] < new[0] - 1
    assert old[0] < 0.5 and found.lost > 1, "without the update the old model is back"


@pytest.mark.measured("today/5-adapters", "A server has one model and a thousand users")
def test_rank_1_has_about_a_hundredth_of_the_models_numbers() -> None:
    found = result(0)
    assert 0.005 < found.n_update[1] / found.n_all < 0.015


def test_a_dog_of_which_no_line_begins_eats_and_is_written_of() -> None:
    lines = TEXT.splitlines()
    assert len(lines) == 60 and not any(line.startswith("A dog") for line in lines)
    found = fifty_lines.compute(fifty_lines.Inputs(), run_experiment("adapters"))
    assert found.texts[1].startswith("A cake")
    again = fifty_lines.compute(fifty_lines.Inputs(beginning="A dog"), run_experiment("adapters"))
    assert "ate" in again.texts[4] and "ate" not in again.texts[0].split(".")[0]


def test_full_fine_tuning_uses_dozens_of_directions() -> None:
    found = matrix.compute(matrix.Inputs(rank=2), ExperimentRun(trained("adapters", 0), {}, 0, 80, 80, name="adapters"))
    assert np.all((found.full > 0.1 * found.full[:, :1]).sum(1) >= 24) and found.held.max() < 0.5


@pytest.mark.parametrize("beginning", ["A cake was hungry. It", "A dog was hungry. It"])
def test_the_thin_update_turns_wanted_into_ate(beginning: str) -> None:
    """The opening picture, and the same for a dog, with which no line begins."""
    found = thin_update.compute(thin_update.Inputs(beginning=beginning), run_experiment("adapters"))
    assert found.tokens == (" wanted", " ate")
    assert found.probabilities[0, 0] > 0.99 and found.probabilities[-1, 1] > 0.85
    assert 0.005 < found.n_update / found.n_all < 0.015
