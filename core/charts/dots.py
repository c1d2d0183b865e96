"""Scatter plots; groups of dots differ in color and shape."""

from collections.abc import Mapping, Sequence
from typing import Never, Unpack

from core.charts.axis import Axis, as_axis
from core.charts.describe import describe_dots
from core.charts.marks import dot_layer, rule_layer, text_layer
from core.charts.plot import ChartOptions, Spec, Values, columns_from_rows, plot
from core.charts.theme import ThemeMode
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)
_NOTHING: Mapping[str, Never] = {}


def dots(
    groups: Mapping[str, tuple[Values, Values]],
    *,
    x: Axis | str,
    y: Axis | str,
    labels: Mapping[str, Sequence[str]] = _NOTHING,
    n_named: int = 3,
    references: Mapping[str, float] = _NOTHING,
    **whole: Unpack[ChartOptions],
) -> Spec:
    """Return the Vega-Lite specification of a scatter plot. Labels are tooltips; the highest dots have theirs printed.

    Args:
        groups: name -> (x values, y values).
        labels: name -> the label of each dot.
        n_named: number of dots with the largest values whose labels are printed.
        references: label -> value of a dashed horizontal line.

    Raises:
        ValueError: if a group's numbers of labels, x values and y values differ.
    """
    for name, (places, values) in groups.items():
        told = labels.get(name, [""] * len(values))
        if not len(told) == len(places) == len(values):
            raise ValueError(f"{name!r} has {len(told)} labels, {len(places)} places and {len(values)} values")
    flat, upright = as_axis(x), as_axis(y)
    rows = [
        (float(a), float(b), label, name)
        for name, (places, values) in groups.items()
        for a, b, label in zip(places, values, labels.get(name, [""] * len(values)), strict=True)
    ]
    columns, highest = (
        columns_from_rows(some, "x", "y", "label", "name")
        for some in (rows, sorted(rows, key=lambda row: -row[1])[:n_named] if labels else [])
    )
    tip = [
        ("name", LABELS["group"], ""),
        ("label", LABELS["which"], ""),
        ("x", flat.name, ".3~f"),
        ("y", upright.name, ".3~f"),
    ]
    tip = tip if labels else [tip[0], *tip[2:]]
    layers = [
        # Outlines, so that overlapping dots stay visible.
        dot_layer(columns, "x", "y", "name", filled=False, strokeWidth=2, size=90, tip=tip),
        rule_layer({"y": [*references.values()], "label": [*references]}, y="y", data="references"),
        text_layer(highest, "label", "x", "y", align="left", dx=9, data="highest"),
    ]
    look = {"alt": describe_dots(groups, flat, upright), "height": 320, **whole}
    return plot(layers, x=flat, y=upright, names=list(groups), legend="shape", **look)


def example(values: Sequence[float], mode: ThemeMode) -> list[Spec]:
    """Draw charts of any values, for tests."""
    names = ["the same"] * len(values)
    return [
        dots({"one": (values, values), "two": (values, values)}, x="x", y="y", labels={"one": names}, mode=mode),
        dots({"one": (values, values)}, x=Axis("x", (0, 1)), y="y", references={"known": 0.5}, mode=mode),
    ]
