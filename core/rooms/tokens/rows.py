"""From ids to vectors: multiplying one-hot rows by the embedding matrix looks up its rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.browser.choice_indexed_values import Linkable
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_TRACES,
    Column,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    content_key,
    memoize,
    segmented_control,
    slider,
)
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input, model_vocabulary
from core.inspect.model_inputs.model_key import READER_KINDS
from core.inspect.model_inputs.predicted_position import input_text_hash
from core.models.registry import modern_options_of_model
from core.rooms.tokens.compute import one_hot
from core.rooms.tokens.compute.one_hot import EmbeddingRecord, RepeatedToken

LABELS = module_labels(__name__)

MOST_OTHERS = 4  # absent vocabulary entries to show: columns without a single 1
MOST_COLUMNS = 24  # dimensions to show: more do not fit on a phone
# Row and column names of each matrix, and its title; the order is that of the multiplication.
SIDES = {"hot": ("token", "entry"), "table": ("entry", "coordinate"), "product": ("token", "coordinate")}
SIDE_TITLES = {
    "token": LABELS["side.token"],
    "entry": LABELS["side.entry"],
    "coordinate": LABELS["side.coordinate"],
}
TITLES = {"hot": LABELS["rows.hot"], "table": LABELS["rows.table"], "product": "X = T E"}
COLUMN_TITLES = {
    "table": LABELS["columns.table"],
    "hot": LABELS["columns.hot"],
    "product": "X = Ω T",
}
MOST_TOKENS = 16  # more rows cannot be distinguished with three pictures on a page
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."
CODE = (one_hot.one_hot_matrix, one_hot.embed_both_ways, one_hot.find_repeated_tokens)


class RowInputs(Base):
    """A model, and at most sixteen tokens of a text."""

    given: ModelAndText = model_and_text_input(SENTENCE, most=MOST_TOKENS, kinds=(*READER_KINDS, "rnn"))


def _first_repeat(inputs: "Inputs") -> int:
    """Return the first token that occurs again later, or else the first token."""
    ids = inputs.given.ids
    return next((place for place, one in enumerate(ids) if one in ids[place + 1 :]), 0)


class Inputs(RowInputs, prefix="hot_"):
    way: str = segmented_control(
        ("row", "column"),
        "row",
        when=lambda i: ui.depth_at_least("numbers"),
    )
    token: int = slider(0, lambda i: i.given.n_token - 1, _first_repeat, view=ViewChoice(scope=input_text_hash))


def _embedding_table(given: ModelAndText) -> Tensor:
    """Return (V, D) the model's own table; not cached, because it can be large."""
    return given.model.get_parameter("tok_emb.weight").detach().float()


