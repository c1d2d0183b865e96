"""The picture is swapped in mid-sentence: which words follow the new picture, and what the decoder remembers."""

import numpy as np

from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control, slider
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.models.images.captioner import Captioner
from core.nn.block import Block
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.compute.captioning import (
    KEEP_MODES,
    CaptionSteps,
    picture_caption,
    swap_picture,
    swapped_caption,
)
from core.rooms.captions.compute.captions import MAX_WORDS, PARTS, WORDS, caption_parts
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "captions"
CODE = (swap_picture, Captioner.decode, Block.forward)
FIRST, SECOND = 79, 187
MIN_DIFFERENCE = 0.001  # a smaller difference of probabilities is ignored in the text


class Inputs(Base, prefix="swap_"):
    first: InputPicture = digit_control("swap_first", FIRST, LABELS["first"])
    second: InputPicture = digit_control("swap_second", SECOND, LABELS["second"])
    word: int = slider(0, MAX_WORDS - 1, 4)
    keep: str = segmented_control(KEEP_MODES, "vectors")


class SwappedCaption(Result):
    """The caption of either picture alone, and the caption with the swap."""

    before: CaptionSteps  # before, after: captions of the first and of the second picture
    after: CaptionSteps
    mixed: CaptionSteps  # the caption with the swap
    whose: list[tuple[str, str, str]]  # for digit, ink and slant: property, value in the caption, and source
    difference: float  # the largest difference in the next word's probabilities between the two `KEEP_MODES`
    least: float = MIN_DIFFERENCE

    def table(self) -> Table:
        """Return its words next to the captions of either picture alone."""
        n = len(self.mixed.ids)
        return {
            LABELS["table.word"]: self.mixed.words,
            LABELS["table.reads"]: [(LABELS["table.first"], LABELS["table.second"])[one] for one in self.mixed.reads],
            LABELS["table.probability"]: self.mixed.sure.tolist(),
            LABELS["table.in_first"]: [*self.before.words, *[""] * n][:n],
            LABELS["table.in_second"]: [*self.after.words, *[""] * n][:n],
        }


def compute(inputs: Inputs, run: ExperimentRun) -> SwappedCaption:
    """Generate the caption if the picture is swapped after some words."""
    first, second, word = inputs.first, inputs.second, inputs.word
    by_keep = {keep: swapped_caption(run, first, second, word, keep) for keep in KEEP_MODES}
    vectors, words = (by_keep[keep].probabilities[word : word + 1] for keep in KEEP_MODES)
    difference = float(np.abs(vectors - words).max()) if len(vectors) and len(words) else 0.0
    before, after, mixed = picture_caption(run, first), picture_caption(run, second), by_keep[inputs.keep]
    whose = []
    for part, one, two, now in zip(
        PARTS, *(caption_parts(caption.words) for caption in (before, after, mixed)), strict=True
    ):
        late = "late" if now in mixed.words[word:] else "first"
        side = "same" if one == two == now else {one: late, two: "second"}.get(now, "neither")
        whose.append((part, now, side))
    return SwappedCaption(before=before, after=after, mixed=mixed, whose=whose, difference=difference)


def draw(result: SwappedCaption, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw an attention map for each word of the resulting caption."""
    mixed, word = result.mixed, inputs.word
    caption_film(
        mixed,
        np.stack([inputs.first.pixels, inputs.second.pixels]),
        names=[LABELS["first_picture"], LABELS["second_picture"]],
        vocabulary=WORDS.words,
        key="swap-film",
        selected=(word, 0),
        label=LABELS("title", n=word),
        takeaway=LABELS["takeaway"],
    )
