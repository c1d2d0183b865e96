"""Attention as a dictionary: a query finds the entries whose keys fit, and gets a mixture of their values."""

from collections.abc import Mapping

import numpy as np

from core.cache import MAX_TRACES, memoize
from core.nn.attention import attend, attention_scores, masked_softmax
from core.rooms.step_by_step.compute import soft_lookup
from core.rooms.step_by_step.compute.soft_lookup import NAMES, Answer, Dictionary
from core.rooms.step_by_step.lookup_widget import soft_dictionary
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit

WIDGET = "lookup"
ADDRESS = "lookup_numbers"


@memoize(MAX_TRACES)
def answered(asked: Dictionary) -> Answer:
    """What a dictionary answers; see `core.rooms.step_by_step.compute.soft_lookup.look_up`."""
    return soft_lookup.look_up(asked)


@exhibit(
    title="A dictionary that answers softly",
    look_for="the bars: a programming language's dictionary gives everything to one entry, attention gives each "
    "entry its share. How well a key fits is its **dot product** with the query: multiply number by number, then "
    "add.",
    try_this=[
        (
            "Pull the temperature down to 0.02, then up to 50.",
            "Cold, all the weight goes to “east”, whose key fits best: the soft answer has become the hard one. "
            "Hot, every entry gets 0.25 or nearly so, and the answer is about the mean of the values. (A "
            "temperature of zero would mean dividing by 0; hard lookup is the limit.)",
        ),
        (
            "Drag the query's arrow all the way round.",
            "The soft answer glides from value to value. The hard one jumps: it doesn't change at all until another "
            "key fits better, so training has nothing to hold on to.",
        ),
        (
            "Press Reset and make the key of “north” three times as long: (0, 3).",
            "Now “north” wins with 1.80 against 0.80, although “east” points more nearly where the query points. In "
            "a dot product, length counts too.",
        ),
    ],
    code=(attend, attention_scores, masked_softmax, soft_lookup.look_up),
    formula=r"\begin{aligned} w_s &= \frac{e^{\,q\cdot k_s / T}}{\sum_j e^{\,q\cdot k_j / T}} \\"
    r"\text{soft} &= \sum_s w_s\, v_s \\ \text{hard} &= v_{\,\arg\max_s\, q\cdot k_s} \end{aligned}",
)
def soft_look_up() -> Shown:
    """The learner's query, keys and values, and the answers at their temperature."""
    d_key = controls.segmented("lookup_size", "Numbers in each vector", (2, 3), 2)
    default = soft_lookup.default(d_key)
    asked = _asked(d_key, default)
    answer = answered(asked)
    soft_dictionary(
        asked,
        answer,
        names=NAMES,
        default=default,
        key=picks.key(WIDGET, ""),
        base=str(d_key),
        label="Query, keys and values: set any number, or drag an arrow or a value",
    )
    return Shown(
        numbers=lambda: soft_lookup.table(asked, answer),
        arrays={
            "query": np.array(asked.query),
            "keys": np.array(asked.keys),
            "values": np.array(asked.values),
            "scores": answer.scores,
            "weights": answer.weights,
            "soft": answer.soft,
            "hard": answer.hard,
            "mean": answer.mean,
        },
        formula=_with_numbers(asked, answer),
        script=lambda: _script(asked),
    )


def _asked(d_key: int, default: Dictionary) -> Dictionary:
    """The numbers that were set just now, else those of the address, else the default."""
    if picks.has_changed("lookup.size", str(d_key)):
        picks.remember(ADDRESS, None)
    committed = picks.news(WIDGET, "", "numbers")
    if isinstance(committed, Mapping) and committed.get("base") == str(d_key):
        asked = soft_lookup.check(committed.get("numbers"), d_key)
        if asked is not None:
            picks.remember(ADDRESS, None if asked == default else soft_lookup.pack(asked))
            return asked
    return soft_lookup.parse(picks.remembered(ADDRESS) or "", d_key) or default


def _script(asked: Dictionary) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.step_by_step.compute.soft_lookup import Dictionary, look_up, table

        asked = Dictionary(
            query=$query,
            keys=$keys,
            values=$values,
            temperature=$temperature,
        )
        print_table(table(asked, look_up(asked)))
        """,
        query=asked.query,
        keys=asked.keys,
        values=asked.values,
        temperature=asked.temperature,
    )


def _with_numbers(asked: Dictionary, answer: Answer) -> str:
    best = answer.best[0]
    score, temperature = float(answer.scores[best]), asked.temperature
    others = float(np.exp((answer.scores - score) / temperature).sum())
    numbers = ",\\ ".join(f"{one:.3f}" for one in answer.soft)
    return (
        rf"\begin{{aligned}} w_{{\text{{{NAMES[best]}}}}} &= "
        rf"\frac{{1}}{{\sum_j e^{{\,(q\cdot k_j {-score:+.2f})/{temperature:g}}}}} = \frac{{1}}{{{others:.3f}}} "
        rf"= {float(answer.weights[best]):.4f} \\ \text{{soft}} &= ({numbers}) \end{{aligned}}"
    )
