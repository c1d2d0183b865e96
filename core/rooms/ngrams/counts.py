"""Pairs of adjacent tokens, counted: the whole bigram model in one picture, and the trigrams slice by slice."""

import re
from collections import Counter

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import NothingToShow, Table, ViewChoice, segmented_control, select, selection_in_picture, toggle
from core.rooms.ngrams.compute import counting
from core.rooms.ngrams.compute.counting import CountTable, NGramCounts, Occurrence
from core.rooms.ngrams.inputs import NGramInputs
from core.ui.widgets.mount import index_or_none

LABELS = module_labels(__name__)

TABLE_SIZES = [12, 20, 30, 40]
MAX_TOKENS = 60  # more rows than fit on a screen can't be compared
ANY_TOKEN = -1  # no token before: the table of pairs
LONGEST_NAME = 24
CONTEXT_TOKENS = {"char": 32, "word": 9, "bpe": 12}  # tokens on each side of an occurrence: about a line
CODE = (counting.count_bigrams, counting.count_trigrams, counting.find_occurrences, NGramCounts.of)


def _first_tokens(inputs: "Inputs") -> dict[int, str]:
    """Return the tokens that triples may begin with, with distinct labels, because two tokens may look the same."""
    ids = counting.most_common_tokens(inputs.text.counts, TABLE_SIZES[-1]).tolist()
    names = [f"{visible_token(name)[:LONGEST_NAME]} …" for name in inputs.text.names(ids)]
    n = Counter(names)
    labels = {i: f"{name} ({i})" if n[name] > 1 else name for i, name in zip(ids, names, strict=True)}
    return {ANY_TOKEN: LABELS["any_token"]} | labels


def _cell(pick: object, _: object) -> str | None:
    sent = [index_or_none(pick.get(part), MAX_TOKENS) if isinstance(pick, dict) else None for part in ("row", "column")]
    return None if None in sent else "-".join(map(str, sent))


def _check(cell: str, _: object) -> None:
    if not re.fullmatch(r"([0-9]{1,2}-[0-9]{1,2})?", cell):
        raise ValueError(LABELS["no_cell"])


def _content(inputs: "Inputs") -> str:
    """Return a key of the table's content."""
    return f"{inputs.text.corpus}-{inputs.text.unit}-{inputs.top}-{inputs.first}-{inputs.signs}"


def _left_out(inputs: "Inputs") -> list[int]:
    """Return the tokens without a letter or digit, if only words are counted."""
    if inputs.signs or inputs.text.unit == "char":
        return []
    every = range(inputs.text.counts.vocab_size)
    return [i for i, name in zip(every, inputs.text.names(every), strict=True) if not any(map(str.isalnum, name))]


class Inputs(NGramInputs, prefix="gram_"):
    shows: str = segmented_control(["counts", "probabilities"], "counts", view=ViewChoice())
    top: int = segmented_control(TABLE_SIZES, 12)
    first: int = select(
        _first_tokens,
        ANY_TOKEN,
    )
    signs: bool = toggle(
        when=lambda i: i.text.unit != "char" and i.first == ANY_TOKEN,
    )
    sums: bool = toggle(True)
    cell: str = selection_in_picture("gram.counts", "", text=_cell, check=_check, content=_content)


