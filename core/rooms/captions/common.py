"""Which trained captioner the exhibits of this room look at, and what they say of a picture and its caption."""

import numpy as np

from core.cache import memoize
from core.data.images import to_digit
from core.inspect.pictures import Picture
from core.models.captioner import Captioner
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captioning import Described, change, describe
from core.rooms.captions.experiments.captions import config
from core.train.experiment import rebuild
from core.ui.frame import scripts
from core.ui.frame.scripts import Code
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained

NAMES = {"patches": "captions", "class": "captions-class"}  # what the decoder reads -> experiment
VARIANT = "captions"
OWN_INK = (  # points of 4 x 4 in a pixel
    " What you draw or upload is first made about as bold as the other digits: thin strokes get "
    f"{to_digit.LEAST_INK / 16:.1f} full pixels of ink, close to where bold begins. After that you can set single "
    "pixels at will."
)


@memoize(MAX_RESULTS)
def captioner(models: Trained, reads: str) -> Captioner:
    """The model, not to be changed."""
    model: Captioner = rebuild(models.record, VARIANT, config(reads)).float()
    return model


@memoize(MAX_RESULTS)
def described(models: Trained, reads: str, picture: Picture) -> Described:
    """What it writes about one picture."""
    return describe(captioner(models, reads), picture.shades)


@memoize(MAX_RESULTS)
def changed(models: Trained, first: Picture, second: Picture, word: int, keep: str) -> Described:
    """What it writes if the picture is changed in mid-sentence."""
    return change(captioner(models, "patches"), first.shades, second.shades, word, keep)


def current(reads: str = "patches") -> Trained | None:
    """The captioner that its training shows now; None, after plain words, if there is none."""
    shown = latest(NAMES[reads])
    return None if shown is None else trained(shown)


def in_script(reads: str = "patches") -> Code:
    """How a script makes the captioner, which imports `rebuild`, `record_of` and the module `captions`."""
    shown = live.current(NAMES[reads])
    assert shown is not None  # its model is open
    return Code(f'rebuild({scripts.record(NAMES[reads], shown)}, "{VARIANT}", captions.config("{reads}")).float()')


def truth_of(picture: Picture) -> list[str] | None:
    """The true caption; None where nobody has told which digit it is."""
    if picture.label is None:
        return None
    return captions.decode(captions.encode(picture.pixels[None], np.array([picture.label]))[0].tolist())


def verdict(picture: Picture, words: list[str]) -> str:
    """Whether a caption is true, as Markdown: against the label and what is measured."""
    found = captions.measure(picture.pixels[None])
    true = ("", captions.INK[int(found.is_bold[0])], captions.SLANT[int(found.leaning[0])])
    if picture.label is not None:
        true = (captions.NAMES[picture.label], *true[1:])
    pairs = zip(captions.PARTS, captions.parts(words), true, strict=True)
    faults = [f"{name}: {truth}, not {said or 'said'}" for name, said, truth in pairs if truth and said != truth]
    whole = "" if picture.label is not None else " Only you know which digit it is."
    if faults:
        return f"✗ {escape_markdown('; '.join(faults))}.{whole}"
    return f"✓ {'right' if picture.label is not None else 'ink and slant are right'}.{whole}"


def measured(picture: Picture) -> str:
    """Ink and slant of a picture, beside the thresholds."""
    found = captions.measure(picture.pixels[None])
    ink, slant = float(found.ink[0]), float(found.slant[0])
    way = f"{abs(slant):.2f} pixels to the {'right' if slant > 0 else 'left'} for each line up"
    return (
        f"Measured: {ink:.1f} full pixels of ink ({'bold' if found.is_bold[0] else 'thin'}; bold begins at "
        f"{captions.BOLD}), and it leans {way} ({captions.SLANT[int(found.leaning[0])]}; leaning begins at "
        f"{captions.LEANING})." + ("" if picture.label is not None else OWN_INK)
    )


def quoted(words: list[str]) -> str:
    """A caption as Markdown."""
    return f"“{escape_markdown(captions.text(words))}”"
