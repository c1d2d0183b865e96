"""The stages of a multi-scale model, drawn to scale; see `assets/widgets/multiscale/stages.js`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

if TYPE_CHECKING:
    from core.rooms.multiscale.compute.stages import StageSize

MAX_STAGES = 6  # further ones are too small beside the first to be seen


def stages(found: Sequence["StageSize"], *, key: str, label: str, takeaway: str) -> None:
    """Draw each stage as a stack of its channels, and the windows of the chosen one. Nothing asks the server.

    Raises:
        ValueError: if there are none or too many.
    """
    if not 1 <= len(found) <= MAX_STAGES:
        raise ValueError(f"{len(found)} stages; a picture shows between 1 and {MAX_STAGES}")
    mount("stages", key, pack({"widget": "stages", "stages": [asdict(one) for one in found], "label": label,
                               "takeaway": takeaway}, {}))  # fmt: skip
