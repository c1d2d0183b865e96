"""Predict first: a guess before the result is shown, for exhibits that could surprise."""

from collections.abc import Mapping

from core.ui import controls

NOT_YET = "not yet"
SHOW = "show"


def guess(name: str, question: str, answers: Mapping[str, str]) -> str:
    """Ask for a guess before the result is shown.

    Args:
        answers: short name -> what is offered.

    Returns:
        The short name of the answer, `NOT_YET`, or `SHOW` for who wants to see it without a guess.
    """
    labels = {NOT_YET: "I am thinking", **answers, SHOW: "Just show me"}
    return controls.segmented(name, question, list(labels), NOT_YET, labels=labels)


def told(answer: str, answers: Mapping[str, str], came: str) -> str:
    """The guess beside what came, in one sentence after a space; empty where nobody guessed."""
    return f" You guessed: {answers[answer]}. What came: {came}." if answer in answers else ""
