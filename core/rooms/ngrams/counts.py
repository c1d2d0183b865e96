"""Pairs of neighbors, counted: the whole bigram model in one picture, and the trigrams slice by slice."""

import numpy as np
import streamlit as st

from core.cache import memoize
from core.rooms.ngrams import choice
from core.rooms.ngrams.choice import Chosen, Reading
from core.rooms.ngrams.compute import ngram_tables
from core.rooms.ngrams.compute.ngram_counts import Counts
from core.rooms.ngrams.compute.ngram_tables import Table
from core.rooms.ngrams.ngram_counts_widget import Found, ngram_counts
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown, visible
from core.ui.widgets.mount import index

MAX_TABLES = 64  # of some kilobytes
SIZES = (12, 20, 30, 40)
PAIRS = -1  # no token before: the table of pairs
LONGEST_NAME = 24
AROUND = {"char": 32, "word": 9, "bpe": 12}  # tokens on each side of a place: about a line


@memoize(MAX_TABLES)
def table(source: str, cut: str, n: int, first: int) -> Table:
    """Pairs of the n most frequent tokens, or the triples that begin with `first`. May be empty."""
    counts = choice.counts(source, cut)
    return ngram_tables.pairs(counts, n) if first == PAIRS else ngram_tables.triples(counts, first, n)


@exhibit(
    title="Counting pairs",
    look_for="how many cells are empty: those pairs never occur in the text. A row with a single filled cell, and "
    "nothing under “others”, is a token that always continues the same way.",
    try_this=[
        (
            "Show probabilities and read the sums of the rows.",
            "Each count is divided by the sum of its row, so every row adds up to 1. Tokens without a column are "
            "counted under “others”.",
        ),
        (
            "Click a cell.",
            "You see the first places where the pair occurs in the text. The count is just the number of such places.",
        ),
        (
            "Choose a token under “Only after this token”: pairs become triples.",
            "Rows are now what follows that token, columns what comes after both. With two tokens of the past instead "
            "of one, the next is more certain.",
        ),
    ],
    code=(ngram_tables.pairs, ngram_tables.triples, ngram_tables.places, Counts.of),
    formula=r"p(w \mid h) = \frac{c(h, w)}{c(h)}, \qquad c(h) = \sum_{w'} c(h, w')",
)
def counting_pairs(chosen: Chosen) -> Shown:
    """The table, its controls, and the places of the pair that was clicked."""
    read, counts = choice.reading(chosen.source, chosen.cut), choice.counts(chosen.source, chosen.cut)
    with st.container(horizontal=True):
        shows = controls.segmented("gram_shows", "Cells show", ["counts", "probabilities"], "counts")
        size = controls.segmented("gram_top", "Most frequent tokens", list(SIZES), 20)
    left, right = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with left:
        first = _ask_first(read, ngram_tables.most_common(counts, SIZES[-1]).tolist())
    with right:
        sums = controls.toggle(
            "gram_sums", "Sums of the rows", True, help="How much of each row has no column here, and its total."
        )
    shown = table(chosen.source, chosen.cut, size, first)
    content = f"{chosen.source}-{chosen.cut}-{size}-{first}"
    if not shown.counts.size:
        st.info("Nothing ever follows this token in the training text. Choose another one.")
        return Shown()
    at = _picked(content, *shown.counts.shape)
    before = [] if first == PAIRS else [first]
    ngram = None if at is None else [*before, int(shown.rows[at[0]]), int(shown.columns[at[1]])]
    n_place, places = (0, []) if ngram is None else ngram_tables.places(read.train, ngram, around=AROUND[chosen.cut])
    rows, columns = read.names(shown.rows), read.names(shown.columns)
    name = "" if first == PAIRS else read.names([first])[0]
    ngram_counts(
        shown.counts,
        shown.totals,
        rows=rows,
        columns=columns,
        key=picks.key("gram.counts", content),
        shows="counts" if shows == "counts" else "probabilities",
        sums=sums,
        first=name or None,
        selected=at,
        found=[
            Found(one.position, read.names(one.before), read.names(one.found), read.names(one.after)) for one in places
        ],
        label=f"What follows “{visible(name)[:LONGEST_NAME]}” and one more token"
        if name
        else f"What follows each of the {len(rows)} most frequent {chosen.plural}",
        takeaway=_takeaway(shown, rows, columns),
    )
    if n_place > len(places):
        st.caption(f"The first {len(places)} of {n_place:,} places.")
    elif ngram is not None and not n_place:
        st.caption("This never occurs in the training text.")
    _in_words(shown, counts, first, chosen)
    return Shown(
        numbers=lambda: shown.table(rows, columns),
        script=lambda: _script(chosen, size, first),
        arrays=lambda: {"rows": shown.rows, "columns": shown.columns, "counts": shown.counts, "totals": shown.totals},
        formula=_filled(shown, at),
    )


