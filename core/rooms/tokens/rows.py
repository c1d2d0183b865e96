"""From ids to vectors: one-hot times the embedding matrix is a look-up of rows."""

import numpy as np
import streamlit as st
import torch

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.tokens.compute import one_hot
from core.rooms.tokens.compute.one_hot import Embedded
from core.rooms.tokens.row_pictures import clicked_token, draw, draw_copied, pictures, shown_width
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_inputs
from core.ui.text import escape_markdown, plural

MOST_TOKENS = 16  # so many rows can still be told apart, three pictures on a page
SENTENCE = "Tom and Mia played near the park. Mia hid under the bench."


def look_here() -> ModelAndText | None:
    """The bar of the exhibit: model and text, at most sixteen tokens of it."""
    with controls.defaults(text=SENTENCE):
        return pick_inputs(most=MOST_TOKENS, kinds=(*models.READERS, "rnn"))


@memoize(MAX_TRACES)
def found_in(key: ModelKey, packed: str) -> Embedded:
    """The vectors of a text, multiplied and looked up."""
    return one_hot.embed(_table_of(key), torch.tensor(models.unpack(packed)))


def _table_of(key: ModelKey) -> torch.Tensor:
    """(V, D) the model's own table of embeddings; not kept here, because it can be large."""
    return models.load(key).model.get_parameter("tok_emb.weight").detach().float()


@exhibit(
    title="One-hot times the embeddings is a look-up",
    look_for="a token that occurs twice, both times marked ▸. Its two rows of the product are the same row of the "
    "table, to the last digit.",
    try_this=[
        (
            "Click a row of the one-hot matrix, or move “Token” along the text.",
            "Its single 1 is in the column of the token's id. That row of the table and the token's row of the "
            "product, both marked ▸, hold the same numbers.",
        ),
        (
            "Go from one “Mia” of the sentence to the other, positions 2 and 8.",
            "Two positions, one vector. Where a word is, and what's beside it, isn't in here yet: that's the work "
            "of positions and attention.",
        ),
        (
            "Switch to columns.",
            "Lecture notes often write a token as a column. Then the table comes first, and every matrix is turned "
            "on its side (transposed). The numbers are the same.",
        ),
    ],
    code=(one_hot.one_hot, one_hot.embed, one_hot.repeats),
)
def one_hot_look_up(looked: ModelAndText) -> Shown:
    """The three matrices, the largest difference, and what each way costs."""
    found = found_in(looked.key, looked.encoded.packed)
    ids = looked.encoded.ids
    if picks.has_changed("rows.token", looked.encoded.packed):
        controls.reset("hot_token", _first_repeat(ids))
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with right:
        is_columns = (
            controls.segmented(
                "hot_way",
                "A token is a",
                ["row", "column"],
                "row",
                labels={"row": "Row (ours)", "column": "Column"},
                help="Row, or column, as often written: the same numbers, with every table transposed.",
            )
            == "column"
        )
    content = content_key(looked.key, looked.encoded.packed, is_columns)[:12]
    clicked = clicked_token(looked, found, content, is_columns=is_columns)
    if clicked is not None:
        controls.put("hot_token", clicked)
    with left:
        at = int(controls.slider("hot_token", "Token", 0, len(ids) - 1, _first_repeat(ids), step=1))
    table = _table_of(looked.key).numpy()
    draw_copied(at, looked, found, table, content)
    first, second, third = pictures(looked, found, table, is_columns=is_columns)
    picture_side, text_side = layout.pair("rows-first")
    with picture_side:
        draw(first, at, looked, found, content, is_columns=is_columns)
    with text_side:
        _say(looked, found, at)
    draw(second, at, looked, found, content, is_columns=is_columns)
    draw(third, at, looked, found, content, is_columns=is_columns)
    _say_cost(looked, found)
    return Shown(
        numbers=lambda: found.table(looked.encoded.tokens, ids),
        arrays=lambda: {
            "one_hot": found.one_hot,
            "table": _table_of(looked.key).numpy(),
            "product": found.product,
            "rows": found.rows,
        },
        formula=_with_numbers(found, ids[at], at, is_columns),
        script=lambda: scripts.script(
            """
            import torch

            from core.data.csv_table import print_table
            from core.rooms.tokens.compute import one_hot
            from core.models.pretrained import load

            $folder
            found = load(FOLDER)
            model, tokenizer = found.model, found.tokenizer
            ids = $ids

            # One-hot rows times the table of embeddings, and the same rows looked up.
            vectors = one_hot.embed(model.get_parameter("tok_emb.weight"), torch.tensor(ids))
            print_table(vectors.table(tokenizer.tokens(ids), ids))
            """,
            folder=scripts.folder(looked.key),
            ids=scripts.ids(looked),
        ),
    )


def _first_repeat(ids: tuple[int, ...]) -> int:
    """The first token that comes again later; else the first of all."""
    return next((place for place, one in enumerate(ids) if one in ids[place + 1 :]), 0)


def _say(looked: ModelAndText, found: Embedded, at: int) -> None:
    """The chosen token, and what is drawn: one element."""
    tokens, ids = looked.encoded.tokens, looked.encoded.ids
    vocab_size, d_model = found.one_hot.shape[1], found.product.shape[1]
    again = [one for one in one_hot.repeats(np.array(ids), found.product) if one.id == ids[at]]
    same = (
        f"It's at {_listed(again[0].places)}; its rows of the product differ by **{again[0].difference:g}**."
        if again
        else "It occurs once in this text."
    )
    st.markdown(
        f"Token {at}, **“{escape_markdown(tokens[at].strip() or tokens[at])}”**, has the id **{ids[at]}**: row "
        f"{ids[at]} of the table is its vector. {same}\n\nDrawn: {plural(len(set(ids)), 'token')} of the text and a "
        f"few others, out of {vocab_size:,}, with {shown_width(found)} of {d_model} numbers each. All of them were "
        "computed."
    )


def _say_cost(looked: ModelAndText, found: Embedded) -> None:
    """The largest difference between the two ways, and what each of them costs."""
    (n_token, vocab_size), d_model = found.one_hot.shape, found.product.shape[1]
    st.markdown(
        f"Largest difference between product and look-up, over all {found.copied:,} numbers: "
        f"**{found.difference:g}**. The product takes {n_token} × {vocab_size:,} × {d_model} = "
        f"**{found.multiply_adds:,}** multiplications, nearly all with a zero; the look-up just copies "
        f"**{found.copied:,}** numbers. So programs look up; the product is the way to write it down."
    )


def _listed(places: tuple[int, ...]) -> str:
    *first, last = [str(place) for place in places]
    return f"positions {', '.join(first)} and {last}"


def _with_numbers(found: Embedded, id: int, at: int, is_columns: bool) -> str:
    """The look-up of the chosen token, in its own numbers; two lines, so that it fits a narrow screen."""
    numbers = r",\ ".join(f"{value:.2f}" for value in found.rows[at, :4]) + r",\ \dots"
    (n_token, vocab_size), d_model = found.one_hot.shape, found.product.shape[1]
    if is_columns:
        product = rf"\Omega\, T:\ ({d_model} \times {vocab_size})\,({vocab_size} \times {n_token})"
        row = rf"\Omega_{{:,{id}}}"
    else:
        product = rf"T\,E:\ ({n_token} \times {vocab_size})\,({vocab_size} \times {d_model})"
        row = rf"E_{{{id}}}"
    return rf"\begin{{aligned}} X &= {product} \\ x_{{{at}}} &= {row} = ({numbers}) \end{{aligned}}"
