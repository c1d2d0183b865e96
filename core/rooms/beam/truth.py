"""Beam search checked against an exhaustive search, on a model whose every text can be listed."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core import ui
from core.charts import marks
from core.charts.plot import ChartLayer, columns_from_rows
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, memoize, seed, select, slider, toggle
from core.generate.beam import beam_search
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.enumeration import EnumeratedTexts, NextTokenTables
from core.rooms.beam.experiments import beam_truth as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

MAX_LISTED = 8  # texts in the table below the chart, before those that a search found


class RankedText(NamedTuple):
    """A text of the list: rank (from 1), probability, score, the searches that end there, and its number of samples."""

    rank: int
    text: str
    probability: float
    score: float
    searches: str
    n_drawn: int


class SearchRanks(Result):
    """All M texts of a model, ranked, with the result of each search."""

    known: NextTokenTables  # the model, as tables
    tokens: tuple[str, ...]  # (V,) the words
    texts: EnumeratedTexts  # all of them
    scores: Float[NDArray[np.float64], " M"]  # (M,) log_prob / length ** length_penalty
    ranks: Int[NDArray[np.int64], " M"]  # (M,) from 0
    order: Int[NDArray[np.int64], " M"]  # (M,) indices into `texts`, the best first
    best: int  # index of the text with the best score
    empty: int  # index of the text that ends immediately
    greedy: int  # index of greedy search's text
    beams: tuple[int, ...]  # index of the best text of beam search with B = 1, 2, ...
    first: int | None  # the smallest B that finds the best text
    worse: int | None  # the smallest B whose text ranks worse than that of B - 1
    samples: Int[NDArray[np.int64], " S"]  # indices of sampled texts

    def rank(self, place: int) -> int:
        """Return the rank of a text, from 1."""
        return int(self.ranks[place]) + 1

    def probability(self, place: int) -> float:
        """Return the exact probability of a text."""
        return float(np.exp(self.texts.log_probs[place]))

    def words(self, place: int) -> str:
        """Return a text as words."""
        return " ".join(self.tokens[i] for i in self.texts.new_ids(place))

    def line(self, place: int) -> RankedText:
        beams = [b for b, at in enumerate(self.beams, start=1) if at == place]
        searches = [LABELS["greedy"]] * (place == self.greedy) + [f"B = {_ranges(beams)}"] * bool(beams)
        return RankedText(
            self.rank(place),
            self.words(place),
            self.probability(place),
            float(self.scores[place]),
            ", ".join(searches),
            int((self.samples == place).sum()),
        )

    @property
    def landed(self) -> list[RankedText]:
        """The texts that the searches return."""
        return [self.line(place) for place in dict.fromkeys((self.greedy, *self.beams))]

    @property
    def listed(self) -> list[RankedText]:
        """The best texts, followed by those that the searches return."""
        best = [self.line(place) for place in self.order[:MAX_LISTED].tolist()]
        return list(dict.fromkeys([*best, *sorted(self.landed)]))

    @property
    def formula(self) -> str:
        """The probability of the best text, factor by factor."""
        new = self.texts.new_ids(self.best)
        factors = r" \cdot ".join(f"{self.known.after(new[:k])[token]:.3f}" for k, token in enumerate(new))
        name = LABELS["best"]
        return rf"p(\text{{{name}}}) = {factors} = {self.probability(self.best):.3f}"

    def table(self) -> Table:
        return {
            LABELS["table.rank"]: np.arange(1, len(self.order) + 1),
            LABELS["table.text"]: [self.words(place) for place in self.order.tolist()],
            LABELS["table.probability"]: np.exp(self.texts.log_probs[self.order]),
            LABELS["table.score"]: self.scores[self.order],
            LABELS["table.tokens"]: self.texts.lengths[self.order],
        }


def search_ranks(
    known: NextTokenTables,
    tokens: Sequence[str],
    length_penalty: float,
    most_beams: int,
    n_sample: int = 0,
    seed: int = 0,
) -> SearchRanks:
    """Rank all texts, and run beam search with B = 1 to most_beams under the same score.

    Args:
        tokens: (V,) the words.
    """
    texts = enumeration.enumerate_texts(known)
    scores, ranks = enumeration.rank_texts(texts, length_penalty)
    searches = [
        beam_search(
            known.next_log_probs,
            known.start,
            n_beam,
            known.max_new_tokens,
            eos_id=known.eos_id,
            length_penalty=length_penalty,
        )
        for n_beam in range(1, most_beams + 1)
    ]
    n_start = len(known.start)
    greedy, *beams = (
        enumeration.find_text(texts, new)
        for new in (enumeration.greedy_text(known), *(found.hypotheses[0].ids[n_start:] for found in searches))
    )
    order = np.argsort(ranks)
    best, falls = int(order[0]), np.flatnonzero(np.diff(ranks[beams]) > 0)
    return SearchRanks(
        known=known,
        tokens=tuple(tokens),
        texts=texts,
        scores=scores,
        ranks=ranks,
        order=order,
        best=best,
        empty=enumeration.find_text(texts, [known.eos_id]),
        greedy=greedy,
        beams=tuple(beams),
        first=beams.index(best) + 1 if best in beams else None,
        worse=int(falls[0]) + 2 if len(falls) else None,
        samples=enumeration.sample_text_indices(texts, n_sample, seed),
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text with runs joined, such as "2" or "1, 3 to 8"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else LABELS("range", first=run[0], last=run[-1]) for run in runs)


EXPERIMENT = "beam-truth"
MOST_BEAMS = 8
N_SAMPLE = 100
MOST_POINTS = 300  # points of the line through all texts
MAX_TABLES = 64  # a few kilobytes each, but each keeps its record of a few hundred alive
LABELS = module_labels(__name__)
PREFIXES = {" ".join(task.TOKENS[i] for i in ids) or "start": ids for ids in task.sentence_prefixes()}
CODE = (
    search_ranks,
    enumeration.next_token_tables,
    enumeration.enumerate_texts,
    enumeration.set_probability,
    beam_search,
    task.BeamTruth,
)


class Inputs(Base, prefix="truth_"):
    seed: int = seed()
    penalty: float = slider(0.0, 2.0, 0.0, step=0.25)
    change: bool = toggle()
    after: str = select(tuple(PREFIXES), next(iter(PREFIXES)), when=lambda i: i.change, heading="")
    word: str = select(task.TOKENS, "a", when=lambda i: i.change)
    p: float = slider(0.0, 1.0, 0.5, step=0.01, when=lambda i: i.change)


@memoize(MAX_TABLES)
def learned_tables(run: ExperimentRun) -> NextTokenTables:
    """Return the trained model's predictions after each unfinished text."""
    model = experiment.rebuild_model(run.record, task.VARIANT, task.config())
    return enumeration.next_token_tables(
        lambda ids: model(ids)[:, -1].double().log_softmax(-1), [task.END], len(task.TOKENS), task.LENGTH, task.END
    )


