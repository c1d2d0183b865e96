"""The browser widget of a caption: a row of words, and for each word the patches of the picture that it reads."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core import ui
from core.data.localization.labels import module_labels
from core.rooms.captions.compute.captioning import CaptionSteps
from core.ui.widgets.picture_grid import INK_LEVELS

LABELS = module_labels(__name__)
MAX_WORDS, MAX_HEADS, MAX_PICTURES = 32, 32, 4
N_BAR = 5


def caption_film(
    caption: CaptionSteps,
    pixels: ArrayLike,
    *,
    vocabulary: Sequence[str],
    key: str,
    label: str,
    takeaway: str,
    names: Sequence[str] | None = None,
    selected: tuple[int, int] = (1, 0),
) -> None:
    """Draw a caption word by word; pointing at a word or choosing a head needs no request to the server.

    Args:
        caption: its words, and the attention weights of each step; with a single patch, the decoder reads one vector.
        pixels: (N, Y, X) uint8, the pictures that are read, from 0 (paper) to 16 (ink).
        vocabulary: the V words.
        key: names the instance.
        label, takeaway: the title, and the sentence for screen readers.
        names: N names of the pictures.
        selected: the word and the head at first; head 0 is the mean of all, then come those of the first layer.

    Raises:
        ValueError: if the shapes do not match, or there are too many words, heads or pictures.
    """
    p, w, images = caption.probabilities, caption.weights.astype(np.float32), np.asarray(pixels)
    n_word = len(caption.words)
    n_layer, n_head = w.shape[:2]
    turns = caption.reads.tolist()
    if not 0 < n_word <= MAX_WORDS or p.shape != (n_word, len(vocabulary)) or w.shape[2] != n_word:
        raise ValueError(f"{n_word} words, probabilities {p.shape} and weights {w.shape} do not match")
    if n_layer * n_head > MAX_HEADS or not 0 < len(images) <= MAX_PICTURES or images.dtype != np.uint8:
        raise ValueError(f"{n_layer * n_head} heads and pictures {images.shape} are too many, or not uint8")
    if len(turns) != n_word or not set(turns) <= set(range(len(images))):
        raise ValueError(f"{len(turns)} words read pictures {sorted(set(turns))}; there are {len(images)}")
    flat = w.reshape(n_layer * n_head, n_word, -1)  # (L H, T, P)
    maps = ui.to_grid(np.concatenate([flat.mean(0, keepdims=True), flat]))  # (1 + L H, T, rows, columns)
    top = np.argsort(-p, axis=1, kind="stable")[:, :N_BAR]
    ui.mount_widget(
        "caption_film",
        key=key,
        words=list(caption.words),
        top=[[vocabulary[i] for i in row] for row in top.tolist()],
        reads=turns,
        names=list(names or [""] * len(images)),
        heads=[LABELS["mean_of_all"], *(f"{layer}.{head}" for layer in range(n_layer) for head in range(n_head))],
        grid=list(maps.shape[2:]),
        # The end of the scale is the largest weight of all words, rounded up to a twentieth, to keep it stable: of the
        # mean, and of all heads.
        high=[float(min(1.0, np.ceil(float(of.max()) * 20 - 1e-6) / 20)) or 1.0 for of in (maps[0], maps)],
        start=min(selected[0], n_word - 1),
        head=selected[1],
        full=INK_LEVELS,
        label=label,
        takeaway=takeaway,
        pixels=images,
        maps=maps,
        chances=np.take_along_axis(p, top, 1),
    )
