"""Axes of charts: a title, a unit, fixed limits, a logarithmic scale, or names instead of numbers."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

BEYOND, ZERO = LABELS["beyond"], LABELS["zero"]
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_BYTES = "".join(
    f"abs(datum.value) >= {size:.0f} ? format(datum.value / {size:.0f}, '.3~r') + ' {unit}' : "
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
)


@dataclass(frozen=True)
class Axis:
    """An axis of a chart."""

    title: str | Sequence[str] = ""  # the label of the axis, with its unit
    limits: tuple[float, float] | None = None  # fixed limits; data beyond them is cut off. None: the data's range
    unit: str = ""  # "%" writes 0.4 as 40 %, "bytes" writes 40000000 as 40 MB
    format: str = ""  # d3 number format; "": automatic
    ticks: Sequence[float] = ()  # positions of the ticks; (): round numbers
    is_log: bool = False  # whether the scale is logarithmic
    is_symlog: bool = False  # whether the scale is logarithmic on both sides of 0, and includes 0
    has_zero: bool = False  # whether the axis includes 0; then its other end is a little beyond the data
    labels: Sequence[str] | None = None  # names instead of numbers, row by row; the data are their indices 0, 1, …
    is_code: bool = False  # whether the names are tokens, in a monospaced font
    label: str = ""  # a Vega expression for the label of a tick, using `datum.value`

    def __post_init__(self) -> None:
        if self.unit not in ("", "%", "bytes"):
            raise ValueError(f"an axis is in '%' or 'bytes', not in {self.unit!r}")
        if self.is_log and self.limits is not None and min(self.limits) <= 0:
            raise ValueError(f"the axis {self.name!r} begins at {min(self.limits):g}: a logarithm needs more than 0")

    @property
    def name(self) -> str:
        """The title in a single line."""
        return self.title if isinstance(self.title, str) else " ".join(self.title)

    @property
    def number_format(self) -> str:
        """The d3 format of a single number."""
        return {"%": ".1%", "bytes": ".3~s"}.get(self.unit, self.format or ".4~g")

    def text(self, value: float) -> str:
        """Format a number as text: 40 %, 40 MB, 0.82, 5.7·10⁻⁶."""
        if self.unit == "%":
            return f"{100 * value:.3g}%"
        if self.unit == "bytes":
            for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
                if abs(value) >= size:
                    return f"{value / size:.3g} {unit}"
            return f"{value:.3g} B"
        if value == 0 or not math.isfinite(value) or not 1e-3 <= abs(value) < 1e9:
            return "0" if value == 0 else f"−{format_scientific(-value)}" if value < 0 else format_scientific(value)
        return (f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}").replace("-", "−")

    def fit(self, values: Iterable[float], is_exact: bool = False) -> "Axis":
        """Return the axis with limits around these values, if it has no limits and needs some.

        is_exact: whether the limits are exactly the smallest and the largest value.
        """
        values = [*values]
        drawn = [float(one) for one in values if math.isfinite(one) and not (self.is_log and one <= 0)]
        if self.limits is not None or self.labels is not None or not (self.has_zero or self.is_log or is_exact):
            return self
        if self.is_log:
            is_wide = is_exact and len({*drawn}) > 1
            return replace(self, limits=(min(drawn), max(drawn)) if is_wide else _log_limits(drawn, math.inf in values))
        if is_exact:
            return replace(self, limits=(min(drawn), max(drawn))) if len({*drawn}) > 1 else self
        return replace(self, limits=(1.12 * min([0.0, *drawn]), 1.12 * max([1e-6, *drawn])))

    def channel(self, field: str, values: Iterable[float], is_flat: bool = False) -> dict[str, object]:
        """Return the Vega-Lite channel for a column.

        Args:
            field: the column.
            values: all values on this axis; integers get no ticks between them.
            is_flat: whether it is the horizontal axis, which has more room for ticks.
        """
        if self.labels is not None:
            return self._named(field, is_flat)
        axis = {"tickCount": 6 if is_flat else 5} | _whole(values)
        scale: dict[str, object] = {"zero": False}
        if self.limits is not None:
            scale = {"domain": list(self.limits), "nice": False, "zero": False}
        if self.is_log:
            scale = {"type": "log"} | {name: one for name, one in scale.items() if name != "zero"}
            axis = {"tickCount": 6, "format": "~g"} | self._log_ticks()
        if self.is_symlog:
            scale = {"type": "symlog", "constant": 1, "nice": False}
        if self.ticks:
            axis["values"] = [float(one) for one in self.ticks]
            axis.pop("labelExpr", None)
        if self.format:
            axis["format"] = self.format
            axis.pop("labelExpr", None)
        if self.unit == "%":
            axis["format"] = ".0%" if self.limits is None or self.limits[1] - self.limits[0] > 0.05 else ".1%"
        if self.unit == "bytes":
            axis["labelExpr"] = f"{_BYTES}format(datum.value, '.3~r') + ' B'"
        if self.label:
            axis["labelExpr"] = self.label
        if is_flat:
            axis["labelFlush"] = 12  # pixels: keeps a number near the end of the axis inside the chart
        title = self.title if isinstance(self.title, str) else list(self.title)
        return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}

    def _named(self, field: str, is_flat: bool) -> dict[str, object]:
        names = list(self.labels or ())
        axis = {
            "labelExpr": f"{json.dumps(names)}[datum.value]",
            "labelOverlap": False,
            "labelLimit": 230,
            "ticks": False,
        } | ({"labelAngle": 0} if is_flat else {"minExtent": min(130, 7 * max(map(len, names), default=0))})
        if self.is_code:
            axis["labelFont"] = "JetBrains Mono, monospace"
        scale = {"domain": list(range(len(names)))}
        return {"field": field, "type": "ordinal", "title": self.title or None, "scale": scale, "axis": axis}

    def _log_ticks(self) -> dict[str, object]:
        """Return powers of ten if the axis spans many of them, else round numbers."""
        low, high = self.limits or (1.0, 10.0)
        if high / low >= 1e4:
            first, last = round(math.log10(low)), round(math.log10(high))
            stride = max(1, math.ceil((last - first) / 7))
            powers = [power for power in range(first, last + 1) if power % stride == 0]
            return {"values": [float(f"1e{power}") for power in powers], "labelExpr": _power_labels(powers)}
        digits = (1, 2, 5) if high / low > 6 else (1, 1.2, 1.5, 2, 3, 5, 7)
        powers = list(range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1))
        ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
        return {"values": [tick for tick in ticks if low <= tick <= high]}


def as_axis(axis: Axis | str) -> Axis:
    """Return the axis, or create one from its title."""
    return Axis(axis) if isinstance(axis, str) else axis


def _log_limits(values: Sequence[float], has_beyond: bool = False) -> tuple[float, float]:
    """Return the limits of a logarithmic axis: powers of ten if it spans many, else a little beyond the values.

    has_beyond: whether to leave room on top for a label about values beyond float32.
    """
    low, high = min(values, default=1.0), max(values, default=10.0)
    if high / low < 1e3:
        return low * 0.85, high * max(1.15, (high / low) ** 0.28) if has_beyond else high * 1.15
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    room = max(1, (last - first) // 12)
    return float(f"1e{first - room}"), float(f"1e{last + room}")


def format_scientific(value: float) -> str:
    """Format a size as text: 0.82, 5.7·10⁻⁶, or words for values that a logarithmic axis cannot show."""
    if not math.isfinite(value):
        return BEYOND
    if value == 0:
        return ZERO
    if 1e-3 <= value < 1e4:
        return f"{value:.2g}" if value < 100 else f"{value:,.0f}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}·{_ten_to(int(power))}"


def _power_labels(powers: Iterable[int]) -> str:
    """Return a Vega expression that labels a logarithmic axis at these powers of ten, 10⁻⁶, and not between them."""
    words = ", ".join(f"'{power}': '{_ten_to(power)}'" for power in powers)
    power = "log(datum.value) / LN10"
    return f"abs({power} - round({power})) < 0.01 ? {{{words}}}[round({power})] : ''"


def _ten_to(power: int) -> str:
    return "1" if power == 0 else "10" if power == 1 else f"10{str(power).translate(_SUPERSCRIPT)}"


def _whole(values: Iterable[float]) -> dict[str, object]:
    """Return the setting that avoids ticks between integers if all values are integers."""
    return {"tickMinStep": 1} if all(float(one).is_integer() for one in values if math.isfinite(one)) else {}
