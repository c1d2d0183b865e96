"""From ids to vectors: one-hot times the embedding matrix is a look-up of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.cache import MAX_TRACES, memoize
from core.inputs import Inputs as Base
from core.inputs import segmented, slider
from core.inspect.reading.model_and_text import ModelAndText, model_and_text
from core.inspect.reading.model_key import READERS
from core.rooms.tokens import row_pictures
from core.rooms.tokens.compute import one_hot
from core.rooms.tokens.compute.one_hot import Embedded, Repeat

MOST_TOKENS = 16  # so many rows can still be told apart, three pictures on a page
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."
CODE = (one_hot.one_hot, one_hot.embed, one_hot.repeats)


class Looked(Base):
    """A model, and at most sixteen tokens of a text."""

    given: ModelAndText = model_and_text(SENTENCE, most=MOST_TOKENS, kinds=(*READERS, "rnn"))


def _first_repeat(inputs: Any) -> int:
    """The first token that comes again later; else the first of all."""
    ids = inputs.given.ids
    return next((place for place, one in enumerate(ids) if one in ids[place + 1 :]), 0)


class Inputs(Looked, prefix="hot_"):
    """Whether tokens are rows, and one of them."""

    way: str = segmented(
        "A token is a",
        {"row": "Row (ours)", "column": "Column"},
        "row",
        help="Row, or column, as often written: the same numbers, with every table transposed.",
    )
    token: int = slider(
        "Token", 0, lambda i: i.given.n_token - 1, _first_repeat, before="core.rooms.tokens.row_pictures:follow_clicks"
    )


@dataclass(frozen=True)
class Result:
    """The vectors of a text, multiplied and looked up, and one of its tokens."""

    given: ModelAndText
    vectors: Embedded
    place: int
    is_columns: bool

    @property
    def again(self) -> Repeat | None:
        """The token, if it occurs more than once."""
        found = one_hot.repeats(np.array(self.given.ids), self.vectors.product)
        return next((one for one in found if one.id == self.given.ids[self.place]), None)

    @property
    def shape(self) -> tuple[int, int, int]:
        """T, V, D"""
        return (*self.vectors.one_hot.shape, self.vectors.product.shape[1])

    @property
    def formula(self) -> str:
        """The look-up of the token, in its own numbers; two lines, so that it fits a narrow screen."""
        (T, V, D), id, at = self.shape, self.given.ids[self.place], self.place
        numbers = r",\ ".join(f"{value:.2f}" for value in self.vectors.rows[at, :4]) + r",\ \dots"
        product = rf"\Omega\, T:\ ({D} \times {V})\,({V} \times {T})"
        product = product if self.is_columns else rf"T\,E:\ ({T} \times {V})\,({V} \times {D})"
        row = rf"\Omega_{{:,{id}}}" if self.is_columns else rf"E_{{{id}}}"
        return rf"\begin{{aligned}} X &= {product} \\ x_{{{at}}} &= {row} = ({numbers}) \end{{aligned}}"

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Both factors, and what comes of them both ways."""
        found = self.vectors
        table = row_pictures.embeddings(self.given).numpy()
        return {"one_hot": found.one_hot, "table": table, "product": found.product, "rows": found.rows}

    def table(self) -> dict[str, Any]:
        """One line for each token: its vector."""
        given, product = self.given, self.vectors.product
        told: dict[str, Any] = {"position": list(range(given.n_token)), "token": list(given.tokens)}
        return told | {"id": list(given.ids)} | {f"x{i}": product[:, i] for i in range(product.shape[1])}


@memoize(MAX_TRACES)
def _embedded(given: ModelAndText) -> Embedded:
    return one_hot.embed(row_pictures.embeddings(given), torch.tensor(given.ids))


def compute(inputs: Inputs) -> Result:
    """One-hot rows times the table of embeddings, and the same rows looked up."""
    return Result(inputs.given, _embedded(inputs.given), inputs.token, inputs.way == "column")


def draw(result: Result, inputs: Inputs) -> None:
    """The three matrices, the largest difference, and what each way costs."""
    drawn = row_pictures.Drawn(inputs.given, result.is_columns)
    row_pictures.copy_of(drawn, result.place)
    first, second, third = row_pictures.pictures(drawn, result.vectors)
    picture_side, text_side = ui.pair("rows-first")
    with picture_side:
        row_pictures.draw(first, drawn, result.place)
    with text_side:
        ui.say("token", id=inputs.given.ids[result.place], token=inputs.given.tokens[result.place], n_drawn=drawn.width)
    row_pictures.draw(second, drawn, result.place)
    row_pictures.draw(third, drawn, result.place)
    ui.say("cost")
