"""Names that people type: which one they may have meant."""

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str]) -> str:
    """A question whether one of the known names was meant; "" if none is like it.

    Capitals, spaces and underscores don't count. Where no whole name is like it, the part after the last dot is looked
    at: `one-head` and `attention.one-head` for `heads.one-head`.
    """
    typed, names = _plain(name[:80]), {_plain(one): one for one in known}
    close = difflib.get_close_matches(typed, names, 3)
    if not close:
        tails = {one.rpartition(".")[2]: one for one in names if "." in one}
        close = [tails[one] for one in difflib.get_close_matches(typed.rpartition(".")[2], tails, 3, cutoff=0.8)]
    close = [names[one] for one in close]
    return f" Did you mean {' or '.join(close)}?" if close else ""


def _plain(name: str) -> str:
    return name.casefold().replace("_", "-").replace(" ", "-")
