"""The sentence about a control that cannot be moved."""

from collections.abc import Mapping
from typing import Literal

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)
LockReason = Literal["lesson", "lock", "hide"]  # a lesson, or the link's parameter of this name
_SENTENCES: Mapping[LockReason, str] = {"lesson": "is.lesson", "lock": "is.lock", "hide": "is.hide"}
THIS_IS: Mapping[LockReason, str] = LABELS.options("this_is", "lesson", "lock", "hide")  # of a control without a label
BUTTON_HELP: Mapping[LockReason, str] = LABELS.options("button_help", "lesson", "lock", "hide")
CAPTIONS: Mapping[LockReason, str] = LABELS.options("caption", "lesson", "lock", "hide")
TAGS: Mapping[LockReason, str] = LABELS.options("tag", "lesson", "lock", "hide")  # behind a control in the browser


def lock_sentence(reason: LockReason, label: str) -> str:
    """Say what keeps the control with this label from being moved."""
    return LABELS(_SENTENCES[reason], label=label)
