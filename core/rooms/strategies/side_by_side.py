"""One prompt, up to six strategies: what each of them writes, and what it costs."""

import math
from typing import Any

from core import ui
from core.data.tokenizers.stream import continuation
from core.exhibit import picked, slider
from core.generate import beam
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.reading.place_in_text import words_before
from core.rooms.strategies import columns_widget as widget
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns, side_by_side
from core.rooms.strategies.compute.side_by_side import SideBySide
from core.rooms.strategies.inputs import Looked
from core.rooms.strategies.spelling import LETTER_OF
from core.ui.numbers import signed

DEFAULT = "greedy~softmax~t2~t2k5~t2p0.9~beam4"
PICTURE = "strategies.columns"
MOST_TOKENS = 120  # each is a pass of the model, and the server answers everybody
# Every step of every column keeps whole rows of the vocabulary until all is written down: 40 of 50,000 tokens take
# 0.1 GB and a second, and of a larger vocabulary fewer are written.
MOST_OF_LARGE, LARGE_VOCABULARY, MOST_NUMBERS = 40, 8_192, 2_500_000
BEST = {"mean log-probability": max, "distinct-2": max, "repeated 4-grams": min}
MEASURES = ("strategy", *BEST, "texts computed")
CODE = (columns.write, columns.filter_rows, beam.search, side_by_side.write_columns, side_by_side.distinct)


def _check(text: str, _: Any) -> None:
    found, problems = spelling.parse(text)
    if not found:
        raise ValueError(f"Strategies: {' '.join(problems[:3])}")


def _most(n_vocabulary: int) -> int:
    """New tokens."""
    if n_vocabulary <= LARGE_VOCABULARY:
        return MOST_TOKENS
    return min(MOST_OF_LARGE, max(10, MOST_NUMBERS // n_vocabulary))


class Inputs(Looked):
    n: int = slider(
        "New tokens",
        5,
        lambda i: _most(len(vocabulary(i.given.key))),
        40,
        name="columns_n",
        help="For each column. The prompt is the text.",
    )
    columns: str = picked(
        PICTURE,
        DEFAULT,
        part="columns",
        text=lambda sent, _: spelling.sent(sent, spelling.MAX_CHARS + 1, DEFAULT),
        check=_check,
    )


def compute(inputs: Inputs) -> SideBySide:
    """All columns; all but the beam searches write as one batch."""
    strategies = [one.strategy for one in spelling.parse(inputs.columns)[0]]
    given = inputs.given
    return side_by_side.write_columns(given.model, given.ids, strategies, inputs.n, eos_id=given.end_ids)


def draw(result: SideBySide, inputs: Inputs) -> None:
    """The columns, their tokens and a table of comparison."""
    spelled, problems = spelling.parse(inputs.columns)
    for problem in problems[:3]:
        ui.st.warning(f"Strategies: {ui.escape_markdown(problem)}")
    table = result.table()
    texts = [
        {
            **vars(column),
            "title": strategy.title,
            "spoken": continuation(inputs.given.tokenizer, inputs.given.ids, column.tokens),
            "kind": strategy.kind,
            "knobs": {LETTER_OF[name]: value for name, value in strategy.knobs},
            "seed": strategy.seed,
            "beams": strategy.n_beam if strategy.kind == "beam" else 4,
            "penalty": strategy.length_penalty,
            "locked": one.is_locked,
            "measures": [_print(table[name][c]) for name in MEASURES[1:]],
        }
        for c, (one, strategy, column) in enumerate(zip(spelled, result.strategies, result.columns, strict=True))
    ]
    widget.columns(
        texts,
        vocabulary=inputs.vocabulary,
        measures=MEASURES,
        best=[_leaders(table, name) for name in MEASURES[1:]],
        most=spelling.MAX_COLUMNS,
        key=ui.picks.key(PICTURE, ""),
        label=f"What follows “…{words_before(inputs.given, inputs.given.n_token)}”",
    )


def _leaders(table: dict[str, list[Any]], name: str) -> list[int]:
    """The columns that lead, where the measure tells better from worse."""
    finite = [value for value in table[name] if name in BEST and not math.isnan(value)]
    leaders = [c for c, value in enumerate(table[name]) if finite and abs(value - BEST[name](finite)) < 1e-6]
    return leaders if len(leaders) < len(table[name]) else []


def _print(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else signed(value, 3)
