"""The picture of the logit lens; with several frames, a film of a training run."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.inspect.logit_lens import logit_lens_row_names


def lens_picture(
    frames: Mapping[str, NDArray[np.generic]],
    *,
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    key: str,
    label: str = "",
    takeaway: str = "",
    steps: Sequence[int] = (0,),
    notes: Sequence[str] = (),
) -> None:
    """Draw the logit lens. Only tokens that are shown are sent to the browser.

    Args:
        frames: top, probabilities: (N, R, T, n) ids of the most probable tokens of each layer and position, and their
            probabilities; rank, truth: (N, R, T) rank and probability of the token that comes next; rank 0 if there is
            none.
        tokens: (T,) of the text.
        steps, notes: (N,) training step and note of each frame.

    Raises:
        ValueError: if the shapes differ.
    """
    n_row = frames["top"].shape[1]
    shape = (len(steps), n_row, len(tokens))
    for name, array in frames.items():
        if array.shape[:3] != shape:
            raise ValueError(f"{name} {array.shape} does not match {shape}: frames, layers, tokens")
    used, places = np.unique(frames["top"], return_inverse=True)
    ui.mount_widget(
        "lens",
        key=key,
        is_compressed=len(steps) > 1,
        label=label,
        takeaway=takeaway or label,
        plain=not ui.depth_at_least("numbers"),
        steps=[int(step) for step in steps],
        notes=list(notes) or [""] * len(steps),
        rows=logit_lens_row_names(n_row - 1),
        tokens=list(tokens),
        words=[vocabulary[int(i)] for i in used],
        top=places.reshape(frames["top"].shape),
        probabilities=frames["probabilities"].astype(np.float16),
        rank=frames["rank"].astype(np.int32),
        truth=np.nan_to_num(frames["truth"].astype(np.float32)),
    )