def _script(chosen: Chosen, size: int, first: int) -> str:
    return scripts.script(
        """
        $imports
        from core.rooms.ngrams.compute import ngram_tables
        from core.rooms.ngrams.compute.ngram_tables import names

        $counted
        # Which of the most frequent tokens follows which, and how often.
        table = ngram_tables.$table
        print_table(table.table(names(tokenizer, table.rows), names(tokenizer, table.columns)))
        """,
        **choice.in_script(chosen),
        table=scripts.Code(f"pairs(counts, {size})" if first == PAIRS else f"triples(counts, {first}, {size})"),
    )


def _ask_first(read: Reading, ids: list[int]) -> int:
    names = {i: f"{visible(name)[:LONGEST_NAME]} …" for i, name in zip(ids, read.names(ids), strict=True)}
    for i in ids:  # two tokens may look alike
        if list(names.values()).count(names[i]) > 1:
            names[i] = f"{names[i]} ({i})"
    return controls.select(
        "gram_first",
        "Only after this token",
        [PAIRS, *ids],
        PAIRS,
        labels={PAIRS: "any token: pairs", **names},
        help="Choose a token, and the table counts the triples that begin with it: one slice of all trigrams.",
    )


def _picked(content: str, n_row: int, n_column: int) -> tuple[int, int] | None:
    """The cell that was clicked last in this table; nothing after Esc, or where the link holds none."""
    pick = picks.news("gram.counts", content)
    if isinstance(pick, dict):
        row, column = index(pick.get("row"), n_row), index(pick.get("column"), n_column)
        if row is not None and column is not None:
            picks.remember("gram_cell", f"{row}-{column}")
    elif picks.was_cleared("gram.counts", content) or picks.has_changed("gram.counts", content):
        picks.remember("gram_cell", None)
    held = (picks.remembered("gram_cell") or "").split("-")
    if len(held) != 2 or not all(part.isascii() and part.isdecimal() and len(part) < 4 for part in held):
        return None
    row, column = index(int(held[0]), n_row), index(int(held[1]), n_column)
    return None if row is None or column is None else (row, column)


def _takeaway(shown: Table, rows: list[str], columns: list[str]) -> str:
    row, column = np.unravel_index(int(shown.counts.argmax()), shown.counts.shape)
    return (
        f"Counts of {len(rows)} by {len(columns)} tokens; most often, {int(shown.counts[row, column]):,} times, "
        f"“{columns[column]}” follows “{rows[row]}”."
    )


def _in_words(shown: Table, counts: Counts, first: int, chosen: Chosen) -> None:
    """How empty the whole table is, not only its shown part."""
    n = len(counts.plain[0].keys) - 1
    seen = len(counts.plain[1].keys) - 1
    empty = float((shown.counts == 0).mean())
    st.markdown(
        f"**{empty:.0%}** of the {shown.counts.size:,} cells above are empty. "
        f"In the whole table, all {n:,} different {escape_markdown(chosen.plural)} by all {n:,}, "
        f"**{seen:,}** of {n * n:,} pairs occur at least once: **{seen / n / n:.1%}**."
        + ("" if first == PAIRS else f" Of all {n**3:,} triples, **{_share(len(counts.plain[2].keys) - 1, n**3)}** do.")
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if part / whole >= 1e-4 else f"1 in {whole / part:,.0f}" if part else "none"


def _filled(shown: Table, at: tuple[int, int] | None) -> str:
    """The formula with the numbers of the clicked cell, or of the fullest one."""
    row, column = at or np.unravel_index(int(shown.counts.argmax()), shown.counts.shape)
    count, total = int(shown.counts[row, column]), int(shown.totals[row])
    value = f"{count / total:.4f}" if total else r"\text{nothing to divide by}"
    whose = "the cell you chose" if at else "the fullest cell"
    return rf"\text{{{whose}: }} \frac{{c(h, w)}}{{c(h)}} = \frac{{{count}}}{{{total}}} = {value}"
