"""What the room of experts says of large models, and that its example is what the code makes; see `test_seeds`."""

import pytest

from core.rooms.experts import same_work, trillion
from core.train.experiment import run_experiment
from tests.library.learning.once import remade


@pytest.mark.measured("today/2-experts", "How many billion parameters does Mixtral")
@pytest.mark.measured("today/2-experts", "Which of the two computes more")
def test_a_trillion_parameters() -> None:
    found = trillion.compute(trillion.Inputs())
    assert found.outcome.answer == "gpt3" and found.gpt3.active / found.switch.active > 90
    assert round(found.mixtral.total / 1e9, 1) == 46.7, "less than 8 times 7"
    work = same_work.compute(same_work.Inputs(), run_experiment("routing"))
    assert found.models[0].total == work.parameters["experts"][1]


def test_the_example_is_what_the_code_makes_now() -> None:
    remade("routing", 2)
