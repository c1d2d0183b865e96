"""What a model of pictures costs by their size: lines that rise with the area and with its square."""

import math
from collections.abc import Mapping, Sequence

from core.charts.figure import Drawn, Spec, alt, by_pointer, figure, of, strokes, told_apart, tooltip, upright
from core.charts.theme import Mode, categorical, page

HEIGHT = 360


def by_size(
    sizes: Sequence[float],
    lines: Mapping[str, Sequence[float]],
    *,
    at: int,
    crossing: tuple[float, float] | None,
    mode: Mode = "light",
) -> Spec:
    """A Vega-Lite specification: multiply-adds over the height of a picture, both axes logarithmic.

    Args:
        sizes: pixels, rising, above 0.
        lines: name -> multiply-adds, as many as there are sizes.
        at: the size to mark with an upright line.
        crossing: the size where two lines cross, and how high: marked and named; None where they do not.
    """
    rows = [
        {"size": float(size), "value": float(value), "line": name}
        for name, values in lines.items()
        for size, value in zip(sizes, values, strict=True)
    ]
    ends, names = (min(sizes), max(sizes)), tuple(lines)
    least = math.floor(math.log10(min(min(values) for values in lines.values())))
    is_sevens = at % 7 == 0
    middle = math.sqrt(ends[0] * ends[1])  # of the axis: a name stands on the side where there is room
    at_dx = -6 if at > middle else 6
    align, dx = ("right", -4) if crossing and crossing[0] > middle else ("left", 4)

    def draw() -> Drawn:
        ticks = [7 * 2**k if is_sevens else 2**k for k in range(2, 15)]
        x = alt.X("size:Q", title="side of the picture (pixels)").scale(type="log", base=2, domain=ends, nice=False)
        x = x.axis(values=[one for one in ticks if ends[0] <= one <= ends[1]], format=",d")
        y = alt.Y("value:Q", title="multiply-adds (G: billion)").scale(type="log")
        y = y.axis(format="~s", values=[10.0**k for k in range(least, 16)])
        color, dash = told_apart("line", names, mode, strokes(columns=1, labelLimit=420))
        base = alt.Chart().encode(x, y, color, dash)
        tips = tooltip(("line:N", "model"), ("size:Q", "pixels", ",.0f"), ("value:Q", "multiply-adds", ",.4~s"))
        ink, ring = categorical(mode)[7], of("crossing").encode(x, y)
        text = {"align": align, "dx": dx, "dy": 18, "fontSize": 12, "fontWeight": 600}
        behind = ring.mark_text(**text, stroke=page(mode), strokeWidth=5, fill=page(mode))
        return alt.layer(
            base.mark_line(strokeWidth=2.5),
            by_pointer(base, tips, 140),
            *upright("at", x, ink, at_dx),
            # A ring where two lines cross, with the size in words below it, readable over the upright line.
            ring.mark_point(size=110, strokeWidth=2, color=ink),
            behind.encode(alt.Text("label:N")),
            ring.mark_text(**text, fill=ink).encode(alt.Text("label:N")),
        )

    meeting = None
    if crossing is not None and ends[0] <= crossing[0] <= ends[1]:
        meeting = [{"size": crossing[0], "value": crossing[1], "label": f"cross at {crossing[0]:,.0f}"}]
    marked = [{"size": float(at), "label": f"{at:,} × {at:,}"}]
    return figure(draw, {"rows": rows, "at": marked, "crossing": meeting}, height=HEIGHT)
