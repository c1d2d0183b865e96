"""From ids to vectors: one-hot times the embedding matrix is a look-up of rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
import torch

from core.inspect import lookup
from core.inspect.lookup import Lookup
from core.ui import controls, models, picks, widgets
from core.ui.cache import MAX_TRACES, content_key, kept
from core.ui.frame import Shown, exhibit
from core.ui.looking import Looked
from core.ui.models import ModelKey
from core.ui.text import escape_markdown

MOST_TOKENS = 16  # so many rows of 64 and more numbers can still be told apart, three pictures on a page
MOST_OTHERS = 4  # vocabulary entries shown that do not occur: columns without a single 1
MOST_COLUMNS = 48  # of the model's width: narrower cells cannot be pointed at


@kept(MAX_TRACES)
def found_in(key: ModelKey, packed: str) -> Lookup:
    """The vectors of a text, multiplied and looked up."""
    table = models.load(key).model.get_parameter("tok_emb.weight")
    return lookup.look_up(table, torch.tensor(models.unpack(packed)))


def shown_entries(ids: tuple[int, ...], vocab_size: int) -> list[int]:
    """The vocabulary entries to show: all that occur, and a few that do not, in the order of their ids."""
    occurring = sorted(set(ids))
    others = [i for i in range(vocab_size) if i not in set(ids)][:MOST_OTHERS]
    return sorted([*occurring, *others])


@exhibit(
    title="One-hot times the embeddings is a look-up",
    look_for="the same token at two places: its two rows of the product are the same row of the table, to the last "
    "digit.",
    try_this=[
        (
            "Click a row of the one-hot matrix, then move “Token” along the text.",
            "Its single 1 stands in the column of the token's id. Below, that row of the table and the row of the "
            "product are marked: they hold the same numbers.",
        ),
        (
            "Go from one “Mia” of the stories model's text to the other.",
            "Two places, one vector. Where a word stands, and what stands beside it, is not in here yet: that is the "
            "work of positions and attention.",
        ),
        (
            "Switch to columns.",
            "Some texts write a token as a column: then the table comes first, and every matrix is the transpose of "
            "ours. The numbers are the same.",
        ),
    ],
    code=(lookup.one_hot, lookup.look_up, lookup.repeats),
)
def rows(looked: Looked) -> Shown:
    """The three matrices, the largest difference, and what each way costs."""
    found = found_in(looked.key, looked.encoded.packed)
    tokens, ids = looked.encoded.tokens, looked.encoded.ids
    content = content_key(looked.key, looked.encoded.packed)[:12]
    for picture in ("rows.hot", "rows.product"):
        pick = picks.news(picture, content)
        if isinstance(pick, Mapping):
            controls.put("hot_token", pick["column" if _is_columns() else "row"])
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        at = int(controls.slider("hot_token", "Token", 0, len(ids) - 1, _first_repeat(ids), step=1))
    with right:
        way = controls.segmented(
            "hot_way",
            "A token is a",
            ["row", "column"],
            "row",
            labels={"row": "Row (ours)", "column": "Column"},
            help="Row: X = T E. Column, as often written: X = Ω T, with Ω the transpose of our table.",
        )
    _say(looked, found, at)
    _draw(looked, found, at, way == "column", content)
    st.caption(
        f"Shown are the {len(set(ids))} vocabulary entries that occur and some that do not, of "
        f"{found.one_hot.shape[1]:,}; the other columns of the one-hot matrix are all zeros. Of each vector "
        f"{_width(found)} of {found.table.shape[1]} numbers are drawn. The product was computed with all of them."
    )
    return Shown(
        numbers=lambda: _table(looked, found),
        arrays={"one_hot": found.one_hot, "table": found.table, "product": found.product, "rows": found.rows},
        formula=_with_numbers(found, ids[at], at, way == "column"),
    )


def _is_columns() -> bool:
    return st.session_state.get("hot_way") == "column"


def _first_repeat(ids: tuple[int, ...]) -> int:
    """The first token that comes again later; else the first of all."""
    return next((place for place, one in enumerate(ids) if one in ids[place + 1 :]), 0)


def _say(looked: Looked, found: Lookup, at: int) -> None:
    tokens, ids = looked.encoded.tokens, looked.encoded.ids
    n_token, vocab_size = found.one_hot.shape
    again = [one for one in lookup.repeats(np.array(ids), found.product) if one.id == ids[at]]
    same = (
        f"It stands at {_listed(again[0].places)}; its rows of the product differ by {again[0].difference:g}."
        if again
        else "It stands in this text once."
    )
    st.markdown(
        f"Token {at} **“{escape_markdown(tokens[at].strip() or tokens[at])}”** has the id **{ids[at]}**: row {ids[at]} "
        f"of the table is its vector. {same}  \n"
        f"Largest difference between product and look-up: **{found.difference:g}**. The product takes "
        f"{n_token} × {vocab_size:,} × {found.table.shape[1]} = **{found.multiply_adds:,}** multiply-adds; the look-up "
        f"copies **{found.copied:,}** numbers and multiplies none. So programs look up."
    )


def _draw(looked: Looked, found: Lookup, at: int, is_columns: bool, content: str) -> None:
    tokens, ids = list(looked.encoded.tokens), looked.encoded.ids
    entries = shown_entries(ids, found.one_hot.shape[1])
    vocabulary = models.vocabulary(looked.key)
    names = [f"{i} {vocabulary[i]}" for i in entries]
    coordinates = [str(i) for i in range(_width(found))]
    part = slice(0, _width(found))
    limit = float(np.abs(found.table[entries, part]).max()) or 1.0
    place = entries.index(ids[at])
    pictures: list[tuple[str, dict[str, Any]]] = [
        (
            "hot",
            {
                "values": found.one_hot[:, entries],
                "rows": tokens,
                "columns": names,
                "kind": "probability",
                "row_title": "token",
                "column_title": "vocabulary entry",
                "value_title": "one-hot",
                "selected": (at, place),
                "label": "T: one-hot",
            },
        ),
        (
            "table",
            {
                "values": found.table[entries, part],
                "rows": names,
                "columns": coordinates,
                "kind": "signed",
                "limits": (-limit, limit),
                "row_title": "vocabulary entry",
                "column_title": "coordinate",
                "value_title": "number",
                "selected": (place, 0),
                "label": "E: the table of embeddings",
            },
        ),
        (
            "product",
            {
                "values": found.product[:, part],
                "rows": tokens,
                "columns": coordinates,
                "kind": "signed",
                "limits": (-limit, limit),
                "row_title": "token",
                "column_title": "coordinate",
                "value_title": "number",
                "selected": (at, 0),
                "label": "X = T E: the vectors of the text",
            },
        ),
    ]
    if is_columns:
        pictures = [(name, _transposed(options)) for name, options in (pictures[1], pictures[0], pictures[2])]
    for name, options in pictures:
        selected = options["selected"]
        widgets.matrix(
            **options,
            key=picks.key(f"rows.{name}", content, {"row": selected[0], "column": selected[1]}),
            height=300,
        )


def _transposed(options: dict[str, Any]) -> dict[str, Any]:
    """The same picture with columns for rows, under the names that texts with columns use."""
    labels = {
        "T: one-hot": "T: one-hot, a column for each token",
        "E: the table of embeddings": "Ω: the table of embeddings, a column for each entry",
        "X = T E: the vectors of the text": "X = Ω T: the vectors of the text",
    }
    return options | {
        "values": options["values"].T,
        "rows": options["columns"],
        "columns": options["rows"],
        "row_title": options["column_title"],
        "column_title": options["row_title"],
        "selected": options["selected"][::-1],
        "label": labels[options["label"]],
    }


def _width(found: Lookup) -> int:
    return min(MOST_COLUMNS, found.table.shape[1])


def _listed(places: tuple[int, ...]) -> str:
    *first, last = [str(place) for place in places]
    return f"places {', '.join(first)} and {last}"


def _with_numbers(found: Lookup, id: int, at: int, is_columns: bool) -> str:
    """The look-up of the chosen token, in its own numbers."""
    row = found.table[id]
    numbers = r",\ ".join(f"{value:.2f}" for value in row[:4]) + r",\ \dots"
    n_token, vocab_size = found.one_hot.shape
    d_model = found.table.shape[1]
    if is_columns:
        sizes = rf"({d_model} \times {vocab_size}) \cdot ({vocab_size} \times {n_token})"
        return rf"X = \Omega\, T:\quad {sizes} \;\to\; {d_model} \times {n_token}, \qquad x_{{{at}}} = \Omega_{{:,{id}}} = ({numbers})"
    sizes = rf"({n_token} \times {vocab_size}) \cdot ({vocab_size} \times {d_model})"
    return rf"X = T\,E:\quad {sizes} \;\to\; {n_token} \times {d_model}, \qquad x_{{{at}}} = E_{{{id}}} = ({numbers})"


def _table(looked: Looked, found: Lookup) -> dict[str, Any]:
    table: dict[str, Any] = {
        "position": list(range(len(looked.encoded.ids))),
        "token": list(looked.encoded.tokens),
        "id": list(looked.encoded.ids),
    }
    return table | {f"x{i}": found.product[:, i] for i in range(found.product.shape[1])}
