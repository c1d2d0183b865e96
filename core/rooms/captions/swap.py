"""The picture is swapped in mid-sentence: which words follow the new picture, and what the decoder remembers."""

import numpy as np

from core import ui
from core.exhibit import Inputs as Base, Result, Table, segmented, slider
from core.inspect.reading.pictures import Picture, digit
from core.models.captioner import Captioner
from core.nn.block import Block
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.compute.captioning import Described, change, changed, described
from core.rooms.captions.compute.captions import LONGEST, PARTS, WORDS, parts
from core.train.experiments.live import Live

TRAINED = "captions"
CODE = (change, Captioner.decode, Block.forward)
FIRST, SECOND = 79, 187
LEAST = 0.001  # a smaller difference of probabilities is ignored in the text
KEEPS = {"vectors": "its words and vectors", "words": "its words only"}


class Inputs(Base, prefix="swap_"):
    first: Picture = digit("swap_first", FIRST, "First picture")
    second: Picture = digit("swap_second", SECOND, "Second picture")
    word: int = slider("Words written before the change", 0, LONGEST - 1, 4)
    keep: str = segmented("What stays of the first", KEEPS, "vectors")


class Swapped(Result):
    """The caption of either picture alone, and the caption with the swap."""

    before: Described  # before, after: captions of the first and of the second picture
    after: Described
    mixed: Described  # the caption with the swap
    whose: list[tuple[str, str, str]]  # for digit, ink and slant: property, value in the caption, and source
    difference: float  # the largest difference in the next word's probabilities between the two `KEEPS`
    least: float = LEAST

    def table(self) -> Table:
        """Return its words next to the captions of either picture alone."""
        n = len(self.mixed.ids)
        return {
            "word": self.mixed.words,
            "reads": [("first", "second")[one] for one in self.mixed.reads],
            "probability": self.mixed.sure.tolist(),
            "in the first caption": [*self.before.words, *[""] * n][:n],
            "in the second caption": [*self.after.words, *[""] * n][:n],
        }


def compute(inputs: Inputs, run: Live) -> Swapped:
    """Generate the caption if the picture is swapped after some words."""
    first, second, word = inputs.first, inputs.second, inputs.word
    by_keep = {keep: changed(run, first, second, word, keep) for keep in KEEPS}
    vectors, words = (by_keep[keep].probabilities[word : word + 1] for keep in KEEPS)
    difference = float(np.abs(vectors - words).max()) if len(vectors) and len(words) else 0.0
    before, after, mixed = described(run, first), described(run, second), by_keep[inputs.keep]
    whose = []
    for part, one, two, now in zip(PARTS, *(parts(caption.words) for caption in (before, after, mixed)), strict=True):
        late = "late" if now in mixed.words[word:] else "first"
        side = "same" if one == two == now else {one: late, two: "second"}.get(now, "neither")
        whose.append((part, now, side))
    return Swapped(before=before, after=after, mixed=mixed, whose=whose, difference=difference)


def draw(result: Swapped, inputs: Inputs, run: Live) -> None:
    """Draw an attention map for each word of the resulting caption."""
    mixed, word = result.mixed, inputs.word
    caption_film(
        mixed,
        np.stack([inputs.first.pixels, inputs.second.pixels]),
        names=["first picture", "second picture"],
        vocabulary=WORDS.words,
        key="swap-film",
        start=min(word, len(mixed.words) - 1),
        label=f"The picture is changed after {ui.plural(word, 'word')}",
        takeaway="The words of the caption; each shows which picture it read, and where.",
    )
