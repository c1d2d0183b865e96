"""Beam search against the truth: a model whose every text can be listed, and who finds the best of them."""

import numpy as np

from core import ui
from core.charts.figure import Drawn, Spec, alt, figure, of, tooltip
from core.charts.theme import Mode, accent, categorical
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
    ui.chart(
        ranked(result, y_title=title, mode=ui.color_mode()),
        alt=f"All {len(result.scores):,} texts by rank. {places}.",
        key="truth-ranks",
    )


def ranked(found: SearchRanks, *, y_title: str, mode: Mode = "light") -> Spec:
    """A Vega-Lite specification: score by rank, the rank on a logarithmic scale from 1.

    Args:
        y_title: what the score is, with its unit.
    """
    n, scores = len(found.scores), found.scores[found.order]
    ranks = np.unique(np.geomspace(1, n, MOST_POINTS).round().astype(int))
    line = [{"rank": int(r), "score": float(scores[r - 1])} for r in ranks if np.isfinite(scores[r - 1])]
    drawn, counts = np.unique(found.ranks[found.samples] + 1, return_counts=True)
    dots = [
        {"rank": int(r), "score": float(scores[r - 1]), "times": int(n)} for r, n in zip(drawn, counts, strict=True)
    ]
    stars = [one._asdict() | {"text": f"“{one.text}”"} for one in found.landed]

    def draw() -> Drawn:
        x = alt.X("rank:Q", title="rank among all texts (1 is the best)")
        x = x.scale(type="log", domain=[0.8, n], nice=False)
        x = x.axis(values=[10**k for k in range(6) if 10**k <= n], format=",d")
        # Most texts lie far below the few that anybody would write: the scale is logarithmic away from 0.
        y = alt.Y("score:Q", title=y_title).scale(type="symlog", constant=1, nice=False)
        y = y.axis(values=[0, -0.5, -1, -2, -3, -5, -10, -20, -50, -100], format="~g")
        line, dots, stars = (of(name).encode(x, y) for name in ("line", "dots", "stars"))
        words = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -6, "angle": 332}
        who = ("searches:N", "who"), ("text:N",), ("rank:Q", "", ",d"), ("probability:Q", "", ".4f")
        return alt.layer(
            line.mark_line(color=categorical(mode)[7], strokeWidth=1.5),
            dots.mark_circle(color=categorical(mode)[0], opacity=0.45).encode(
                alt.Size("times:Q", legend=None).scale(domain=[1, 30], range=[30, 420]),
                tooltip=tooltip(("rank:Q", "", ",d"), ("times:Q", "samples here")),
            ),
            stars.mark_point(shape="diamond", filled=True, size=110, color=accent(mode)).encode(tooltip=tooltip(*who)),
            stars.mark_text(**words, fontSize=12, fontWeight=600, color=accent(mode)).encode(alt.Text("searches:N")),
        )

    padding = {"left": 5, "right": 16, "top": 5, "bottom": 5}  # half of "10,000" stands right of its tick
    return figure(draw, {"line": line, "dots": dots, "stars": stars}, height=320, padding=padding)
