"""Runs other than the examples agree with the lessons: the learner's own, and those with other seeds."""

import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from benchmarks import seeds
from core.data.synthetic import BottleAndCup, referents, reviews
from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.rooms.encoder import class_attention
from core.rooms.encoder.experiments import finetune
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.experiments.three_switches import VARIANT_CONFIGS
from core.train import experiment
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.training import live_experiments
from tests.library.learning.once import trained
from tests.library.lessons.asked import questions

pytestmark = pytest.mark.full


@pytest.fixture
def mine() -> Iterator[Any]:
    """Make a run count as the learner's own in answers."""
    with pytest.MonkeyPatch.context() as patch:

        def show(name: str, seed: int, **options: Any) -> None:
            record = trained(name, seed, **options)
            n = experiment.make_experiment(name, options, seed).n_step
            full = MappingProxyType(vars(experiment.parse_experiment_options(name, options)))
            patch.setattr(
                live_experiments,
                "own_experiment_run",
                lambda which, meant: ExperimentRun(record, full, seed, n, n, False, False),
            )

        yield show


def came(place: str) -> Any:
    found = compute_answer(questions()[place])
    assert isinstance(found, ComputedAnswer)
    return found.value


@pytest.mark.parametrize("seed", [0, 1])
def test_one_look_finds_names(mine: Any, seed: int) -> None:
    mine("entities", seed, n_layer=1)
    assert came("bert/10") == "all"


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.measured("11-bert", "“soup not good.”")
def test_without_the_dish_blame_becomes_praise(seed: int) -> None:
    model = finetune.recorded_classifier(trained("finetune", seed), "full", n_label=1_000)
    seen = class_attention.read_class_attention(model, reviews.WORDS.encode(reviews.tokenize_review("soup not good.")))
    assert [int(p.argmax()) for p in seen.without[:2]] == [reviews.BLAME, reviews.PRAISE]


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_no_single_layer_turns(seed: int) -> None:
    model = rebuild_model(trained("three-switches", seed), "one_layer", VARIANT_CONFIGS["one_layer"])
    shares = []
    for ending in referents.ENDINGS:
        rows = naming.resolve_it(model, BottleAndCup("bottle", "cup", ending)).rows.astype(float)
        shares.append(
            rows[..., referents.FIRST_POSITION]
            / (rows[..., referents.FIRST_POSITION] + rows[..., referents.SECOND_POSITION])
        )
    assert shares[0] == pytest.approx(shares[1], abs=1e-6)


def test_one_block_translates(mine: Any) -> None:
    mine("translation", 0, n_layer=1)
    assert came("t5/9") == "all"


@pytest.mark.parametrize("seed", [0, 1])
def test_a_slant_is_learned_first(mine: Any, seed: int) -> None:
    mine("captions", seed, n_step=400)
    assert came("pixels-and-captions/9") == "slant"


@pytest.mark.parametrize(("seed", "right"), [(0, 29), (2, 43), (3, 100)])
@pytest.mark.measured("15-three-switches", "How often will **your**")
@pytest.mark.measured("15-three-switches", "“It” reads the bottle")
def test_a_single_layer_is_a_matter_of_luck(mine: Any, seed: int, right: int) -> None:
    mine("three-switches", seed)
    assert came("three-switches/7") == right


@pytest.mark.parametrize(("seed", "outcome"), [(0, "born"), (2, "begun")])
@pytest.mark.measured("16-induction", "Will yours learn")
def test_one_head_in_each_layer(mine: Any, seed: int, outcome: str) -> None:
    mine("induction", seed, n_head=1)
    assert came("induction/7") == outcome


@pytest.mark.measured("17-lecture-notes", "How does the class")
def test_the_class_as_written_adds_nothing(mine: Any) -> None:
    mine("lecture", 1, longest=8)
    assert came("lecture-notes/11") == "same"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("bert/5", dict.fromkeys((1, 2), "at once: “a (apple|bun|cake)”")),  # which one depends on the processor, too
        ("counting-to-attention/7", {1: "own", 2: "right"}),
        ("three-switches/2", {1: r"\*\*39%\*\*", 2: r"\*\*46%\*\*"}),
        ("induction/4", {1: "around step 90", 2: "around step 130"}),
    ],
)
@pytest.mark.measured("11-bert", "Which pair")
@pytest.mark.measured("08-counting-to-attention", "In this training, where")
@pytest.mark.measured("15-three-switches", "With a causal mask")
@pytest.mark.measured("16-induction", "Draw the loss")
def test_what_the_lessons_say_of_two_other_trainings(place: str, said: Any, tmp_path: Path) -> None:
    for seed, words in said.items():
        with seeds.luck(seed, tmp_path):
            found = compute_answer(questions()[place])
            assert isinstance(found, ComputedAnswer) and (words == found.value or re.search(words, found.sentence))
