"""When something is done: the conditions that a lesson's "do this" waits for.

temperature < 0.3              a control of the exhibit above; =, !=, <, <=, >, >=
changed temperature            it no longer stands where it stood when the step began
trained induction              this learner's own training of the experiment has ended
temperature < 0.3 and top_k = 0
"""

import operator
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import yaml

from core.ui import live
from core.ui.asked import Asked

_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "<=": operator.le,
        ">=": operator.ge,
        "!=": operator.ne,
        "<": operator.lt,
        ">": operator.gt,
        "=": operator.eq,
    }
)
_NAME = r"[a-z][a-z0-9_.]*"
_COMPARISON = re.compile(rf"({_NAME})\s*(<=|>=|!=|<|>|=)\s*(.+)")
_WORD = re.compile(rf"(changed)\s+({_NAME})|(trained)\s+([a-z0-9-]+)")


def check_condition(when: str) -> str | None:
    """What is wrong with a condition, in plain words."""
    from core.train.experiment import EXPERIMENTS

    for one in _parts(when):
        word = _WORD.fullmatch(one)
        if word is not None and word[3] and word[4] not in EXPERIMENTS:
            return f"There is no experiment {word[4]!r}."
        if word is None and _COMPARISON.fullmatch(one) is None:
            return f"{one!r} is no condition: use “name < value”, “changed name” or “trained experiment”."
    return None


def is_done(when: str, prefix: str, now: Mapping[str, Asked], first: Mapping[str, Asked]) -> bool:
    """Whether all parts of the condition hold.

    Args:
        prefix: of the exhibit's controls in the address.
        now, first: the controls of the page as they stand, and as they stood when the step began.
    """
    return all(_holds(one, prefix, now, first) for one in _parts(when))


def _parts(when: str) -> list[str]:
    return [one.strip() for one in re.split(r"\band\b", when)]


def _holds(one: str, prefix: str, now: Mapping[str, Asked], first: Mapping[str, Asked]) -> bool:
    word = _WORD.fullmatch(one)
    if word is not None and word[3]:
        own = live.current(word[4])
        return own is not None and not own.is_example and own.is_done
    if word is not None:
        name = prefix + word[2]
        return name in now and name in first and now[name].value != first[name].value
    comparison = _COMPARISON.fullmatch(one)
    if comparison is None or prefix + comparison[1] not in now:
        return False
    asked, wanted = now[prefix + comparison[1]], yaml.safe_load(comparison[3])
    compare = _COMPARE[comparison[2]]
    if comparison[2] in ("=", "!="):
        return compare(True, wanted == asked.value or (str(wanted),) == asked.written)
    try:
        return compare(asked.value, wanted)
    except TypeError:
        return False
