"""What the exhibits of the pixels that are written share: the trained models, and the judge."""

from dataclasses import dataclass
from typing import Any

from core.data import pixel_text
from core.inspect import pixel_bits
from core.train.experiment import rebuild
from core.train.experiments import digits as reading
from core.train.experiments import pixels as task
from core.ui import live
from core.ui.cache import kept
from core.ui.live import Live
from core.ui.trained import MAX_RESULTS, Trained, trained

NAME = "pixels"
JUDGE = "digits"
TITLES = {"raster": "row by row", "column": "column by column"}
MISSING = "There is no trained model here yet: press Train above."
NO_JUDGE = "Nobody is here to recognise the digits: the ViT of the room “Patches” is not trained yet."


@dataclass(frozen=True)
class Writer:
    """The two models that write, and how many levels of gray they know.

    Attributes:
        models: their weights, as the key of what is computed from them.
        n_level: levels of gray.
        step: how far the training is.
    """

    models: Trained
    n_level: int
    step: int


@dataclass(frozen=True)
class Judge:
    """The ViT that tells which digit a picture shows.

    Attributes:
        models: its weights, as the key of what is computed from them.
        patch_size, n_layer: its options.
    """

    models: Trained
    patch_size: int
    n_layer: int


def writer(shown: Live | None = None) -> Writer | None:
    """The models that are shown now."""
    shown = live.current(NAME) if shown is None else shown
    if shown is None:
        return None
    return Writer(trained(shown), int(shown.options["n_level"]), shown.step)


def judge() -> Judge | None:
    """The ViT that is shown now in the room of the patches."""
    shown = live.current(JUDGE)
    if shown is None:
        return None
    return Judge(trained(shown), int(shown.options["patch_size"]), int(shown.options["n_layer"]))


@kept(8)
def open_writer(writer: Writer, order: str) -> Any:
    """The model that writes in this order."""
    return rebuild(writer.models.record, order, task.config(writer.n_level)).float()


@kept(4)
def open_judge(judge: Judge) -> Any:
    """The ViT."""
    return rebuild(judge.models.record, "vit", reading.config(judge.patch_size, judge.n_layer)).float()


@kept(MAX_RESULTS)
def bits(writer: Writer, order: str) -> Any:
    """(360, 64) bits of each pixel of the held-out digits, in the order of writing."""
    from core.generate import pixels as writing

    held = pixel_text.texts(writer.n_level, order)[1]
    return writing.bits(open_writer(writer, order), held).double().numpy()


def ngram_title(n_level: int, order: str) -> str:
    """The best n-gram in words."""
    n, smoothing = pixel_bits.best_ngram(n_level, order)
    return f"{n}-gram, {pixel_bits.TITLES[smoothing]}"
