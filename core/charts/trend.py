"""Charts of measurements with a fitted curve and its extrapolations."""

from collections.abc import Sequence
from typing import Unpack

from core.charts.axis import Axis, as_axis
from core.charts.describe import describe_curves
from core.charts.marks import dot_layer, line_layer, text_layer
from core.charts.plot import ChartOptions, SeriesStyle, Spec, Values, columns_from_rows, plot
from core.charts.theme import ThemeMode
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

MEASURED, FITTED, BEYOND = LABELS["measured"], LABELS["fitted"], LABELS["beyond"]


def fitted_curve_chart(
    measured: tuple[Values, Values],
    curve: tuple[Values, Values],
    *,
    x: Axis | str,
    y: Axis | str,
    beyond: Sequence[tuple[float, float, str]] = (),
    **whole: Unpack[ChartOptions],
) -> Spec:
    """Return the Vega-Lite specification of a fit: dots, a dashed curve, and hollow diamonds for extrapolated points.

    Args:
        measured: x and y values.
        curve: x and y values of the curve; it may be empty.
        beyond: x, y and name of each extrapolated point.

    Raises:
        ValueError: if there are different numbers of x and y values.
    """
    for name, (places, values) in {MEASURED: measured, FITTED: curve}.items():
        if len(places) != len(values):
            raise ValueError(f"{name!r} has {len(places)} places and {len(values)} values")
    flat, upright = as_axis(x), as_axis(y)
    names: dict[str, SeriesStyle] = {MEASURED: (0, 0), FITTED: (1, 1)} | ({BEYOND: (2, 0)} if beyond else {})
    points = {
        MEASURED: [(float(a), float(b)) for a, b in zip(*measured, strict=True)],
        FITTED: [(float(a), float(b)) for a, b in zip(*curve, strict=True) if b > 0 or not upright.is_log],
    }
    dots, through = (
        columns_from_rows([(*one, name) for one in some], "x", "y", "what") for name, some in points.items()
    )
    far = columns_from_rows([(a, b, BEYOND, name) for a, b, name in beyond], "x", "y", "what", "name")
    tip = [("what", LABELS["what"], ""), ("x", flat.name, ",d"), ("y", upright.name, upright.number_format)]
    layers = [
        dot_layer(dots, "x", "y", "what", tip=tip),
        line_layer(through, "x", "y", "what", strokeWidth=2),
        dot_layer(far, "x", "y", "what", shape="diamond", filled=False, size=90, strokeWidth=2, tip=tip),
        text_layer(far, "name", "x", "y", align="right", dx=-9, dy=-4),
    ]
    words = describe_curves({name: some for name, some in points.items() if some}, flat, upright, {})
    look: ChartOptions = {"alt": words, "height": 330, **whole}
    return plot(layers, x=flat, y=upright, names=names, **look)


def example(values: Sequence[float], mode: ThemeMode) -> list[Spec]:
    """Draw charts of any values, for tests."""
    places = range(1, len(values) + 1)
    log = Axis("logarithmic", is_log=True)
    return [
        fitted_curve_chart((places, values), (places, values), x="x", y="y", beyond=[(400, 1, "far")], mode=mode),
        fitted_curve_chart((places, [abs(one) for one in values]), ([], []), x=log, y=log, mode=mode),
    ]
