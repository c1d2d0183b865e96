"""The three matrices of the look-up: one-hot, table, product; and what a click in one of them says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from core.inspect.model_and_text import ModelAndText
from core.rooms.tokens.compute.one_hot import Embedded
from core.rooms.tokens.row_copy_widget import copied
from core.ui.controls import picks
from core.ui.models import models
from core.ui.widgets import widgets
from core.ui.widgets.mount import index

MOST_OTHERS = 4  # vocabulary entries shown that do not occur: columns without a single 1
MOST_COLUMNS = 24  # of the model's width: more do not fit on a phone
NAMES = ("hot", "table", "product")


@dataclass(frozen=True)
class Picture:
    """A matrix with tokens, vocabulary entries or coordinates along its two sides."""

    name: str
    values: NDArray[np.float32]
    sides: tuple[str, str]
    labels: tuple[list[str], list[str]]
    title: str
    value_title: str
    limit: float | None = None

    def transposed(self, title: str) -> Self:
        return type(self)(
            self.name, self.values.T, self.sides[::-1], self.labels[::-1], title, self.value_title, self.limit
        )


def shown_entries(ids: tuple[int, ...], vocab_size: int) -> list[int]:
    """The vocabulary entries to show: all that occur, and a few that do not, in the order of their ids."""
    occurring = set(ids)
    others = [i for i in range(min(vocab_size, len(occurring) + MOST_OTHERS)) if i not in occurring]
    return sorted([*occurring, *others[:MOST_OTHERS]])


def shown_width(found: Embedded) -> int:
    """How many numbers of each vector are drawn."""
    return min(MOST_COLUMNS, found.product.shape[1])


def pictures(
    looked: ModelAndText, found: Embedded, table: NDArray[np.float32], *, is_columns: bool
) -> tuple[Picture, ...]:
    """The three matrices, in the order in which they are multiplied; `table` is that of the model, (V, D)."""
    entries = shown_entries(looked.encoded.ids, found.one_hot.shape[1])
    vocabulary = models.vocabulary(looked.key)
    tokens = list(looked.encoded.tokens)
    names = [f"{i}:{vocabulary[i]}" for i in entries]
    width = shown_width(found)
    numbers = [str(i) for i in range(width)]
    part = table[entries, :width]
    limit = float(np.abs(part).max()) or 1.0
    hot = Picture("hot", found.one_hot[:, entries], ("token", "entry"), (tokens, names), "T: one-hot", "one-hot")
    learned = Picture("table", part, ("entry", "coordinate"), (names, numbers), "E: the embeddings", "number", limit)
    product = Picture(
        "product", found.product[:, :width], ("token", "coordinate"), (tokens, numbers), "X = T E", "number", limit
    )
    if not is_columns:
        return hot, learned, product
    return (
        learned.transposed("Ω: the embeddings, one column each"),
        hot.transposed("T: one-hot, one column each"),
        product.transposed("X = Ω T"),
    )


def draw_copied(at: int, looked: ModelAndText, found: Embedded, table: NDArray[np.float32], content: str) -> None:
    """The look-up of one token, in motion: the row that is copied, beside the table and the vector that comes out."""
    entries = shown_entries(looked.encoded.ids, found.one_hot.shape[1])
    vocabulary = models.vocabulary(looked.key)
    copied(
        table[entries, : shown_width(found)],
        entries=[f"{i}:{vocabulary[i]}" for i in entries],
        tokens=looked.encoded.tokens,
        rows=[entries.index(one) for one in looked.encoded.ids],
        at=at,
        key=picks.key("rows.copied", content, at),
        label="One row is copied",
    )


def clicked_token(looked: ModelAndText, found: Embedded, content: str, *, is_columns: bool) -> int | None:
    """The token that a new click means: its own row, or the row of its vocabulary entry; None without a click."""
    token = index(picks.news("rows.copied", content), len(looked.encoded.ids))
    for name in NAMES:
        is_new = picks.has_news(f"rows.{name}", content)
        cell = _cell(name, looked, found, content, is_columns=is_columns)
        if cell is None or not is_new:
            continue
        line = cell[1] if is_columns else cell[0]
        if name == "table":
            entry = shown_entries(looked.encoded.ids, found.one_hot.shape[1])[line]
            token = looked.encoded.ids.index(entry) if entry in looked.encoded.ids else token
        else:
            token = line
    return token


def _cell(
    name: str, looked: ModelAndText, found: Embedded, content: str, *, is_columns: bool
) -> tuple[int, ...] | None:
    """The cell that was clicked last in one of the matrices."""
    n_entry = len(shown_entries(looked.encoded.ids, found.one_hot.shape[1]))
    n_row = n_entry if name == "table" else len(looked.encoded.ids)
    sizes = (n_row, n_entry if name == "hot" else shown_width(found))
    return picks.place(f"rows.{name}", content, f"cell_{name}", *(sizes[::-1] if is_columns else sizes))


def draw(picture: Picture, at: int, looked: ModelAndText, found: Embedded, content: str, *, is_columns: bool) -> None:
    """One matrix, with the line of token `at` marked; the clicked cell where it lies in that line."""
    entries = shown_entries(looked.encoded.ids, found.one_hot.shape[1])
    entry = entries.index(looked.encoded.ids[at])
    line = entry if picture.name == "table" else at
    other = entry if picture.name == "hot" else 0
    selected = (other, line) if is_columns else (line, other)
    cell = _cell(picture.name, looked, found, content, is_columns=is_columns)
    if cell is not None and cell[1 if is_columns else 0] == line:
        selected = (cell[0], cell[1])
    limits: dict[str, Any] = {} if picture.limit is None else {"limits": (-picture.limit, picture.limit)}
    rows, columns = _pointed(picture, at, entries, looked.encoded.ids)
    widgets.matrix(
        picture.values,
        rows=rows,
        columns=columns,
        key=picks.key(f"rows.{picture.name}", content, {"row": selected[0], "column": selected[1]}),
        kind="probability" if picture.limit is None else "signed",
        row_title=picture.sides[0],
        column_title=picture.sides[1],
        value_title=picture.value_title,
        selected=selected,
        label=picture.title,
        height=440 if is_columns else 320,
        **limits,
    )


def _pointed(picture: Picture, at: int, entries: list[int], ids: tuple[int, ...]) -> tuple[list[str], ...]:
    """The labels of both sides, with a ▸ before every line of the chosen token: where it stands, and its entry."""
    found: dict[str, Sequence[int]] = {"token": ids, "entry": entries}
    return tuple(
        [
            f"▸{label}" if side in found and found[side][place] == ids[at] else label
            for place, label in enumerate(labels)
        ]
        for side, labels in zip(picture.sides, picture.labels, strict=True)
    )
