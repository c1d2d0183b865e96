"""Vega-Lite charts rendered as pictures, for pages in which Vega's own script (800 kB) would be the largest part.

A separate process draws them, because it needs a JavaScript engine, which the server shouldn't keep in memory.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_TIMEOUT_SECONDS = 120.0
_CHART_WIDTH = 460  # css pixels, for charts that otherwise fill their container; the text stays readable on a phone


def replace_charts_by_pictures(drawn: Iterable[MessageToWidget | Chart]) -> list[MessageToWidget]:
    """Replace each chart by a picture with its alternative text."""
    drawn = list(drawn)
    charts = [one for one in drawn if isinstance(one, Chart)]
    svg = iter(_svg([_sized(one.spec) for one in charts]) if charts else ())
    return [one if isinstance(one, MessageToWidget) else _still(one, next(svg)) for one in drawn]


def _still(chart: Chart, svg: str) -> MessageToWidget:
    return MessageToWidget(
        "still", pack_message({"svg": svg, "alt": chart.alt, "mode": chart.mode}, {}), own_style=False
    )


def _sized(spec: Mapping[str, object]) -> dict[str, object]:
    width = (
        {"width": _CHART_WIDTH}
        if ("mark" in spec or "layer" in spec) and not isinstance(spec.get("width"), int)
        else {}
    )
    return {**spec, **width, "background": None}


def _svg(specs: list[dict[str, object]]) -> list[str]:
    """Render charts to SVG in a separate process. Raises ValueError for a chart that cannot be drawn."""
    told = json.dumps(specs, default=lambda one: one.item() if hasattr(one, "item") else str(one))
    command = [sys.executable, "-m", "core.browser.chart_images"]
    made = subprocess.run(command, input=told, capture_output=True, text=True, cwd=_ROOT, timeout=_TIMEOUT_SECONDS)
    if made.returncode:
        raise ValueError(LABELS("not_drawn", error=made.stderr.strip().splitlines()[-1]))
    return list(json.loads(made.stdout))


def main() -> None:
    """Read charts from the standard input and write their pictures to the standard output."""
    import vl_convert

    specs = json.loads(sys.stdin.read(), parse_constant=lambda _: None)  # NaN and infinity become null
    json.dump([vl_convert.vegalite_to_svg(spec) for spec in specs], sys.stdout)


if __name__ == "__main__":
    main()
