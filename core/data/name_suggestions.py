"""Suggestions for mistyped names."""

import difflib
from collections.abc import Iterable

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)


def suggest_names(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the known names that are similar; "" if none is.

    Case, spaces and underscores are ignored. If no whole name is similar, the part after the last dot is compared:
    `one-head` and `attention.one-head` both suggest `heads.one-head`.
    """
    typed, names = _plain(name[:80]), {_plain(one): one for one in known}
    close = difflib.get_close_matches(typed, names, 3)
    if not close:
        tails = {one.rpartition(".")[2]: one for one in names if "." in one}
        close = [tails[one] for one in difflib.get_close_matches(typed.rpartition(".")[2], tails, 3, cutoff=0.8)]
    close = [names[one] for one in close]
    if not close:
        return ""
    key = ("did_you_mean", "did_you_mean_two", "did_you_mean_three")[len(close) - 1]
    return " " + LABELS(key, **dict(zip(("first", "second", "third"), close, strict=False)))


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
