"""Scripts from templates: values as literals, records by their options."""

import ast

import numpy as np
import pytest

from core.train import experiment
from core.train.experiment import record_of
from core.train.experiments.live import Live
from core.ui.frame.scripts import Code, literal, script


def test_values_go_in_as_literals() -> None:
    made = script(
        """
        text = $text
        n = $n
            # $code
        """,
        text="it's \"$n\" \\ \n'''",
        n=np.float32(0.5),
        code=Code("plain"),
    )
    found = ast.literal_eval(made.splitlines()[0].removeprefix("text = "))
    assert found == "it's \"$n\" \\ \n'''"
    assert made.splitlines()[1:] == ["n = 0.5", "    # plain"]


@pytest.mark.parametrize(
    "value", ["it's", 'say "x"', "'\"", "a\\", (1,), [], ("a", ["b", ()]), True, None, -0.0, "\u202e"]
)
def test_a_literal_reads_as_what_it_was(value: object) -> None:
    assert ast.literal_eval(literal(value)) == value
    assert literal(value).isprintable()


@pytest.mark.parametrize("value", [object(), float("nan"), {"a": float("inf")}])
def test_what_has_no_literal_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="literal"):
        literal(value)


def test_a_name_without_a_value_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        script("$missing")


def live(step: int = 300, **options: object) -> Live:
    given = {"corpus": "python-topics", "n_step": 300} | options
    return Live({}, given, seed=0, step=step, n_step=300, is_running=False, is_example=True)


def test_the_record_that_ships_is_read_and_not_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("trained anew")

    monkeypatch.setattr(experiment, "_trained", fail)
    assert "val_loss.masked" in record_of("cheating", n_step=300)
    with pytest.raises(AssertionError):
        record_of("cheating", seed=1)


def test_other_options_are_trained_and_come_out_the_same_each_time() -> None:
    first, second = (record_of("cheating", seed=1, until=2) for _ in range(2))
    assert first["curve.masked.step"].tolist() == [1, 2]
    np.testing.assert_array_equal(first["curve.masked.loss"], second["curve.masked.loss"])


def test_what_there_is_not_is_refused_in_plain_words() -> None:
    with pytest.raises(ValueError, match="no experiment"):
        record_of("nothing")
    with pytest.raises(ValueError, match="n_step=0"):
        record_of("cheating", n_step=0)
