"""From ids to vectors: one-hot times the embedding matrix is a look-up of rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.cache import MAX_TRACES, content_key, memoize
from core.inputs import Inputs as Base
from core.inputs import segmented, slider
from core.inspect.reading.model_and_text import ModelAndText, model_and_text, vocabulary
from core.inspect.reading.model_key import READERS
from core.rooms.tokens.compute import one_hot
from core.rooms.tokens.compute.one_hot import Embedded, Repeat
from core.rooms.tokens.row_copy_widget import copied
from core.ui.widgets.mount import index

MOST_OTHERS = 4  # vocabulary entries shown that do not occur: columns without a single 1
MOST_COLUMNS = 24  # of the model's width: more do not fit on a phone
# What stands along the sides of each matrix, and what it is called; the order is that of multiplying.
SIDES = {"hot": ("token", "entry"), "table": ("entry", "coordinate"), "product": ("token", "coordinate")}
TITLES = {"hot": "T: one-hot", "table": "E: the embeddings", "product": "X = T E"}
COLUMN_TITLES = {
    "table": "Ω: the embeddings, one column each",
    "hot": "T: one-hot, one column each",
    "product": "X = Ω T",
}
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
        when=lambda i: ui.at_least("numbers"),
        help="Row, or column, as often written: the same numbers, with every table transposed.",
    )
    token: int = slider(
        "Token", 0, lambda i: i.given.n_token - 1, _first_repeat, before="core.rooms.tokens.rows:follow_clicks"
    )


def embeddings(given: ModelAndText) -> Tensor:
    """(V, D) the model's own table; not kept here, because it can be large."""
    return given.model.get_parameter("tok_emb.weight").detach().float()


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
        table = embeddings(self.given).numpy()
        return {"one_hot": found.one_hot, "table": table, "product": found.product, "rows": found.rows}

    def table(self) -> dict[str, Any]:
        """One line for each token: its vector."""
        given, product = self.given, self.vectors.product
        told: dict[str, Any] = {"position": list(range(given.n_token)), "token": list(given.tokens)}
        return told | {"id": list(given.ids)} | {f"x{i}": product[:, i] for i in range(product.shape[1])}


@memoize(MAX_TRACES)
def _embedded(given: ModelAndText) -> Embedded:
    return one_hot.embed(embeddings(given), torch.tensor(given.ids))


def compute(inputs: Inputs) -> Result:
    """One-hot rows times the table of embeddings, and the same rows looked up."""
    return Result(inputs.given, _embedded(inputs.given), inputs.token, inputs.way == "column")


@dataclass(frozen=True)
class Drawn:
    """What is drawn of the matrices: the entries that occur and a few others, and the first coordinates."""

    given: ModelAndText
    is_columns: bool

    @property
    def entries(self) -> list[int]:
        """Ids, in their order."""
        occurring, n_entry = set(self.given.ids), len(embeddings(self.given))
        others = [i for i in range(min(n_entry, len(occurring) + MOST_OTHERS)) if i not in occurring]
        return sorted([*occurring, *others[:MOST_OTHERS]])

    @property
    def names(self) -> list[str]:
        """Of the entries."""
        tokens = vocabulary(self.given.key)
        return [f"{i}:{tokens[i]}" for i in self.entries]

    @property
    def width(self) -> int:
        """How many numbers of each vector."""
        return min(MOST_COLUMNS, embeddings(self.given).shape[1])

    @property
    def table(self) -> NDArray[np.float32]:
        """(entries, width)"""
        part: NDArray[np.float32] = embeddings(self.given)[self.entries, : self.width].numpy()
        return part

    @property
    def content(self) -> str:
        """A short name of what is drawn."""
        return content_key(str(self.given.key), self.given.encoded.packed, self.is_columns)[:12]

    def cell(self, name: str) -> tuple[int, ...] | None:
        """The cell that was clicked last in one of the matrices, as if tokens were rows."""
        n_row = len(self.entries) if name == "table" else self.given.n_token
        way = -1 if self.is_columns else 1
        sizes = (n_row, len(self.entries) if name == "hot" else self.width)[::way]
        found = ui.picks.place(f"rows.{name}", self.content, f"cell_{name}", *sizes)
        return found and found[::way]


def follow_clicks(control: Any, inputs: Any) -> None:
    """A new click means a token: its own row, or the row of its entry. A new text begins anew."""
    drawn, ids = Drawn(inputs.given, inputs.way == "column"), inputs.given.ids
    if ui.picks.has_changed("rows.token", inputs.given.encoded.packed):
        ui.reset("hot_token", control.default)
    token = index(ui.picks.news("rows.copied", drawn.content), len(ids))
    for name in SIDES:
        is_new = ui.picks.has_news(f"rows.{name}", drawn.content)
        cell = drawn.cell(name)
        if cell is None or not is_new:
            continue
        line = cell[0]
        if name != "table":
            token = line
        elif drawn.entries[line] in ids:
            token = ids.index(drawn.entries[line])
    if token is not None:
        ui.put("hot_token", token)


def _matrix(name: str, found: Embedded, drawn: Drawn, at: int) -> None:
    """One matrix, with a ▸ before all that is of token `at`; marked is its line, or the clicked cell in that line."""
    given, entries, id = drawn.given, drawn.entries, drawn.given.ids[at]

    def pointed(ids: Iterable[int], names: Iterable[str]) -> list[str]:
        return [f"▸{name}" if one == id else name for one, name in zip(ids, names, strict=True)]

    labels = {
        "token": pointed(given.ids, given.tokens),
        "entry": pointed(entries, drawn.names),
        "coordinate": [str(i) for i in range(drawn.width)],
    }
    parts = {"hot": found.one_hot[:, entries], "table": drawn.table, "product": found.product[:, : drawn.width]}
    values, (rows, columns), entry = parts[name], SIDES[name], entries.index(id)
    selected: tuple[int, ...] = (entry if name == "table" else at, entry if name == "hot" else 0)
    cell, is_hot = drawn.cell(name), name == "hot"
    if cell is not None and cell[0] == selected[0]:
        selected = cell
    if drawn.is_columns:
        values, rows, columns, selected = values.T, columns, rows, selected[::-1]
    limit = float(np.abs(drawn.table).max()) or 1.0
    ui.matrix(
        values,
        rows=labels[rows],
        columns=labels[columns],
        key=ui.picks.key(f"rows.{name}", drawn.content, {"row": selected[0], "column": selected[1]}),
        kind="probability" if is_hot else "signed",
        row_title=rows,
        column_title=columns,
        value_title="one-hot" if is_hot else "number",
        selected=(selected[0], selected[1]),
        label=(COLUMN_TITLES if drawn.is_columns else TITLES)[name],
        height=440 if drawn.is_columns else 320,
        limits=None if is_hot else (-limit, limit),
    )


def draw(result: Result, inputs: Inputs) -> None:
    """The row that is copied; then the three matrices, the largest difference, and what each way costs."""
    drawn = Drawn(inputs.given, result.is_columns)
    copied(
        drawn.table,
        entries=drawn.names,
        tokens=inputs.given.tokens,
        rows=[drawn.entries.index(one) for one in inputs.given.ids],
        at=result.place,
        key=ui.picks.key("rows.copied", drawn.content, result.place),
        label="One row is copied",
    )
    ui.say("token", id=inputs.given.ids[result.place], token=inputs.given.tokens[result.place])
    ui.say("drawn", n_drawn=drawn.width)
    if ui.at_least("numbers"):
        for name in COLUMN_TITLES if result.is_columns else TITLES:
            _matrix(name, result.vectors, drawn, result.place)
        ui.say("cost")
