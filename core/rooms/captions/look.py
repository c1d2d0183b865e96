"""From image to sentence: the patches that each word reads."""

import numpy as np

from core.data.images import digit_pixels
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.models.images.captioner import Captioner
from core.nn.attention import MultiHeadAttention
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captioning import CaptionSteps, picture_caption, write_caption
from core.rooms.captions.compute.captions import BOLD, LEANING, PARTS, WORDS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "captions"
CODE = (write_caption, Captioner.decode, Captioner.encode, MultiHeadAttention.forward)
DEFAULT_DIGIT = 146


class Inputs(Base):
    """A picture."""

    picture: InputPicture = digit_control("look", DEFAULT_DIGIT)


class CaptionedPicture(Result):
    """A generated caption and the true one."""

    caption: CaptionSteps  # the generated caption
    picture: InputPicture  # the picture described
    ink: float  # ink, slant: measured on the picture, see `captions.Properties`
    slant: float
    truth: tuple[str, str, str]  # digit, ink and slant in words; "" for a digit without a label
    faults: list[tuple[str, str, str]]  # the errors: the property, its true value, and the value in the caption
    formula: str  # the probability of the caption: the product of its words' probabilities
    bold: float = BOLD
    leaning: float = LEANING
    least: float = digit_pixels.LEAST_INK / 16  # points of 4 x 4 in a pixel

    def table(self) -> Table:
        """Return one row per word."""
        return self.caption.table()


def compute(inputs: Inputs, run: ExperimentRun) -> CaptionedPicture:
    """Generate the model's caption of the picture greedily, word by word."""
    picture, caption = inputs.picture, picture_caption(run, inputs.picture)
    found = captions.measure_digits(picture.pixels[None])
    name = "" if picture.label is None else captions.NAMES[picture.label]
    truth = (name, captions.INK[int(found.is_bold[0])], captions.SLANT[int(found.leaning[0])])
    said = captions.caption_parts(caption.words)
    return CaptionedPicture(
        caption=caption,
        picture=picture,
        ink=float(found.ink[0]),
        slant=float(found.slant[0]),
        truth=truth,
        faults=[(part, a, b) for part, a, b in zip(PARTS, truth, said, strict=True) if a and a != b],
        formula=_formula(caption, picture),
    )


def _formula(caption: CaptionSteps, picture: InputPicture) -> str:
    p = caption.sure.astype(np.float64)
    terms = [f"{one:.2f}" for one in p]
    lines = [r" \cdot ".join(terms[at : at + 4]) for at in range(0, len(terms), 4)]  # short lines, for a phone
    name = LABELS["caption"]
    product, end = r" \\ &\quad \cdot ".join(lines), ""
    if picture.label is not None:
        true = captions.encode_captions(picture.pixels[None], np.array([picture.label]))[0]
        is_right = captions.decode_caption(true.tolist()) == caption.words
        verdict = LABELS["right"] if is_right else LABELS["wrong"]
        end = rf" \quad (\text{{{verdict}}})"
    return rf"\begin{{aligned}} P(\text{{{name}}}) &= {product} \\ &= {p.prod():.3f}{end} \end{{aligned}}"


def draw(result: CaptionedPicture, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw an attention map for each word of the caption."""
    seen, picture = result.caption, result.picture
    caption_film(
        seen,
        picture.pixels[None],
        vocabulary=WORDS.words,
        key="look-film",
        label="",
        takeaway=LABELS["takeaway"],
    )
