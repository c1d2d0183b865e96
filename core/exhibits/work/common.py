"""What the exhibits of this room share: guesses, a sentence to ask about, and records as keys of results."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.data import referents
from core.data.synthetic import NOUNS, BottleAndCup
from core.ui import controls
from core.ui.live import Live

if TYPE_CHECKING:
    from core.train.experiment import Record

NOT_YET = "not yet"
SHOW = "show"
MAX_RESULTS = 64  # of some kilobytes, but each holds on to its record of some hundred


@dataclass(frozen=True)
class Trained:
    """A record that can be the key of a result: two are equal where their weights are.

    Attributes:
        digest: of all trained weights.
        record: of the experiment.
    """

    digest: str
    record: "Record" = field(compare=False, repr=False)


def trained(live: Live) -> Trained:
    """The models of what is shown now."""
    digest = hashlib.sha256()
    for name in sorted(name for name in live.record if name.startswith("model.")):
        digest.update(name.encode() + live.record[name].tobytes())
    return Trained(digest.hexdigest(), live.record)


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
    """The guess beside what came, in one sentence; empty where nobody guessed."""
    return f" You guessed: {answers[answer]}. What came: {came}." if answer in answers else ""


def ask_sentence(prefix: str) -> BottleAndCup:
    """Ask for the two nouns and the ending of the sentence.

    Args:
        prefix: of the controls' names.
    """
    one, two, three = st.columns([1, 1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        first = controls.select(f"{prefix}_first", "Water from the …", list(NOUNS), NOUNS[0])
    with two:
        second = controls.select(f"{prefix}_second", "into the …", list(NOUNS), NOUNS[1])
    with three:
        ending = controls.segmented(f"{prefix}_ending", "until it was …", list(referents.ENDINGS), "full")
    if first == second:
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
        st.caption(f"Water cannot be poured from the {first} into itself, so the second one is the {second} here.")
    return BottleAndCup(first, second, ending)


def percent(share: float) -> str:
    """A share as whole percent, as "46 %"."""
    return f"{share:.0%}".replace("%", " %")
