"""What the exhibits of the pixels that are written share: the trained models, and the judge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.cache import memoize
from core.models.image_gpt import ImageGPT
from core.rooms.pixels.compute import pixel_bits, pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.experiments import pixels as task
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.frame import scripts
from core.ui.frame.scripts import Code
from core.ui.training import live
from core.ui.training.digit_reader import NAME as JUDGE
from core.ui.training.digit_reader import Reader, reader_of
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained

NAME = "pixels"
NO_JUDGE = "Nothing here can recognize the digits yet: the ViT of the room “Patches” isn't trained."


@dataclass(frozen=True)
class Writer:
    """The two models that write, and how many levels of gray they know.

    Attributes:
        models: their weights, as the key of what is computed from them.
        n_level: levels of gray.
    """

    models: Trained
    n_level: int


def writer_of(shown: Live) -> Writer:
    """The models of a training of pixels."""
    return Writer(trained(shown), int(shown.options["n_level"]))


def record_in_script() -> Code:
    """How a script gets the training's record, which imports `record_of`."""
    shown = live.current(NAME)
    assert shown is not None  # its models are open
    return scripts.record(NAME, shown)


def in_script(writer: Writer, order: str) -> Code:
    """How a script makes the model of this order, which imports `rebuild`, `record_of` and the module `pixels`."""
    return Code(f'rebuild({record_in_script()}, "{order}", pixels.config({writer.n_level})).float()')


def current() -> Writer | None:
    """The models that the training above shows now; None, after plain words, if there are none."""
    shown = latest(NAME)
    return None if shown is None else writer_of(shown)


def judge() -> Reader | None:
    """The ViT that is shown now in the room of the patches: it tells which digit a picture shows."""
    shown = live.current(JUDGE)
    return None if shown is None else reader_of(shown)


@memoize(8)
def open_writer(writer: Writer, order: str) -> ImageGPT:
    """The model that writes in this order, not to be changed."""
    model: ImageGPT = rebuild(writer.models.record, order, task.config(writer.n_level)).float()
    return model


@memoize(MAX_RESULTS)
def bits(writer: Writer, order: str) -> NDArray[np.float64]:
    """(360, 64) bits of each pixel of the held-out digits, in the order of writing."""
    held = pixel_text.texts(writer.n_level, order)[1]
    found: NDArray[np.float64] = writing.bits(open_writer(writer, order), held).double().numpy()
    return found


def ngram_title(n_level: int, order: str) -> str:
    """The best n-gram in words."""
    n, smoothing = pixel_bits.best_ngram(n_level, order)
    return f"{n}-gram, {pixel_bits.TITLES[smoothing]}"
