"""The probabilities of a few answers; see `assets/widgets/patches/answer_bars.js`."""

from collections.abc import Sequence
from typing import Any

from core.browser.message import pack
from core.ui.widgets.mount import mount


def answer_bars(
    names: Sequence[str],
    now: Any,
    before: Sequence[float] | None = None,
    *,
    right: int | None = None,
    before_title: str = "before",
    key: str,
) -> None:
    """One lying bar for each answer, in the order given, with its number; strokes where it stood before.

    Args:
        names: of the answers; each once.
        now: their probabilities; the browser may compute them, see `core.ui.exhibit.computed`.
        before: others, drawn as upright strokes.
        right: the place of the right answer, marked with a tick and another color.
        before_title: what the strokes are.
        key: names the instance.
    """
    header = {"widget": "answer_bars", "names": names, "now": now, "before": before, "right": right}
    header |= {"before_title": before_title, "label": "The answer"}
    mount("answer_bars", key, pack(header, {}), height=200)


def in_percent(p: float) -> str:
    """A probability with one decimal; what is not quite 100% does not say so."""
    return "> 99.9%" if 0.9995 <= p < 1 else f"{p:.1%}"
