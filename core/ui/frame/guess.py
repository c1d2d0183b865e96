"""Predict first: a guess before the result is shown, for exhibits that could surprise."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.inputs import NOT_YET as NOT_YET
from core.inputs import SHOW as SHOW
from core.inputs import told as told
from core.ui.controls import controls


def guess(name: str, question: str, answers: Mapping[str, str]) -> str:
    """Ask for a guess before the result is shown.

    Args:
        answers: short name -> what is offered.

    Returns:
        The short name of the answer, `NOT_YET`, or `SHOW` for who wants to see it without a guess.
    """
    labels = {NOT_YET: "Still thinking", **answers, SHOW: "Just show me"}
    return controls.segmented(name, question, list(labels), NOT_YET, labels=labels)


def without(record: Mapping[str, Any], hidden: Sequence[str]) -> dict[str, Any]:
    """The arrays of a record that may be seen while a guess is open.

    Args:
        record: of an experiment: "curve.<variant>.<what>", "model.<variant>.<parameter>", ...
        hidden: variants that have still to be guessed.
    """
    return {name: values for name, values in record.items() if not set(name.split(".")[1:]) & set(hidden)}
