"""A chart of effects with their error bars, lowest first."""

import json
from collections.abc import Mapping

from core import ui
from core.charts.marks import dot_layer, rule_layer, vega_lite_mark_layer
from core.charts.plot import chart_height_for_rows
from core.data.localization.labels import module_labels
from core.rooms.then_and_now.compute.effects import SeedSpread

LABELS = module_labels(__name__)

ROW_HEIGHT = 22  # css pixels
BEYOND_NOISE, WITHIN_NOISE = LABELS["beyond_noise"], LABELS["within_noise"]


def draw_error_bars(effects: Mapping[str, SeedSpread], noise: float, title: str) -> None:
    """Draw a dot with its standard error for each label, and the noise band around zero.

    Args:
        effects: label -> change of the loss, in nats per character.
        noise: dots within this distance of zero are hollow; a band shows it.
    """
    rows = sorted(effects.items(), key=lambda row: (row[1].mean, row[0]))
    columns = {
        "row": [*range(len(rows))],
        "label": [label for label, _ in rows],
        "mean": [one.mean for _, one in rows],
        "low": [one.mean - one.error for _, one in rows],
        "high": [one.mean + one.error for _, one in rows],
        "what": [WITHIN_NOISE if abs(one.mean) <= noise else BEYOND_NOISE for _, one in rows],
    }
    x = ui.quantity_label(LABELS["loss_change"], LABELS["nats"])
    tip = [
        ("label", LABELS["switch"], ""),
        ("mean", x, "+.3f"),
        ("low", LABELS["from"], "+.3f"),
        ("high", LABELS["to"], "+.3f"),
    ]
    is_told = f"datum.what === {json.dumps(BEYOND_NOISE)}"
    band = {"low": [-noise], "high": [noise]}
    error = {"x": "low", "x2": "high", "y": "row", "name": "what"}
    said = [
        LABELS("effect_in_noise" if abs(one.mean) <= noise else "effect", switch=label, change=one.mean)
        for label, one in rows
    ]
    ui.plot(
        [
            vega_lite_mark_layer("rect", band, {"x": "low", "x2": "high"}, {"color": "ink", "opacity": 0.14}),
            rule_layer({"at": [0]}, "at", strokeDash=[1, 0], opacity=1),
            vega_lite_mark_layer("rule", columns, error, {"strokeWidth": 2.5, "when": is_told}),
            vega_lite_mark_layer("rule", columns, error, {"strokeWidth": 2.5, "opacity": 0.6, "when": f"!({is_told})"}),
            dot_layer(columns, "mean", "row", "what", size=75, tip=tip, when=is_told),
            dot_layer(
                columns, "mean", "row", "what", size=75, strokeWidth=2, filled=False, tip=tip, when=f"!({is_told})"
            ),
        ],
        x=ui.Axis(x, format="+.1f"),
        y=ui.Axis(labels=columns["label"]),
        names={BEYOND_NOISE: (0, 0), WITHIN_NOISE: (7, 0)},
        legend="circle",
        title=title,
        height=chart_height_for_rows(len(rows), ROW_HEIGHT),
        alt=LABELS("effects_alt", effects=" ".join(said)),
    )