def compute(inputs: Inputs, run: ExperimentRun) -> SearchRanks:
    """Rank all texts of the model, with or without the changed probability, and run each search."""
    known = learned_tables(run)
    if inputs.change:
        known = enumeration.set_probability(known, PREFIXES[inputs.after], task.TOKENS.index(inputs.word), inputs.p)
    return search_ranks(known, task.TOKENS, inputs.penalty, MOST_BEAMS, N_SAMPLE, run.seed)


def draw(result: SearchRanks, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the change, and the chart of all texts by rank."""
    loss = float(run.record[f"curve.{task.VARIANT}.loss"][-1])
    ui.add_template_values(
        vocabulary=", ".join(task.TOKENS[1:]), most=task.LENGTH, n_sample=N_SAMPLE, most_beams=MOST_BEAMS
    )
    ui.add_template_values(step=run.step, loss=loss, floor=task.language_entropy())
    if inputs.change:
        before, after = (known.after(PREFIXES[inputs.after]).tolist() for known in (learned_tables(run), result.known))
        context = LABELS.get(f"after.{inputs.after}", inputs.after)
        probability = before[task.TOKENS.index(inputs.word)]
        ui.before_after_bars(
            task.TOKENS,
            before,
            after,
            names=(LABELS["learned"], LABELS["changed"]),
            takeaway=LABELS(
                "changed_probability", context=context, word=inputs.word, before=probability, after=inputs.p
            ),
            key="truth-row",
        )
    title = ui.quantity_label(LABELS["log_probability"], LABELS["nats"])
    if inputs.penalty:
        title = ui.quantity_label(LABELS["score"], LABELS("score_formula", penalty=inputs.penalty))
    places = ", ".join(LABELS("search_rank", searches=line.searches, rank=line.rank) for line in result.landed)
    n = len(result.scores)
    ui.plot(
        _layers(result),
        x=ui.Axis(
            LABELS["rank_axis"],
            (0.8, n),
            format=",d",
            ticks=[10**k for k in range(6) if 10**k <= n],
            is_log=True,
        ),
        # Most texts score far below the few plausible ones.
        y=ui.Axis(title, format=".1~f", ticks=(0, -0.5, -1, -2, -3, -5, -10, -20, -50, -100), is_symlog=True),
        height=320,
        alt=LABELS("alt", n=n, places=places),
    )


def _layers(found: SearchRanks) -> list[ChartLayer]:
    """Return the chart's layers: score by rank, sampled texts, and the result of each search."""
    scores = found.scores[found.order]
    ranks = np.unique(np.geomspace(1, len(scores), MOST_POINTS).round().astype(int))
    drawn, times = np.unique(found.ranks[found.samples] + 1, return_counts=True)
    samples = {"rank": drawn, "score": scores[drawn - 1], "times": times}
    landed = [(one.rank, one.score, one.searches, f"“{one.text}”", one.probability) for one in found.landed]
    stars = columns_from_rows(landed, "rank", "score", "searches", "text", "probability")
    size = {"field": "times", "type": "quantitative", "legend": None, "scale": {"domain": [1, 30], "range": [30, 420]}}
    tip = [("rank", LABELS["table.rank"], ",d"), ("times", LABELS["samples_here"], "")]
    who = [
        ("searches", LABELS["who"], ""),
        ("text", LABELS["table.text"], ""),
        ("rank", LABELS["table.rank"], ",d"),
        ("probability", LABELS["table.probability"], ".4f"),
    ]
    words = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -6, "angle": 332, "fontWeight": 600}
    return [
        marks.line_layer({"rank": ranks, "score": scores[ranks - 1]}, "rank", "score", color="ink", strokeWidth=1.5),
        marks.dot_layer(samples, "rank", "score", color=0, opacity=0.45, tip=tip, more={"size": size}),
        marks.dot_layer(stars, "rank", "score", shape="diamond", size=110, color="accent", tip=who),
        marks.text_layer(stars, "searches", "rank", "score", color="accent", **words),
    ]
