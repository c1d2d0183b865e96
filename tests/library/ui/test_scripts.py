"""Scripts: values as literals, records by their options."""

import ast

import numpy as np
import pytest

from core.train import experiment
from core.train.experiment import experiment_record
from core.ui.exhibit.program import _literal


@pytest.mark.parametrize(
    "value", ["it's", 'say "x"', "'\"", "a\\", (1,), [], ("a", ["b", ()]), True, None, -0.0, "\u202e"]
)
def test_a_literal_reads_as_what_it_was(value: object) -> None:
    assert ast.literal_eval(_literal(value)) == value
    assert _literal(value).isprintable()


@pytest.mark.parametrize("value", [object(), float("nan"), {"a": float("inf")}])
def test_what_has_no_literal_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="literal"):
        _literal(value)


def test_the_record_that_ships_is_read_and_not_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("trained anew")

    monkeypatch.setattr(experiment, "_trained", fail)
    assert "val_loss.masked" in experiment_record("cheating", n_step=300)
    with pytest.raises(AssertionError):
        experiment_record("cheating", seed=1)


def test_other_options_are_trained_and_come_out_the_same_each_time() -> None:
    first, second = (experiment_record("cheating", seed=1, until=2) for _ in range(2))
    assert first["curve.masked.step"].tolist() == [1, 2]
    np.testing.assert_array_equal(first["curve.masked.loss"], second["curve.masked.loss"])


def test_what_there_is_not_is_refused_in_plain_words() -> None:
    with pytest.raises(ValueError, match="no experiment"):
        experiment_record("nothing")
    with pytest.raises(ValueError, match="n_step=0"):
        experiment_record("cheating", n_step=0)
