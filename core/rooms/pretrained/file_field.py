"""The field for a model's files, `assets/widgets/pretrained/file_field.js`, which sends them to `model_uploads`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from core.browser.message import pack
from core.ui.widgets.mount import index, renderer

MOST = 10_000  # files, of which a browser may speak


class Sending(NamedTuple):
    """The files that were chosen in the browser: how many are still to come, and how many didn't."""

    coming: int
    failed: int


def file_field(here: Mapping[str, int], *, key: str, turn: int) -> Sending:
    """Draw the field.

    Args:
        here: what has come already, name -> bytes.
        turn: another one begins the list anew.
    """
    header = {"here": [[name, n_byte] for name, n_byte in here.items()], "turn": turn}
    # Not by `mount`: an exhibit's web page has no server that takes files.
    field = renderer("file_field", height=150)(key=key, data=pack(header, {}), on_sending_change=_ignore)
    said: Any = getattr(field, "sending", None)
    parts = said if isinstance(said, Mapping) else {}
    return Sending(index(parts.get("coming"), MOST) or 0, index(parts.get("failed"), MOST) or 0)


def _ignore() -> None:
    """A state of a component exists only when it has a callback."""
