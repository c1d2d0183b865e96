"""Conditions for when a task on a page is done, as written in lessons (`when:`) and chips to try:

    temperature < 0.3              a control of the exhibit above; =, !=, <, <=, >, >=
    changed temperature            it no longer has the value that it had when the step began
    walk_edits like *scores*=9     a text that matches this pattern, with * for anything
    changed lookup_numbers         the same for a value that `core.ui.controls.picks.set_address_value` has stored
    clicked heads.grid             something was selected in this picture (`core.ui.controls.picks.new_pick`)
    trained induction              this learner's own run of the experiment, with the exhibit's settings, has ended
    trained studio                 a run of this learner in the training studio has ended
    temperature < 0.3 and top_k = 0

Control names are the exhibit's, without the prefix that they have in the address of a lesson. A text may be quoted; a
choice is compared by its key. Several values of one control are compared in order, separated by commas:
`merges = a, b`. "and" joins conditions, all of which must hold.
"""

import fnmatch
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.ui.controls import picks
from core.ui.controls.drawn_controls import ControlState
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.training import live_experiments
from core.ui.training.run_storage import run_store

LABELS = module_labels(__name__)

STUDIO, LIKE = "studio", "like"
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_NAME = r"[a-z][a-z0-9_.]{0,63}"
COMPARISON = re.compile(rf"({_NAME})\s*(<=|>=|!=|<|>|=|like\s)\s*([^<>=].*)")
EVENT = re.compile(rf"(changed|clicked)\s+({_NAME})|(trained)\s+([a-z0-9-]+)")
MAX_CHARS = 300
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")


@dataclass
class StepBaseline:
    """The state of a step when each control or picture was first seen, to detect what has been done since."""

    controls: dict[str, object] = field(default_factory=dict)  # the value of each control, by its name in the address
    clicked: dict[str, object] = field(default_factory=dict)  # the selection in each picture
    # the address's values under names that no control has
    address_values: dict[str, str | None] = field(default_factory=dict)

    def note_new(self, now: Mapping[str, ControlState]) -> None:
        """Record the controls that are new."""
        for name, asked in now.items():
            self.controls.setdefault(name, asked.value)

    def has_changed(self, name: str, prefix: str, now: Mapping[str, ControlState]) -> bool:
        """Return whether a control's value has changed, or the value in the address if no control has this name."""
        for known in (prefix + name, name):
            if known in now:
                return bool(now[known].value != self.controls.setdefault(known, now[known].value))
        said: str | None = st.query_params.get(name)
        return said != self.address_values.setdefault(name, said)

    def was_clicked(self, picture: str) -> bool:
        """Return whether something has been selected in a picture since it was first seen."""
        chosen = picks.last_pick(picture)
        return bool(chosen != self.clicked.setdefault(picture, chosen)) and chosen is not None


def condition_problem(when: str, experiments: frozenset[str]) -> str | None:
    """Return a message on what is wrong with a condition, or None if it is valid.

    Args:
        experiments: all experiments that can be trained.
    """
    if len(when) > MAX_CHARS:
        return LABELS("too_long", most=MAX_CHARS)
    for one in split_conjunction(when):
        word = EVENT.fullmatch(one)
        if word is not None and word[3] and word[4] not in experiments:
            return LABELS("no_experiment", name=repr(word[4]), names=", ".join(sorted(experiments)))
        comparison = COMPARISON.fullmatch(one)
        if word is None and comparison is None:
            return LABELS("not_a_condition", condition=repr(one))
        is_order = comparison is not None and comparison[2].strip() not in ("=", "!=", LIKE)
        if comparison is not None and is_order and not _is_number(_expected_value(comparison[3])):
            return LABELS("not_a_number", condition=repr(one), comparison=comparison[2])
    return None


def split_conjunction(when: str) -> list[str]:
    """Split a condition into the parts joined by "and"."""
    return [one.strip() for one in re.split(r"\sand\s", when)]


def names_in_condition(when: str) -> list[str]:
    """Return the controls and pictures that a condition names."""
    found = [EVENT.fullmatch(one) or COMPARISON.fullmatch(one) for one in split_conjunction(when)]
    return [str(one[2] if one.re is EVENT else one[1]) for one in found if one and (one.re is COMPARISON or one[1])]


def is_condition_met(when: str, prefix: str, now: Mapping[str, ControlState], since: StepBaseline) -> bool:
    """Return whether all parts of the condition hold, for controls whose names in the address begin with `prefix`."""
    held = [
        _holds(one, prefix, now, since) for one in split_conjunction(when)
    ]  # all are evaluated, so that each records its start
    return all(held)


def _expected_value(text: str) -> object:
    """Return the value in a comparison: true or false, a number, or a text, which may be quoted."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _NUMBER.fullmatch(text):
        return int(text) if text.lstrip("+-").isdecimal() else float(text)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def _holds(one: str, prefix: str, now: Mapping[str, ControlState], since: StepBaseline) -> bool:
    word = EVENT.fullmatch(one)
    if word is not None and word[3]:
        return _has_trained(word[4])
    if word is not None:
        return since.was_clicked(word[2]) if word[1] == "clicked" else since.has_changed(word[2], prefix, now)
    comparison = COMPARISON.fullmatch(one)
    if comparison is None:
        return False
    asked = now.get(prefix + comparison[1], now.get(comparison[1]))
    if comparison[2].strip() == LIKE:
        said = ", ".join(asked.address_values) if asked else st.query_params.get(prefix + comparison[1], "")
        return fnmatch.fnmatchcase(said, comparison[3])
    if asked is None:
        return False
    value, compare = _expected_value(comparison[3]), _COMPARE[comparison[2]]
    if comparison[2] in ("=", "!="):
        return compare(True, _is_same(asked, value, comparison[3]))
    return _is_number(asked.value) and _is_number(value) and compare(asked.value, value)


def _is_same(asked: ControlState, value: object, text: str) -> bool:
    if isinstance(asked.value, bool) or isinstance(value, bool):
        return asked.value is value
    return value == asked.value or (str(value),) == asked.address_values or text == ", ".join(asked.address_values)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_trained(name: str) -> bool:
    if name == STUDIO:
        return any(run.state == "finished" for run in run_store().list(owner_id()))
    own = live_experiments.own_experiment_run(name)
    return own is not None and own.is_done
