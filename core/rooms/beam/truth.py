"""Beam search against the truth: a model whose every text can be listed, and who finds the best of them."""

import numpy as np

from core import ui
from core.charts import marks
from core.charts.plot import Layer, table
from core.exhibit import Inputs as Base
from core.exhibit import memoize, seed, select, slider, toggle
from core.generate.beam import beam_search
from core.rooms.beam.compute import enumeration
from core.rooms.beam.compute.enumeration import Tables
from core.rooms.beam.compute.search_ranks import SearchRanks, search_ranks
from core.rooms.beam.experiments import beam_truth as task
from core.train import experiment
from core.train.experiments.live import Live

EXPERIMENT = "beam-truth"
MOST_BEAMS = 8
N_SAMPLE = 100
MOST_POINTS = 300  # of the line through all texts
MAX_TABLES = 64  # of some kilobytes, but each holds on to its record of some hundred
STARTS = {" ".join(task.TOKENS[i] for i in ids) or "(the beginning)": ids for ids in task.beginnings()}
CODE = (
    search_ranks,
    enumeration.tables,
    enumeration.every_text,
    enumeration.with_probability,
    beam_search,
    task.BeamTruth,
)


class Inputs(Base, prefix="truth_"):
    seed: int = seed()
    penalty: float = slider("Length penalty", 0.0, 2.0, 0.0, step=0.25, help="With 0 the likeliest text is the best.")
    change: bool = toggle("Change one probability")
    after: str = select("After …", list(STARTS), next(iter(STARTS)), when=lambda i: i.change, heading="")
    word: str = select("the word …", task.TOKENS, "a", when=lambda i: i.change)
    p: float = slider("has probability …", 0.0, 1.0, 0.5, step=0.01, when=lambda i: i.change)


@memoize(MAX_TABLES)
def learned(run: Live) -> Tables:
    """What the trained model expects after each unfinished text."""
    model = experiment.rebuild(run.record, task.VARIANT, task.config())
    return enumeration.tables(
        lambda ids: model(ids)[:, -1].double().log_softmax(-1), [task.END], len(task.TOKENS), task.LENGTH, task.END
    )


def compute(inputs: Inputs, run: Live) -> SearchRanks:
    """All texts of the model, with or without the change, and where each search lands."""
    known = learned(run)
    if inputs.change:
        known = enumeration.with_probability(known, STARTS[inputs.after], task.TOKENS.index(inputs.word), inputs.p)
    return search_ranks(known, task.TOKENS, inputs.penalty, MOST_BEAMS, N_SAMPLE, run.seed)


def draw(result: SearchRanks, inputs: Inputs, run: Live) -> None:
    """The change, and the ranked chart."""
    loss = float(run.record[f"curve.{task.VARIANT}.loss"][-1])
    ui.facts(vocabulary=", ".join(task.TOKENS[1:]), most=task.LENGTH, n_sample=N_SAMPLE, most_beams=MOST_BEAMS)
    ui.facts(step=run.step, loss=loss, floor=task.floor())
    if inputs.change:
        before, after = (known.after(STARTS[inputs.after]).tolist() for known in (learned(run), result.known))
        said = f"After {inputs.after}: “{inputs.word}” had {before[task.TOKENS.index(inputs.word)]:.3f}"
        ui.before_after(
            task.TOKENS,
            before,
            after,
            names=("learned", "changed"),
            takeaway=f"{said} and now has {inputs.p:.2f}.",
            key="truth-row",
        )
    title = ui.measured("log-probability", "nats")
    if inputs.penalty:
        title = ui.measured("score", f"log-probability ÷ length^{inputs.penalty:g}")
    places = ", ".join(f"{line.searches}: rank {line.rank}" for line in result.landed)
    n = len(result.scores)
    ui.plot(
        _layers(result),
        x=ui.Axis(
            "rank among all texts (1 is the best)",
            (0.8, n),
            format=",d",
            ticks=[10**k for k in range(6) if 10**k <= n],
            is_log=True,
        ),
        # Most texts lie far below the few that anybody would write.
        y=ui.Axis(title, format=".1~f", ticks=(0, -0.5, -1, -2, -3, -5, -10, -20, -50, -100), is_symlog=True),
        height=320,
        alt=f"All {n:,} texts by rank. {places}.",
    )


def _layers(found: SearchRanks) -> list[Layer]:
    """The score of each rank, how many samples fell there, and where each search landed."""
    scores = found.scores[found.order]
    ranks = np.unique(np.geomspace(1, len(scores), MOST_POINTS).round().astype(int))
    drawn, times = np.unique(found.ranks[found.samples] + 1, return_counts=True)
    samples = {"rank": drawn, "score": scores[drawn - 1], "times": times}
    landed = [(one.rank, one.score, one.searches, f"“{one.text}”", one.probability) for one in found.landed]
    stars = table(landed, "rank", "score", "searches", "text", "probability")
    size = {"field": "times", "type": "quantitative", "legend": None, "scale": {"domain": [1, 30], "range": [30, 420]}}
    tip = [("rank", "", ",d"), ("times", "samples here", "")]
    who = [("searches", "who", ""), ("text", "", ""), ("rank", "", ",d"), ("probability", "", ".4f")]
    words = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -6, "angle": 332, "fontWeight": 600}
    return [
        marks.line({"rank": ranks, "score": scores[ranks - 1]}, "rank", "score", color="ink", strokeWidth=1.5),
        marks.dot(samples, "rank", "score", color=0, opacity=0.45, tip=tip, more={"size": size}),
        marks.dot(stars, "rank", "score", shape="diamond", size=110, color="accent", tip=who),
        marks.text(stars, "searches", "rank", "score", color="accent", **words),
    ]
