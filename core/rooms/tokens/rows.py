"""From ids to vectors: one-hot times the embedding matrix is a look-up of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.exhibit import MAX_TRACES, Look, content_key, memoize, segmented, slider
from core.exhibit import Inputs as Base
from core.inspect.reading.model_and_text import ModelAndText, model_and_text, vocabulary
from core.inspect.reading.model_key import READERS
from core.inspect.reading.place_in_text import of_text
from core.rooms.tokens.compute import one_hot
from core.rooms.tokens.compute.one_hot import Embedded, Repeat
from core.rooms.tokens.row_copy_widget import copied

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
TOKEN = "hot_token"
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
    token: int = slider("Token", 0, lambda i: i.given.n_token - 1, _first_repeat, look=Look(within=of_text))


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
    def repeats(self) -> dict[int, Repeat]:
        """The ids that occur more than once."""
        return {one.id: one for one in one_hot.repeats(np.array(self.given.ids), self.vectors.product)}

    @property
    def again(self) -> Repeat | None:
        """The token, if it occurs more than once."""
        return self.repeats.get(self.given.ids[self.place])

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
        rows = self.given.model.get_parameter("tok_emb.weight").detach()[self.entries, : self.width]
        return np.asarray(rows.float().numpy())

    @property
    def content(self) -> str:
        """A short name of what is drawn."""
        return content_key(str(self.given.key), self.given.encoded.ids_key, self.is_columns)[:12]


def _matrix(name: str, found: Embedded, drawn: Drawn) -> None:
    """One matrix, with a ▸ before all that is of the chosen token; a click in its row chooses it."""
    given, entries, is_hot = drawn.given, drawn.entries, name == "hot"
    labels = {
        "token": _pointed(given, given.ids, given.tokens),
        "entry": _pointed(given, entries, drawn.names),
        "coordinate": [str(i) for i in range(drawn.width)],
    }
    parts = {"hot": found.one_hot[:, entries], "table": drawn.table, "product": found.product[:, : drawn.width]}
    at = {
        "token": ui.chosen(TOKEN),
        "entry": ui.along([entries.index(id) for id in given.ids], TOKEN),
        "coordinate": 0,
    }
    of_entry = [given.ids.index(one) if one in given.ids else None for one in entries]
    token = ui.chosen(TOKEN).name
    way = -1 if drawn.is_columns else 1
    rows, columns = SIDES[name][::way]
    limit = float(np.abs(drawn.table).max()) or 1.0
    ui.matrix(
        parts[name].T if drawn.is_columns else parts[name],
        rows=labels[rows],
        columns=labels[columns],
        key=f"rows.{name}:{drawn.content}",
        kind="probability" if is_hot else "signed",
        row_title=rows,
        column_title=columns,
        value_title="one-hot" if is_hot else "number",
        selected=(at[rows], at[columns]),
        chooses={"column" if drawn.is_columns else "row": (token, of_entry) if name == "table" else token},
        label=(COLUMN_TITLES if drawn.is_columns else TITLES)[name],
        height=440 if drawn.is_columns else 320,
        limits=None if is_hot else (-limit, limit),
    )


def _pointed(given: ModelAndText, ids: Sequence[int], names: Sequence[str]) -> Any:
    """Names with a ▸ before those of the chosen token's id."""
    marked = [[f"▸{name}" if one == id else name for one, name in zip(ids, names, strict=True)] for id in given.ids]
    return ui.along(marked, TOKEN)


def draw(result: Result, inputs: Inputs) -> None:
    """The row that is copied; then the three matrices, the largest difference, and what each way costs."""
    given, drawn = inputs.given, Drawn(inputs.given, result.is_columns)
    copied(
        drawn.table,
        entries=drawn.names,
        tokens=given.tokens,
        rows=[drawn.entries.index(one) for one in given.ids],
        at=ui.chosen(TOKEN),
        key=f"rows.copied:{drawn.content}",
        label="One row is copied",
    )
    repeats = [result.repeats.get(id) for id in given.ids]
    ui.say(
        ui.along(["once" if one is None else "again" for one in repeats], TOKEN),
        place=ui.along([*range(given.n_token)], TOKEN),
        id=ui.along(given.ids, TOKEN),
        token=ui.along(given.tokens, TOKEN),
        others=ui.along(["" if one is None else ", ".join(map(str, one.places[:-1])) for one in repeats], TOKEN),
        last=ui.along([None if one is None else one.places[-1] for one in repeats], TOKEN),
        difference=ui.along([0.0 if one is None else one.difference for one in repeats], TOKEN),
    )
    if (embed_scale := getattr(given.config, "embed_scale", 1.0)) != 1:
        ui.say("scaled", embed_scale=embed_scale)
    ui.say("drawn", n_drawn=drawn.width)
    if ui.at_least("numbers"):
        for name in COLUMN_TITLES if result.is_columns else TITLES:
            _matrix(name, result.vectors, drawn)
        ui.say("cost")
