"""One prompt, up to six strategies: what each of them writes, and what it costs."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from core.cache import memoize
from core.generate import beam
from core.inspect.model_and_text import ModelAndText
from core.rooms.strategies import columns_widget as widget
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import columns, side_by_side, text_quality
from core.rooms.strategies.compute.columns import Strategy
from core.rooms.strategies.place import before
from core.rooms.strategies.spelling import LETTER_OF, Spelled
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import signed
from core.ui.text import escape_markdown

if TYPE_CHECKING:
    from core.rooms.strategies.compute.side_by_side import Column, SideBySide

DEFAULT = "greedy~softmax~t2~t2k5~t2p0.9~beam4"
MOST_TOKENS = 120  # each is a pass of the model, and the server answers everybody
# Every step of every column keeps whole rows of the vocabulary until all is written down: 50,000 tokens take 0.1 GB.
MOST_OF_LARGE, LARGE_VOCABULARY = 40, 8_192
NAME = "columns"
MEASURES = ("strategy", "mean log-probability", "distinct-2", "repeated 4-grams", "texts computed")
_JUDGED = {"mean log-probability": max, "distinct-2": max, "repeated 4-grams": min}


@memoize(64)
def written(key: ModelKey, packed: str, asked: str, n: int) -> "SideBySide":
    """All columns; the same seeds give the same texts."""
    strategies = [one.strategy for one in spelling.parse(asked)[0]]
    return side_by_side.write_columns(models.load(key).model, models.unpack(packed), strategies, n)


@exhibit(
    title="Strategies side by side",
    look_for="faint tokens, the unlikely ones. Columns with the same seed use the same random numbers, so they differ "
    "only in what each strategy does to the model's probabilities.",
    try_this=[
        (
            "Read “temperature 2” and the two columns after it. Press “New seeds” and read again.",
            "On its own it derails: sooner or later it draws a token that isn't among the model's favorites. With "
            "top-k 5 that can't happen. With top-p 0.9 it still can: the temperature comes first, and the flatter the "
            "probabilities, the more tokens top-p keeps.",
        ),
        (
            "Point at a faint token in the column “temperature 2”.",
            "Below you see what it was chosen from: outlined what the model gave, filled what was drawn from, and "
            "where the random number fell.",
        ),
        (
            "Lock a column and press “New seeds” a few times.",
            "Every column that draws writes something new, except the locked one. Greedy and beam search draw nothing, "
            "so they stay as they are.",
        ),
    ],
    code=(columns.write, columns.filter_rows, beam.search, side_by_side.write_columns, text_quality.distinct),
)
def strategies_side_by_side(looked: ModelAndText) -> Shown:
    """The columns, their tokens and a table of comparison."""
    vocabulary = models.vocabulary(looked.key)
    most = MOST_TOKENS if len(vocabulary) <= LARGE_VOCABULARY else MOST_OF_LARGE
    n = int(
        controls.slider("columns_n", "New tokens", 5, most, 40, step=1, help="For each column. The prompt is the text.")
    )
    content = f"{looked.key}|{n}"
    _take(content)
    chosen = _asked()
    with models.patience(looked.key, "Writing all columns …"):
        result = written(looked.key, looked.encoded.packed, spelling.join(chosen), n)
    strategies = [one.strategy for one in chosen]
    titles = [one.title for one in strategies]
    table = result.table(strategies) | {"time": result.times}
    texts = [
        _settings(one, title, vocabulary, column) | vars(column)
        for one, title, column in zip(chosen, titles, result.columns, strict=True)
    ]
    for c, one in enumerate(texts):
        one["measures"] = [_print(table[name][c]) for name in MEASURES[1:]]
    widget.columns(
        texts,
        vocabulary=vocabulary,
        measures=MEASURES,
        best=_best(table),
        most=spelling.MAX_COLUMNS,
        key=picks.key("strategies.columns", content),
        label=f"What follows “…{before(looked, len(looked.encoded.tokens))}”",
        takeaway=f"{len(texts)} strategies: {', '.join(titles)}.",
    )
    unit = ", in nats per token" if depth.at_least("numbers") else ""
    st.caption(
        f"What the table measures. **Mean log-probability**: how likely the model itself, before any filter, found the "
        f"tokens{unit}; the nearer to 0, the likelier. **Distinct-2**: the share of different pairs among all pairs of "
        "neighbors. **Repeated 4-grams**: the share of groups of four tokens that came earlier in the same text. "
        "**Texts computed**: one for each step; in a beam search, one for each text it follows. The best values are in "
        "bold, but none of these measures tells you which text is good."
    )
    depth.note(_cost(result, chosen, len(vocabulary), n))
    return Shown(
        numbers=table,
        arrays=lambda: _arrays(result.columns),
        script=lambda: _script(looked, strategies, n, result.times),
    )


def _script(looked: ModelAndText, strategies: Sequence[Strategy], n: int, times: Sequence[str]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.strategies.compute.columns import Strategy
        from core.rooms.strategies.compute import side_by_side
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids
        strategies = [
            $strategies
        ]

        # All but the beam searches write as one batch.
        result = side_by_side.write_columns(model, ids, strategies, max_new_tokens=$n)

        # As measured in the app: every machine has its own times, and here they are `result.times`.
        times = $times
        print_table(result.table(strategies) | {"time": times})
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        strategies=scripts.lines([spelling.as_code(one) for one in strategies], indent=4),
        n=n,
        times=list(times),
    )


def _take(content: str) -> None:
    """Move what was changed in the picture into the address."""
    new = picks.news("strategies.columns", content, "columns")
    if isinstance(new, dict) and isinstance(new.get("text"), str):
        picks.remember(NAME, new["text"][: spelling.MAX_CHARS + 1] or None)


def _asked() -> list[Spelled]:
    """The columns of the address; what is wrong with it is told, and the default stands in where nothing is left."""
    text = picks.remembered(NAME)
    if text is None:
        return spelling.parse(DEFAULT)[0]
    found, problems = spelling.parse(text)
    for problem in problems[:3]:
        st.warning(f"Strategies: {escape_markdown(problem)}")
    return found or spelling.parse(DEFAULT)[0]


def _settings(one: Spelled, title: str, vocabulary: Sequence[str], column: "Column") -> dict[str, Any]:
    strategy = one.strategy
    return {
        "title": title,
        "spoken": "".join(vocabulary[i] for i in column.tokens),
        "kind": strategy.kind,
        "knobs": {LETTER_OF[name]: value for name, value in strategy.knobs},
        "seed": strategy.seed,
        "beams": strategy.n_beam if strategy.kind == "beam" else 4,
        "penalty": strategy.length_penalty,
        "locked": one.is_locked,
    }


def _best(table: dict[str, list[Any]]) -> list[list[int]]:
    """For each measure the columns that lead, where the measure tells better from worse."""
    out: list[list[int]] = []
    for name in MEASURES[1:]:
        finite = [value for value in table[name] if name in _JUDGED and not math.isnan(value)]
        top = _JUDGED[name](finite) if finite else math.nan
        leaders = [c for c, value in enumerate(table[name]) if finite and abs(value - top) < 1e-6]
        out.append(leaders if len(leaders) < len(table[name]) else [])
    return out


def _cost(result: "SideBySide", chosen: Sequence[Spelled], n_vocabulary: int, n: int) -> str:
    parts = []
    if result.n_batched:
        who = "The column was" if result.n_batched == 1 else f"{result.n_batched} columns were"
        parts.append(
            f"{who} written in {'one batch' if result.n_batched > 1 else 'one go'}: {result.passes} passes of the "
            f"network, {result.computed:,} tokens computed, {result.seconds * 1000:.0f} ms in all."
        )
    for one, column in zip(chosen, result.columns, strict=True):
        if one.strategy.kind == "beam":
            cost, b = column.cost, one.strategy.n_beam
            parts.append(
                f"Beam {b} ran on its own: {cost.steps} passes, {cost.computed:,} tokens, {column.seconds * 1000:.0f} "
                f"ms. It looked at {cost.numbers:,} numbers; B·V·N = {b} · {n_vocabulary:,} · {n} = "
                f"{b * n_vocabulary * n:,}{' (the first step has one text only)' if b > 1 else ''}."
            )
    parts.append(
        f"To choose, a column with one text looks at V·N = {n_vocabulary:,} · {n} = {n_vocabulary * n:,} numbers, for "
        "V tokens in the vocabulary and N steps. A lecture note, which writes K for V, gives these as O(KN) and "
        "O(BKN). Both leave out the network itself, which computes far more."
    )
    return " ".join(parts)


def _print(value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return signed(value, 3)


def _arrays(found: Sequence["Column"]) -> dict[str, np.ndarray]:
    names = ("tokens", "plain", "chosen_from", "rank", "draws", "n_kept")
    return {f"{c + 1}_{name}": np.asarray(getattr(one, name)) for c, one in enumerate(found) for name in names}
