"""The three matrices of the look-up: one-hot, table, product; and what a click in one of them says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.cache import content_key
from core.inspect.reading.model_and_text import ModelAndText, vocabulary
from core.rooms.tokens.compute.one_hot import Embedded
from core.rooms.tokens.row_copy_widget import copied
from core.ui.widgets.mount import index

MOST_OTHERS = 4  # vocabulary entries shown that do not occur: columns without a single 1
MOST_COLUMNS = 24  # of the model's width: more do not fit on a phone
NAMES = ("hot", "table", "product")


def embeddings(given: ModelAndText) -> Tensor:
    """(V, D) the model's own table; not kept here, because it can be large."""
    return given.model.get_parameter("tok_emb.weight").detach().float()


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
        """The cell that was clicked last in one of the matrices."""
        n_row = len(self.entries) if name == "table" else self.given.n_token
        sizes = (n_row, len(self.entries) if name == "hot" else self.width)
        sizes = sizes[::-1] if self.is_columns else sizes
        return ui.picks.place(f"rows.{name}", self.content, f"cell_{name}", *sizes)


@dataclass(frozen=True)
class Picture:
    """A matrix with tokens, vocabulary entries or coordinates along its two sides."""

    name: str
    values: NDArray[np.float32]
    sides: tuple[str, str]
    labels: tuple[list[str], list[str]]
    title: str
    limit: float | None = None

    def transposed(self, title: str) -> Self:
        return type(self)(self.name, self.values.T, self.sides[::-1], self.labels[::-1], title, self.limit)


def pictures(drawn: Drawn, found: Embedded) -> tuple[Picture, ...]:
    """The three matrices, in the order in which they are multiplied."""
    tokens, names, table = list(drawn.given.tokens), drawn.names, drawn.table
    numbers = [str(i) for i in range(drawn.width)]
    limit = float(np.abs(table).max()) or 1.0
    hot = Picture("hot", found.one_hot[:, drawn.entries], ("token", "entry"), (tokens, names), "T: one-hot")
    learned = Picture("table", table, ("entry", "coordinate"), (names, numbers), "E: the embeddings", limit)
    part = found.product[:, : drawn.width]
    product = Picture("product", part, ("token", "coordinate"), (tokens, numbers), "X = T E", limit)
    if not drawn.is_columns:
        return hot, learned, product
    return (
        learned.transposed("Ω: the embeddings, one column each"),
        hot.transposed("T: one-hot, one column each"),
        product.transposed("X = Ω T"),
    )


def copy_of(drawn: Drawn, at: int) -> None:
    """The look-up of one token, in motion: the row that is copied, beside the table and the vector that comes out."""
    entries = drawn.entries
    copied(
        drawn.table,
        entries=drawn.names,
        tokens=drawn.given.tokens,
        rows=[entries.index(one) for one in drawn.given.ids],
        at=at,
        key=ui.picks.key("rows.copied", drawn.content, at),
        label="One row is copied",
    )


def follow_clicks(control: Any, inputs: Any) -> None:
    """A new click means a token: its own row, or the row of its entry. A new text begins anew."""
    drawn, ids = Drawn(inputs.given, inputs.way == "column"), inputs.given.ids
    if ui.picks.has_changed("rows.token", inputs.given.encoded.packed):
        ui.reset("hot_token", control.default)
    token = index(ui.picks.news("rows.copied", drawn.content), len(ids))
    for name in NAMES:
        is_new = ui.picks.has_news(f"rows.{name}", drawn.content)
        cell = drawn.cell(name)
        if cell is None or not is_new:
            continue
        line = cell[1] if drawn.is_columns else cell[0]
        if name != "table":
            token = line
        elif drawn.entries[line] in ids:
            token = ids.index(drawn.entries[line])
    if token is not None:
        ui.put("hot_token", token)


def draw(picture: Picture, drawn: Drawn, at: int) -> None:
    """One matrix, with the line of token `at` marked; the clicked cell where it lies in that line."""
    entry = drawn.entries.index(drawn.given.ids[at])
    line, other = entry if picture.name == "table" else at, entry if picture.name == "hot" else 0
    selected = (other, line) if drawn.is_columns else (line, other)
    cell = drawn.cell(picture.name)
    if cell is not None and cell[int(drawn.is_columns)] == line:
        selected = (cell[0], cell[1])
    rows, columns = _pointed(picture, drawn, at)
    ui.matrix(
        picture.values,
        rows=rows,
        columns=columns,
        key=ui.picks.key(f"rows.{picture.name}", drawn.content, {"row": selected[0], "column": selected[1]}),
        kind="probability" if picture.limit is None else "signed",
        row_title=picture.sides[0],
        column_title=picture.sides[1],
        value_title="one-hot" if picture.limit is None else "number",
        selected=selected,
        label=picture.title,
        height=440 if drawn.is_columns else 320,
        limits=None if picture.limit is None else (-picture.limit, picture.limit),
    )


def _pointed(picture: Picture, drawn: Drawn, at: int) -> tuple[list[str], ...]:
    """The labels of both sides, with a ▸ before every line of the chosen token: where it stands, and its entry."""
    ids: dict[str, Sequence[int]] = {"token": drawn.given.ids, "entry": drawn.entries}
    return tuple(
        [
            f"▸{label}" if side in ids and ids[side][place] == drawn.given.ids[at] else label
            for place, label in enumerate(labels)
        ]
        for side, labels in zip(picture.sides, picture.labels, strict=True)
    )
