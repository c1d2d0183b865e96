"""Vocabulary size: what it buys, fewer tokens per text, and what it costs, a larger table of embeddings."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import MAX_MODELS, memoize, slider
from core.rooms.tokens.compute import tokenization
from core.rooms.tokens.compute.tokenization import Comparison, Tokenization
from core.rooms.tokens.inputs import SIZES, THIS_TEXT, Looked, TextToCut
from core.rooms.tokens.vocabulary_chart import trade_off

# Between the sizes to choose from, the ones in the middle, so that the curve shows its bend.
MEASURED = sorted({*SIZES, 288, 320, 384, 640, 768, 1536, 3072, 6144})
WIDTHS = (16, 1024)  # d_model from our smallest models to GPT-2 medium's
WARM_UP = True
CODE = (tokenization.compare, tokenization.first_merges, tokenization.Cost.n_embedding)


class Inputs(Looked, prefix="vocab_"):
    """The width of the model."""

    width: int = slider(
        "Width",
        *WIDTHS,
        64,
        step=16,
        help="How many numbers the model has for each token: the length of its row in the table.",
    )


@dataclass(frozen=True)
class Result:
    """All sizes on the text to learn from, and the learner's own text with the vocabulary that was chosen."""

    sizes: Comparison
    own: Tokenization
    width: int

    @property
    def n_embedding(self) -> int:
        """Numbers of the chosen vocabulary's table."""
        return self.own.vocab_size * self.width

    @property
    def formula(self) -> str:
        """Rows times width."""
        return rf"{self.own.vocab_size} \times {self.width} = {self.n_embedding:,}".replace(",", "{,}")

    def table(self) -> dict[str, list[Any]]:
        """One line for each vocabulary."""
        return self.sizes.table(self.width)


@memoize(MAX_MODELS)
def compared(source: str, text: str = "") -> Comparison:
    """All sizes on one text."""
    return tokenization.compare(TextToCut(text, source).learned, MEASURED)


def compute(inputs: Inputs) -> Result:
    """Learned from the first nine tenths of the text, measured on the last one."""
    given = inputs.given
    sizes = compared(given.source, given.text if given.source == THIS_TEXT else "")
    return Result(sizes, given.cut("bpe"), inputs.width)


def draw(result: Result, inputs: Inputs) -> None:
    """The trade-off on one chart, and what it means for the visitor's text."""
    sizes, width, own = result.sizes, inputs.width, result.own
    ui.say("measured" if sizes.is_held_out else "measured-on-itself")
    costs = (*sizes.bpe, sizes.char, sizes.word)
    n_row = [one.vocab_size for one in costs]
    # The right axis holds every table at every width, so that the slider moves the curve and not the axis.
    limits = (min(n_row) * WIDTHS[0], max(n_row) * WIDTHS[1])
    spec = trade_off(costs, width, marked=own.vocab_size, embedding_range=limits, mode=ui.color_mode())
    ui.chart(spec, alt=ui.words("alt", first=sizes.bpe[0], last=sizes.bpe[-1]), key="vocab-size")
    with ui.st.container(horizontal=True):
        size = f"With a vocabulary of {own.vocab_size:,} tokens."
        ui.metric("Your text", f"{own.n_token:,} tokens", help=size)
        squared = "Every token may look at every token: the number of tokens squared."
        ui.metric("Its attention map", f"{own.n_token**2:,} cells", help=squared)
        product = "Size of the vocabulary times width."
        ui.metric("The embedding table", f"{result.n_embedding:,} numbers", help=product)
    ui.say("fewer")
