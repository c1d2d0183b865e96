"""The same distribution, exactly: every way in which three words can be generated, with and without a draft."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.marks import bar_layer, dot_layer, horizontal_interval_layer, tick_layer
from core.charts.plot import chart_height_for_rows
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.exhibit import (
    NOT_YET,
    Column,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    guess_control,
    seed,
    select,
    slider,
)
from core.generate.cache import CachedModel
from core.generate.filter_settings import FilterSettings
from core.rooms.draft_and_verify.compute import drafts, enumeration, rule
from core.rooms.draft_and_verify.compute.enumeration import (
    NextProbabilities,
    TokenIds,
    sample_speculative_texts,
    speculative_probabilities,
    text_probabilities,
)
from core.rooms.draft_and_verify.compute.sampling import sampling_probabilities
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "draft"
PROMPT = "Tom and Mia played near the park. Mia hid"
N_NEW, N_DRAWN = 3, 2_000
N_LIKELY, N_ADDED, MIN_PROBABILITY = (
    8,
    4,
    0.005,
)  # texts in the picture: the most probable, and those of a broken rule
SETTINGS = FilterSettings(top_k=4)  # for model and draft: four tokens at each position, few enough to enumerate
Z = 1.959964  # standard deviations: 95 %
ROUNDING_LIMIT = 1e-12  # rounding of a few hundred sums
CODE = (
    enumeration.speculative_probabilities,
    enumeration.text_probabilities,
    rule.acceptance_probability,
    rule.residual_distribution,
)


class Inputs(Base, prefix="same_"):
    guess: str = guess_control(
        ("same", "close", "draft"),
    )
    rule: str = select(dict(rule.RULES), "paper")
    draft: str = select(dict(drafts.NAMES), "2", depth="numbers")
    n_draft: int = slider(1, N_NEW - 1, 2, depth="numbers")
    seed: int = seed(depth="numbers")


class TextRow(NamedTuple):
    """One text of three words."""

    text: str
    alone: float  # its probability if the model runs alone
    drafted: float  # its probability with the draft
    drawn: float  # its share of the sampled texts
    low: float  # low, high: the 95% interval of that share
    high: float


class TextDistributions(Result):
    """All texts, the most probable first."""

    is_hidden: bool
    rows: tuple[TextRow, ...]
    shown: tuple[TextRow, ...]  # the most probable of the model alone, and others that are frequent with the draft
    n_drawn: int = N_DRAWN
    n_inside: int  # texts whose interval contains their probability under the model alone
    n_way: int  # ways of drafting, accepting and correcting that lead to these texts
    largest: float  # the largest difference in a text's probability
    largest_in_words: str
    is_same: bool
    apart: float  # total variation distance
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row for each text; before the guess only with the model alone."""
        found: dict[str, Column] = {
            LABELS["text"]: [row.text for row in self.rows],
            LABELS["alone"]: [row.alone for row in self.rows],
        }
        if self.is_hidden:
            return found
        return found | {
            LABELS["drafted"]: [row.drafted for row in self.rows],
            LABELS("drawn_of", n=N_DRAWN): [row.drawn for row in self.rows],
            LABELS["interval.from"]: [row.low for row in self.rows],
            LABELS["interval.to"]: [row.high for row in self.rows],
        }


def compute(inputs: Inputs, run: ExperimentRun) -> TextDistributions:
    """Sum the probability of every text over all ways that lead to it, and sample texts."""
    p, q = next_probabilities(drafts.load_draft(inputs.draft, run))
    true = text_probabilities(p, N_NEW)
    found, n_way = speculative_probabilities(p, q, N_NEW, inputs.n_draft, inputs.rule)
    counts = sample_speculative_texts(p, q, N_NEW, inputs.n_draft, N_DRAWN, inputs.seed, inputs.rule)
    tokenizer = drafts.large_model().text_tokenizer
    texts = sorted(true.keys() | found.keys(), key=lambda text: (-true.get(text, 0.0), -found.get(text, 0.0), text))
    rows = []
    for text in texts:
        share = counts.get(text, 0) / N_DRAWN
        low, high = wilson_interval(share, N_DRAWN)
        name = " ".join(map(visible_token, tokenizer.decode(text).strip().split(" ")))
        rows.append(TextRow(name, true.get(text, 0.0), found.get(text, 0.0), share, low, high))
    largest, apart = enumeration.largest_difference(true, found), enumeration.text_total_variation(true, found)
    is_hidden, is_same = inputs.guess == NOT_YET, largest < ROUNDING_LIMIT
    added = [row for row in rows[N_LIKELY:] if row.drafted > MIN_PROBABILITY and not is_hidden]
    return TextDistributions(
        is_hidden=is_hidden,
        rows=tuple(rows),
        shown=(*rows[:N_LIKELY], *sorted(added, key=lambda row: -row.drafted)[:N_ADDED]),
        n_inside=sum(row.low <= row.alone <= row.high for row in rows),
        n_way=n_way,
        largest=largest,
        largest_in_words=f"{largest:.0e}" if largest < 1e-4 else f"{largest:.3f}",
        is_same=is_same,
        apart=apart,
        outcome=GuessOutcome("same" if is_same else "close" if apart < 0.02 else "draft"),
    )


def next_probabilities(draft: Any) -> tuple[NextProbabilities, NextProbabilities]:
    """Return the next-token probabilities of model and draft after the prompt and more words, each cached."""
    large = drafts.large_model()
    prompt = large.text_tokenizer.encode(PROMPT)
    cached = CachedModel(large.model)

    def kept(ask: Any) -> NextProbabilities:
        known: dict[TokenIds, NDArray[np.float64]] = {}

        def of(text: TokenIds) -> NDArray[np.float64]:
            if text not in known:
                known[text] = sampling_probabilities(ask([*prompt, *text])[None], SETTINGS)[0]
            return known[text]

        return of

    return kept(lambda text: cached.next_logits([text])[0]), kept(draft.next_logits)


def wilson_interval(share: float, n: int) -> tuple[float, float]:
    """Return the 95% interval of a share of n samples. Source: Wilson 1927."""
    middle, half = (share + Z**2 / (2 * n)), Z * (share * (1 - share) / n + Z**2 / (4 * n**2)) ** 0.5
    low, high = (middle - half) / (1 + Z**2 / n), (middle + half) / (1 + Z**2 / n)
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def draw(result: TextDistributions, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a bar for the model alone, a tick for the exact sum with a draft, and a dot with interval for samples."""
    columns: dict[str, Column] = {name: [getattr(row, name) for row in result.shown] for name in TextRow._fields}
    columns["row"] = [*range(len(result.shown))]
    tip = [("text", "", ""), ("alone", LABELS["alone"], ".4f")]
    if not result.is_hidden:
        tip += [("drafted", LABELS["drafted"], ".4f"), ("drawn", LABELS["drawn"], ".4f")]
    layers = [bar_layer(columns, "alone", "row", color=0, opacity=0.45, tip=tip)]
    if not result.is_hidden:
        layers += [
            tick_layer(columns, "drafted", "row", color=1, thickness=4, bandSize=18, tip=tip),
            horizontal_interval_layer(columns, "row", "low", "high"),
            dot_layer(columns, "drawn", "row", color="ink", size=28),
        ]
    ui.plot(
        layers,
        x=ui.Axis(LABELS["probability_axis"], has_zero=True),
        y=ui.Axis(labels=[row.text for row in result.shown]),
        height=chart_height_for_rows(len(result.shown), 30),
        alt=ui.section_text("alt"),
    )
