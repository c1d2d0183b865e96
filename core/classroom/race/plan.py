"""The cost of a racer's settings before anything runs: parameters, and the steps that the same work for all allows.

Work is counted, not timed (`core.train.estimate.StepWork`), so the speed or load of the machine doesn't matter.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from core.classroom.race.race_settings import RacerSettings
from core.classroom.state import ClassRace
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

BATCH_SIZE = 16
MOST_STEPS = 20_000
OVERHEAD_SECONDS = (
    1.0  # seconds of a run besides its steps: reading the text, building the model, frames, last validation
)


@dataclass(frozen=True)
class RaceRunPlan:
    """The plan for a run of the race."""

    recipe: dict[str, object]  # of the run, in the form that the store of runs takes
    n_parameter: int  # exact
    n_step: int  # as many as the work allows
    seconds: float  # on one core of this machine, within a factor of two
    bits_per_nat: float  # the factor from a loss in nats per token to bits per byte of the text


def plan_race_run(race: ClassRace, settings: RacerSettings) -> RaceRunPlan:
    """Return the plan for one racer's settings."""
    return _plan(race.text, race.seconds, settings)


def race_vocab_size(recipe: Mapping[str, object]) -> int:
    """Return the vocabulary size of a race's recipe."""
    return _cut(recipe["corpus"], recipe["tokenizer"])[0]


@lru_cache(maxsize=4096)
def _plan(text: str, seconds: int, settings: RacerSettings) -> RaceRunPlan:
    from core.models import registry
    from core.train import estimate
    from core.train.recipes import Recipe

    vocab_size, bits_per_nat = _cut(text, settings.tokenizer)
    given = Recipe(**_recipe(text, settings, n_step=1))
    config = given.config(vocab_size)
    model = registry.build_empty(config)
    work = estimate.work_per_step(config, model, given)
    n_step = min(MOST_STEPS, max(1, math.floor(seconds / work.seconds(estimate.REFERENCE_SPEED))))
    recipe = _recipe(text, settings, n_step)
    here = estimate.estimate_cost(Recipe(**recipe), vocab_size)
    return RaceRunPlan(recipe, estimate.count_parameters(model), n_step, here.seconds + OVERHEAD_SECONDS, bits_per_nat)


def _recipe(text: str, settings: RacerSettings, n_step: int) -> dict[str, Any]:
    from core.ui.training.choices_to_recipe import VOCABULARIES, TrainingChoices, recipe_from_choice

    vocab = VOCABULARIES.get(settings.tokenizer)
    choice = TrainingChoices(corpus=text, vocab=vocab, n_step=n_step, batch_size=BATCH_SIZE, **asdict(settings))
    return recipe_from_choice(choice, LABELS["race"]) | {"name": "race", "split": "text"}


@lru_cache(maxsize=32)
def _cut(text: str, tokenizer: str) -> tuple[int, float]:
    """Return the vocabulary size, and the factor from nats per token to bits per byte on the held-out part."""
    from core.data import corpora, tokenizers
    from core.ui.training.choices_to_recipe import VOCABULARIES

    learned, held_out = corpora.split_validation(corpora.load(text).text)
    cutter = tokenizers.train_tokenizer(tokenizer, learned, VOCABULARIES.get(tokenizer))
    return cutter.vocab_size, len(cutter.encode(held_out)) / len(held_out.encode()) / math.log(2)