class RowLookUp(Result):
    """The vectors of a text, multiplied and looked up, and one of its tokens."""

    given: ModelAndText
    vectors: EmbeddingRecord
    place: int
    is_columns: bool
    shape: tuple[int, int, int]  # T, V, D
    repeats: dict[int, RepeatedToken]  # by id, the tokens that occur more than once
    again: RepeatedToken | None  # the selected token, if it occurs more than once

    @property
    def formula(self) -> str:
        """The look-up of the token, in its own numbers; two lines, to fit a narrow screen."""
        (T, V, D), id, at = self.shape, self.given.ids[self.place], self.place
        numbers = r",\ ".join(f"{value:.2f}" for value in self.vectors.rows[at, :4]) + r",\ \dots"
        product = rf"\Omega\, T:\ ({D} \times {V})\,({V} \times {T})"
        product = product if self.is_columns else rf"T\,E:\ ({T} \times {V})\,({V} \times {D})"
        row = rf"\Omega_{{:,{id}}}" if self.is_columns else rf"E_{{{id}}}"
        return rf"\begin{{aligned}} X &= {product} \\ x_{{{at}}} &= {row} = ({numbers}) \end{{aligned}}"

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return both factors, and their product computed both ways."""
        found = self.vectors
        table = _embedding_table(self.given).numpy()
        return {"one_hot": found.one_hot, "table": table, "product": found.product, "rows": found.rows}

    def table(self) -> Table:
        """Return one row per token: its vector."""
        given, product = self.given, self.vectors.product
        told: dict[str, Column] = {
            LABELS["table.position"]: list(range(given.n_token)),
            LABELS["table.token"]: list(given.tokens),
        }
        return told | {"id": list(given.ids)} | {f"x{i}": product[:, i] for i in range(product.shape[1])}


@memoize(MAX_TRACES)
def _embedded(given: ModelAndText) -> EmbeddingRecord:
    return one_hot.embed_both_ways(_embedding_table(given), torch.tensor(given.ids))


def compute(inputs: Inputs) -> RowLookUp:
    """Multiply one-hot rows by the embedding table, and look up the same rows."""
    given, vectors = inputs.given, _embedded(inputs.given)
    repeats = {one.id: one for one in one_hot.find_repeated_tokens(np.array(given.ids), vectors.product)}
    return RowLookUp(
        given=given,
        vectors=vectors,
        place=inputs.token,
        is_columns=inputs.way == "column",
        shape=(*vectors.one_hot.shape, vectors.product.shape[1]),
        repeats=repeats,
        again=repeats.get(given.ids[inputs.token]),
    )


class DrawnPart(NamedTuple):
    """The part of the matrices that is drawn: the entries that occur and a few others, and the first dimensions."""

    entries: list[int]  # ids, in ascending order
    names: list[str]  # of the entries
    table: NDArray[np.float32]  # (entries, coordinates)
    content: str  # identity of the drawn part


def _drawn_part(given: ModelAndText, is_columns: bool) -> DrawnPart:
    occurring, tokens = set(given.ids), model_vocabulary(given.key)
    n_entry, width = _embedding_table(given).shape
    others = [i for i in range(min(n_entry, len(occurring) + MOST_OTHERS)) if i not in occurring]
    entries = sorted([*occurring, *others[:MOST_OTHERS]])
    rows = given.model.get_parameter("tok_emb.weight").detach()[entries, : min(MOST_COLUMNS, width)]
    content = content_key(str(given.key), given.encoded.ids_key, is_columns)[:12]
    return DrawnPart(entries, [f"{i}:{tokens[i]}" for i in entries], np.asarray(rows.float().numpy()), content)


def draw(result: RowLookUp, inputs: Inputs) -> None:
    """Draw the copied row, then the three matrices."""
    given, drawn = inputs.given, _drawn_part(inputs.given, result.is_columns)
    rows, n_entry = [drawn.entries.index(one) for one in given.ids], len(drawn.entries)
    ui.mount_widget(
        "copied",
        key=f"rows.copied:{drawn.content}",
        table=drawn.table,
        entries=drawn.names,
        tokens=given.tokens,
        rows=rows,
        at=inputs.token,
        limit=float(np.abs(drawn.table).max()) or 1.0,
        label=LABELS["one_row"],
        takeaway=ui.select_by_choice([_takeaway(n_entry, drawn.names[row]) for row in rows], inputs.token),
        click_sets=inputs.token,
    )
    repeats = [result.repeats.get(id) for id in given.ids]
    ui.add_template_values(
        is_repeated=ui.select_by_choice([one is not None for one in repeats], inputs.token),
        place=ui.select_by_choice([*range(given.n_token)], inputs.token),
        id=ui.select_by_choice(given.ids, inputs.token),
        token=ui.select_by_choice(given.tokens, inputs.token),
        others=ui.select_by_choice(
            ["" if one is None else ", ".join(map(str, one.places[:-1])) for one in repeats], inputs.token
        ),
        last=ui.select_by_choice([None if one is None else one.places[-1] for one in repeats], inputs.token),
        difference=ui.select_by_choice([0.0 if one is None else one.difference for one in repeats], inputs.token),
    )
    ui.add_template_values(embed_scale=modern_options_of_model(given.config).embed_scale, n_drawn=drawn.table.shape[1])
    if ui.depth_at_least("numbers"):
        for name in COLUMN_TITLES if result.is_columns else TITLES:
            _matrix(name, result, drawn, inputs)


def _takeaway(n_entry: int, entry: str) -> str:
    return LABELS("row_takeaway", n_entry=n_entry, entry=entry)


def _matrix(name: str, result: RowLookUp, drawn: DrawnPart, inputs: Inputs) -> None:
    """Draw one matrix, with a ▸ at all that belongs to the selected token; a click in a row selects its token."""
    given, entries, found, token = inputs.given, drawn.entries, result.vectors, inputs.token
    is_hot, is_columns, width = name == "hot", result.is_columns, drawn.table.shape[1]
    labels: dict[str, Linkable[Sequence[str]]] = {
        "token": ui.select_by_choice(_marked(given, given.ids, given.tokens), token),
        "entry": ui.select_by_choice(_marked(given, entries, drawn.names), token),
        "coordinate": [str(i) for i in range(width)],
    }
    parts = {"hot": found.one_hot[:, entries], "table": drawn.table, "product": found.product[:, :width]}
    at: dict[str, Linkable[int]] = {
        "token": token,
        "entry": ui.select_by_choice([entries.index(id) for id in given.ids], token),
        "coordinate": 0,
    }
    of_entry = [given.ids.index(one) if one in given.ids else None for one in entries]
    rows, columns = SIDES[name][:: -1 if is_columns else 1]
    limit = float(np.abs(drawn.table).max()) or 1.0
    ui.matrix(
        parts[name].T if is_columns else parts[name],
        rows=labels[rows],
        columns=labels[columns],
        key=f"rows.{name}:{drawn.content}",
        kind="probability" if is_hot else "signed",
        row_title=SIDE_TITLES[rows],
        column_title=SIDE_TITLES[columns],
        value_title=LABELS["one_hot"] if is_hot else LABELS["number"],
        selected=(at[rows], at[columns]),
        click_sets={"column" if is_columns else "row": (token, of_entry) if name == "table" else token},
        label=(COLUMN_TITLES if is_columns else TITLES)[name],
        height=440 if is_columns else 320,
        limits=None if is_hot else (-limit, limit),
    )


def _marked(given: ModelAndText, ids: Sequence[int], names: Sequence[str]) -> list[list[str]]:
    """Return for each token of the text the names, with a ▸ before those of its id."""
    return [[f"▸{name}" if one == id else name for one, name in zip(ids, names, strict=True)] for id in given.ids]
