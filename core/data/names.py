"""Names that people type: which one they may have meant."""

import difflib
from collections.abc import Iterable


def near(name: str, known: Iterable[str]) -> str:
    """A question whether one of the known names was meant; "" if none is like it."""
    close = difflib.get_close_matches(name[:80], list(known), 3)
    return f" Did you mean {' or '.join(close)}?" if close else ""
