"""The cost of a racer's settings before anything runs: parameters, and the steps that the same work for all allows.

Work is counted, not timed (`core.train.estimate.Work`), so the speed or load of the machine doesn't matter.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from core.classroom.race.settings import Settings
from core.classroom.state import Race

BATCH_SIZE = 16
MOST_STEPS = 20_000
BESIDE = 1.0  # seconds of a run besides its steps: reading the text, building the model, frames, last validation


@dataclass(frozen=True)
class Plan:
    """The plan for a run of the race."""

    recipe: dict[str, object]  # of the run, in the form that the store of runs takes
    n_parameter: int  # exact
    n_step: int  # as many as the work allows
    seconds: float  # on one core of this machine, within a factor of two
    bits_per_nat: float  # the factor from a loss in nats per token to bits per byte of the text


def plan(race: Race, settings: Settings) -> Plan:
    """Return the plan for one racer's settings."""
    return _plan(race.text, race.seconds, settings)


def vocabulary(recipe: Mapping[str, object]) -> int:
    """Return the vocabulary size of a race's recipe."""
    return _cut(recipe["corpus"], recipe["tokenizer"])[0]


@lru_cache(maxsize=4096)
def _plan(text: str, seconds: int, settings: Settings) -> Plan:
    from core.models import registry
    from core.train import estimate
    from core.train.recipes import Recipe

    vocab_size, bits_per_nat = _cut(text, settings.tokenizer)
    given = Recipe(**_recipe(text, settings, n_step=1))
    config = given.config(vocab_size)
    model = registry.empty(config)
    work = estimate.work_per_step(config, model, given)
    n_step = min(MOST_STEPS, max(1, math.floor(seconds / work.seconds(estimate.REFERENCE))))
    recipe = _recipe(text, settings, n_step)
    here = estimate.estimate(Recipe(**recipe), vocab_size)
    return Plan(recipe, estimate.count_parameters(model), n_step, here.seconds + BESIDE, bits_per_nat)


def _recipe(text: str, settings: Settings, n_step: int) -> dict[str, Any]:
    from core.ui.training.choices import VOCABULARIES, Choice, recipe_of

    vocab = VOCABULARIES.get(settings.tokenizer)
    choice = Choice(corpus=text, vocab=vocab, n_step=n_step, batch_size=BATCH_SIZE, **asdict(settings))
    return recipe_of(choice, "Race") | {"name": "race", "split": "text"}


@lru_cache(maxsize=32)
def _cut(text: str, tokenizer: str) -> tuple[int, float]:
    """Return the vocabulary size, and the factor from nats per token to bits per byte on the held-out part."""
    from core.data import corpora, tokenizers
    from core.ui.training.choices import VOCABULARIES

    learned, held_out = corpora.split(corpora.load(text).text)
    cutter = tokenizers.train(tokenizer, learned, VOCABULARIES.get(tokenizer))
    return cutter.vocab_size, len(cutter.encode(held_out)) / len(held_out.encode()) / math.log(2)
