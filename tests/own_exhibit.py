"""An exhibit of a test's own: a function that draws, with its words."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from core.exhibit import Inputs
from core.ui.exhibit.exhibit import Exhibit
from core.ui.exhibit.exhibit_text import _parse


class Nothing(Inputs):
    """Asks for nothing."""


def exhibit(
    draw: Callable[..., object],
    title: str,
    words: str = "what is drawn.",
    *,
    compute: Callable[..., Any] = lambda _: SimpleNamespace(arrays=dict),
    inputs: type[Inputs] = Nothing,
    **more: Any,
) -> Exhibit:
    """One whose name is that of the function.

    Args:
        draw: called with the result and the inputs.
        words: what stands below the title in its file.
        more: further names of its module.
    """
    name = draw.__name__.replace("_", "-")
    module = {"__name__": f"tests.own.{name}", "Inputs": inputs, "compute": compute, "draw": draw, "FOLLOWS": True}
    return Exhibit(SimpleNamespace(**module | more), _parse(f"# {title}\n\n{words}"), name)
