"""A player for the frames of a training run, scrubbed in the browser; `assets/widgets/shared/scrubber.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from core.browser.message_packing import as_levels, pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import mount, none_to_nan, to_nested_lists
from core.ui.widgets.tensors.tensor_picture_base import picture_class_to_function

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class _Scrubber:
    """The player for the frames of a training run, all of which are in the browser.

    Redraw it with more frames during a run: it stays at the newest one unless the person has scrubbed away.

    Raises:
        ValueError: if there are no frames or their attention has different shapes.
    """

    # in order of steps; each with `step`, `loss`, `val_loss` (or None), `sample` (text), `tokens` (of the probe
    # sentence) and `attention` (L, H, T, S), uint8 or 0..1: the attention of the last T of these tokens to the first S.
    # All have one shape; without heads, only the loss and the samples are shown.
    frames: Sequence[Mapping[str, Any]]
    _: KW_ONLY
    key: str  # names the instance
    chance: float | None = None  # the loss of guessing uniformly, ln V, drawn as a line
    label: str = ""  # the title above the picture
    takeaway: str = ""  # one sentence for screen readers
    head: tuple[int, int] = (0, 0)  # the (layer, head) that is initially enlarged
    # the name of `val_loss`, if it is the loss on a part of a task instead of a text
    held_out: str = LABELS["held_out"]
    sample_title: str = LABELS["sample_title"]  # the heading of the samples
    together: str = ""  # films with one name move to a step together

    def mount(self) -> None:
        """Draw the player; nothing is committed."""
        frames = self.frames
        if not frames:
            raise ValueError("a scrubber needs at least one frame")
        attention = [np.asarray(frame["attention"]) for frame in frames]
        shapes = {a.shape for a in attention}
        if len(shapes) != 1 or attention[0].ndim != 4:
            raise ValueError(f"frames hold attention of shapes {sorted(shapes)}; one shape (L, H, T, S) is needed")
        tokens = [list(frame["tokens"]) for frame in frames]
        span = {"n": len(frames), "first": frames[0]["step"], "last": frames[-1]["step"]}
        header = {
            "widget": "scrubber",
            "steps": [int(frame["step"]) for frame in frames],
            "loss": to_nested_lists([none_to_nan(frame.get("loss")) for frame in frames]),
            "val_loss": to_nested_lists([none_to_nan(frame.get("val_loss")) for frame in frames]),
            "samples": [str(frame.get("sample") or "") for frame in frames],
            "tokens": tokens[:1] if all(one == tokens[0] for one in tokens) else tokens,
            "chance": self.chance,
            "head": list(self.head),
            "held_out": self.held_out,
            "sample_title": self.sample_title,
            "together": self.together,
            "label": self.label,
            "takeaway": self.takeaway or LABELS("takeaway", label=self.label or LABELS["training"], **span),
        }
        stacked = np.stack([as_levels(a) for a in attention])
        mount("scrubber", self.key, pack_message(header, {"attention": stacked}, compress=True))


scrubber = picture_class_to_function(_Scrubber)
