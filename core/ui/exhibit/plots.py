"""Charts of an exhibit. The page adds colors for light and dark mode, a key and a description.

    ui.curves({name: (steps, values)}, n_step=run.n_step, y="loss", references={"guessing blindly": 4.6})
    ui.curves({name: (lengths, sizes)}, x="length (tokens)", y=Axis("keys and values", unit="bytes"), at=1024)
    ui.curves(table, x="size", y="loss", by="model")           columns by name
    ui.bars({label: value}, x="rise of the loss", marked=[…])  a ranking
    ui.bars({name: values}, labels=[…], x="…")                 several bars at each label
    ui.bars({"": values}, labels=tokens, x="probability", y=Axis(is_code=True), printed=".2f")
    ui.grouped_bars({name: shares}, labels=[…], x="right", strokes=chances, stroke="by guessing")
    ui.dots({name: (x, y)}, x="weight", y="rise", labels={name: heads})
    ui.fitted_curve_chart((x, y), (x of the curve, y), x="length", y=Axis("seconds", is_log=True))
    ui.plot([line(columns, x="size", y="loss"), …], x=Axis(…), y=Axis(…))   layers of `core.charts.marks`

An axis is given by its title or as `Axis(title, (low, high), unit="%", is_log=True)`. All charts take `title`,
`height`, `alt` (replaces the description that is written from the numbers), `takeaway` (precedes it) and `key`. They
return nothing.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from core.charts import bars as _bars, curves as _curves, dots as _dots, plot as _plot, trend as _trend
from core.charts.plot import Spec
from core.ui.exhibit.exhibit_drawing_state import show_chart
from core.ui.frame.layout import color_mode

P = ParamSpec("P")


def _on_page(mark: Callable[P, Spec]) -> Callable[P, None]:
    """Return the chart function as one that draws into the exhibit, in the colors of the page."""

    @wraps(mark)
    def draw(*given: P.args, **named: P.kwargs) -> None:
        show_chart(mark(*given, **{"mode": color_mode(), **named}))  # type: ignore[arg-type]

    return draw


bars = _on_page(_bars.bars)
curves = _on_page(_curves.curves)
dots = _on_page(_dots.dots)
fitted_curve_chart = _on_page(_trend.fitted_curve_chart)
grouped_bars = _on_page(_bars.grouped_bars)
plot = _on_page(_plot.plot)
