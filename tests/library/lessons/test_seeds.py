"""Answers with other seeds look at what was trained with that seed, and at the example again afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest
import safetensors.numpy

from benchmarks import seeds
from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.lessons.format import catalog
from core.lessons.format.lesson import ChoiceForm, CurveAnswerForm, NumberForm, PredictQuestion
from core.train.experiment import unpack_record
from tests.library.lessons.asked import questions


def came(place: str) -> Any:
    found = compute_answer(questions()[place])
    assert isinstance(found, ComputedAnswer)
    return found.value


def put(name: str, options: dict[str, Any], folder: Path, **factors: float) -> None:
    """The example as the record of seed 1, its arrays of these names multiplied."""
    record, about = unpack_record(seeds.place(name, {}, 0, folder).read_bytes())
    path = seeds.place(name, options, 1, folder)
    path.parent.mkdir(exist_ok=True)
    changed = {
        key: (array * factor).astype(array.dtype) for key, array in record.items() if (factor := factors.get(key))
    }
    about["step"] += 1  # its weights are those of the example, and what comes of equal trainings is computed once
    path.write_bytes(safetensors.numpy.save({**record, **changed}, {"about": json.dumps(about)}))


def test_an_answer_looks_at_the_training_of_the_seed(tmp_path: Path) -> None:
    put("own-tokens", {}, tmp_path, **{"bits.stories": 0.5})
    shown = came("tokens/10")
    with seeds.luck(0, tmp_path) as asked:
        assert came("tokens/10") == shown
    assert asked == {"own-tokens"}
    with seeds.luck(1, tmp_path):
        assert came("tokens/10") == pytest.approx(shown / 2, abs=1)
    assert came("tokens/10") == shown


def test_what_the_learner_trains_is_found_by_its_options(tmp_path: Path) -> None:
    put("induction", {"n_head": 1}, tmp_path)
    with seeds.luck(1, tmp_path) as asked:
        assert came("induction/7") == "born"
    assert asked == {"own induction"}


def test_what_is_not_in_the_folder_is_trained_once(tmp_path: Path) -> None:
    one, again = (seeds.trained("beam-truth", {"n_step": 2}, 1, tmp_path) for _ in range(2))
    assert (one.seed, one.step, one.options["n_step"]) == (1, 2, 2)
    assert len(list(tmp_path.rglob("*.safetensors"))) == 1 and one.record.keys() == again.record.keys()


def test_what_rests_on_no_seed_is_computed_once(tmp_path: Path) -> None:
    asked = [
        part
        for step in catalog.catalog_lessons()["masks"].steps
        for part in step.parts
        if isinstance(part, PredictQuestion)
    ]
    assert seeds.row("masks", asked[0], [0, 1, 2], tmp_path).endswith("| 21 | same | same |  | fixed |")


def test_answers_that_differ_are_marked() -> None:
    assert seeds.differs(ChoiceForm(options={"a": "A", "b": "B"}), ["a", "b", "a"]) == "**yes**"
    assert seeds.differs(NumberForm(low=0, high=50), [10, 15, 10]) == "10%"
    curve = CurveAnswerForm(x=(0, 1), low=0, high=4, x_title="", y_title="")
    assert seeds.differs(curve, [[1, 2], [1, 3]]) == "25%" and seeds.differs(curve, [[1, 2], [1, 2]]) == ""
