"""All texts that a model can write, from the best to the worst, and where searches and samples land among them."""

import numpy as np

from core.charts.figure import Drawn, Spec, alt, figure, of, tooltip
from core.charts.theme import Mode, accent, categorical
from core.rooms.beam.compute.search_ranks import SearchRanks

MOST_POINTS = 300


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
