"""From image to sentence: which patches each word was read from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.data.images import to_digit
from core.exhibit import Inputs as Base
from core.inspect.reading.pictures import Picture, digit
from core.models.captioner import Captioner
from core.nn.attention import MultiHeadAttention
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captioning import Described, describe, described
from core.rooms.captions.compute.captions import BOLD, LEANING, PARTS, WORDS
from core.train.experiments.live import Live

TRAINED = "captions"
CODE = (describe, Captioner.decode, Captioner.encode, MultiHeadAttention.forward)
DEFAULT_DIGIT = 79


class Inputs(Base):
    """A picture."""

    picture: Picture = digit("look", DEFAULT_DIGIT)


@dataclass(frozen=True)
class Result:
    """A caption beside the truth."""

    caption: Described  # what the model writes
    picture: Picture  # it is about
    ink: float  # ink, slant: what is measured on the picture, see `captions.Properties`
    slant: float
    truth: tuple[str, str, str]  # digit, ink and slant in words; "" for a digit that nobody has named

    @property
    def faults(self) -> list[tuple[str, str, str]]:
        """What is said wrongly: the part, what is true, and what is said."""
        said = captions.parts(self.caption.words)
        return [(part, a, b) for part, a, b in zip(PARTS, self.truth, said, strict=True) if a and a != b]

    @property
    def formula(self) -> str:
        """How sure the whole caption is: the product of its words' probabilities."""
        p = self.caption.sure.astype(np.float64)
        terms = [f"{one:.2f}" for one in p]
        lines = [r" \cdot ".join(terms[at : at + 4]) for at in range(0, len(terms), 4)]  # short ones, for a phone
        product, end = r" \\ &\quad \cdot ".join(lines), ""
        if self.picture.label is not None:
            true = captions.encode(self.picture.pixels[None], np.array([self.picture.label]))[0]
            is_right = captions.decode(true.tolist()) == self.caption.words
            end = rf" \quad (\text{{{'right' if is_right else 'wrong'}}})"
        return rf"\begin{{aligned}} P(\text{{caption}}) &= {product} \\ &= {p.prod():.3f}{end} \end{{aligned}}"

    def table(self) -> dict[str, list[Any]]:
        """Word by word."""
        return self.caption.table()


def compute(inputs: Inputs, run: Live) -> Result:
    """What the captioner writes about the picture, word by word, always the most probable one."""
    picture = inputs.picture
    found = captions.measure(picture.pixels[None])
    name = "" if picture.label is None else captions.NAMES[picture.label]
    truth = (name, captions.INK[int(found.is_bold[0])], captions.SLANT[int(found.leaning[0])])
    return Result(described(run, picture), picture, float(found.ink[0]), float(found.slant[0]), truth)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The caption, and a map for each word."""
    seen, picture = result.caption, result.picture
    ui.say("caption")
    caption_film(
        seen.words,
        seen.probabilities,
        seen.weights,
        picture.pixels[None],
        vocabulary=WORDS.words,
        key="look-film",
        label=f"A caption of {picture.name}, word by word",
        takeaway="The words of the caption; each shows the patches it was read from.",
    )
    ui.say("measured", bold=BOLD, leaning=LEANING, least=to_digit.LEAST_INK / 16)  # points of 4 x 4 in a pixel
    ui.say("map")