class PairTable(CountTable):
    """The table, and the occurrences of the chosen pair or triple."""

    row_names: tuple[str, ...]  # printable
    column_names: tuple[str, ...]
    after: str  # name of the token before all rows; "" for pairs
    chosen: tuple[int, int] | None  # row and column of the cell that was clicked
    fullest: tuple[int, int]  # the cell with the largest count
    n_place: int  # how often the chosen n-gram occurs in the text
    places: tuple[Occurrence, ...]  # its first occurrences
    n_different: tuple[int, ...]  # number of different n-grams of 1, 2 and 3 tokens that occur
    share_of_triples: str  # fraction of all possible triples that occur

    @property
    def formula(self) -> str:
        """The formula of the chosen cell, or of the fullest one."""
        row, column = self.chosen or self.fullest
        count, total = int(self.counts[row, column]), int(self.totals[row])
        no_total = LABELS["no_total"]
        value = f"{count / total:.4f}" if total else rf"\text{{{no_total}}}"
        whose = LABELS["chosen_cell" if self.chosen else "fullest_cell"]
        return rf"\text{{{whose}: }} \frac{{c(h, w)}}{{c(h)}} = \frac{{{count}}}{{{total}}} = {value}"

    def table(self) -> Table:
        rows, columns = np.nonzero(self.counts)
        order = np.argsort(-self.counts[rows, columns], kind="stable")
        rows, columns = rows[order], columns[order]
        return {
            LABELS["first_column"]: [self.row_names[row] for row in rows],
            LABELS["next_column"]: [self.column_names[column] for column in columns],
            LABELS["count"]: self.counts[rows, columns].astype(int).tolist(),
            LABELS["total"]: self.totals[rows].astype(int).tolist(),
            LABELS["probability"]: self.probabilities[rows, columns].tolist(),
        }


def compute(inputs: Inputs) -> PairTable:
    """Count pairs of the most frequent tokens, or triples that begin with a given one, and find the chosen n-gram."""
    text, before = inputs.text, [] if inputs.first == ANY_TOKEN else [inputs.first]
    counts, n = text.counts, inputs.top
    if before:
        table = counting.count_trigrams(counts, inputs.first, n)
    else:
        table = counting.count_bigrams(counts, n, _left_out(inputs))
    if not table.counts.size:
        raise NothingToShow(LABELS["nothing_follows"])
    row, column = map(int, inputs.cell.split("-")) if inputs.cell else (MAX_TOKENS, 0)
    chosen = (row, column) if row < len(table.rows) and column < len(table.columns) else None
    ngram = [*before, int(table.rows[row]), int(table.columns[column])] if chosen else []
    n_place, places = 0, list[Occurrence]()
    if chosen:
        n_place, places = counting.find_occurrences(text.train, ngram, around=CONTEXT_TOKENS[text.unit])
    n_different = tuple(len(level.keys) - 1 for level in counts.plain[:3])
    fullest = np.unravel_index(int(table.counts.argmax()), table.counts.shape)
    return PairTable(
        **vars(table),
        row_names=text.names(table.rows),
        column_names=text.names(table.columns),
        after="".join(text.names(before)),
        chosen=chosen,
        fullest=(int(fullest[0]), int(fullest[1])),
        n_place=n_place,
        places=tuple(Occurrence(one.position, *map(text.names, (one.before, one.found, one.after))) for one in places),
        n_different=n_different,
        share_of_triples=_share(n_different[2], n_different[0] ** 3),
    )


def _share(n: int, of: int) -> str:
    if n / of >= 1e-4:
        return f"{n / of:.2%}"
    return LABELS("one_in", n_possible=of / n) if n else LABELS["none"]


def _short_names(names: tuple[str, ...], unit: str) -> tuple[str, ...]:
    """Return the names of words without the space before them, unless two would then look the same."""
    short = tuple(name.strip() or name for name in names)
    return short if unit == "word" and len(set(short)) == len(names) else names


def draw(result: PairTable, inputs: Inputs) -> None:
    """Draw the table of counts, colored logarithmically; pairs that never occur are empty."""
    ui.mount_widget(
        "ngram_counts",
        key=ui.picks.picture_widget_key("gram.counts", _content(inputs)),
        state=("pick",),
        counts=result.counts.astype(np.uint32),
        totals=result.totals.astype(np.uint32),
        rows=_short_names(result.row_names, inputs.text.unit),
        columns=_short_names(result.column_names, inputs.text.unit),
        shows=inputs.shows,
        sums=inputs.sums,
        first=result.after or None,
        selected=result.chosen,
        fullest=result.fullest,
        found=[one._asdict() for one in result.places],
        label=ui.section_text("label", first_name=visible_token(result.after)[:LONGEST_NAME] if result.after else ""),
        takeaway=ui.section_text("takeaway"),
    )
