"""What differs between several runs, and what that costs: their settings, sizes and last losses, side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core import ui
from core.jobs.runs import RunInfo
from core.rooms.studio.difference import Flat, Row, differences, flat, with_row
from core.rooms.studio.facts import last_losses, points_of
from core.ui.numbers import in_bytes
from core.ui.text import escape_markdown
from core.ui.training.cost import Cost, cost_of, price

SETTING, PRICE = "Setting", "What that costs"
_COSTS: Mapping[str, Callable[[Cost], str]] = {
    "Parameters": lambda cost: f"{cost.n_parameter:,}",
    "Multiply-adds a token": lambda cost: f"{cost.multiply_adds:,.0f}",
    "Kept while writing": lambda cost: in_bytes(cost.cache_bytes),
    "Memory in training": lambda cost: in_bytes(cost.memory_bytes),
}


def table(runs: Sequence[RunInfo], names: Sequence[str]) -> dict[str, list[str]]:
    """One line for each setting that is not the same in all, then what the runs come to; a column for each run.

    Of two runs, what each setting costs as well: the first one's recipe with the second one's value, beside the first.
    """
    flats = [flat(run.recipe) for run in runs]
    rows = [row for row in differences(flats) if len(set(row.words)) > 1 and ("–" not in row.words or row.is_of_kind)]
    lines = [[row.label, *row.words] for row in rows]
    prices = [_price(flats, row) for row in rows] if len(runs) == 2 else []
    if len({run.seed for run in runs}) > 1:
        lines.append(["Seed", *(str(run.seed) for run in runs)])
    lines += _sums(runs)
    columns = [SETTING, *names, *([PRICE] if prices else [])]
    prices += [""] * (len(lines) - len(prices))
    full = [[*line, price] if PRICE in columns else line for line, price in zip(lines, prices, strict=True)]
    return {name: [line[i] for line in full] for i, name in enumerate(columns)}


def _price(flats: Sequence[Flat], row: Row) -> str:
    first, other = flats
    try:
        changed, before = cost_of(with_row(first, other, [row])), cost_of(with_row(first, first, []))
    except ValueError:
        return "not by itself"
    return "not by itself" if changed.refused else price(changed, before)


def _sums(runs: Sequence[RunInfo]) -> list[list[str]]:
    costs = [cost_of(run.recipe) for run in runs]
    lines = [[name, *("–" if one.refused else said(one) for one in costs)] for name, said in _COSTS.items()]
    for i, name in enumerate(("Training loss", "Validation loss")):
        losses = [last_losses(run)[i] for run in runs]
        lines.append([name, *("–" if loss is None else f"{loss:.3f}" for loss in losses)])
    asked = [[point.right_share for point in points_of(run) if point.right_share is not None] for run in runs]
    if any(asked):  # of tasks
        lines.append(["Right answers", *(f"{shares[-1]:.0%}" if shares else "–" for shares in asked)])
    return lines


def draw(runs: Sequence[RunInfo], names: Sequence[str]) -> None:
    """The table, as words that a browser can wrap."""
    found: Any = table(runs, names)
    head = " | ".join(escape_markdown(name) for name in found)
    lines = (" | ".join(escape_markdown(cell) for cell in line) for line in zip(*found.values(), strict=True))
    rule = "|".join(" --- " for _ in found)
    ui.write("**What differs**")
    with ui.wide_table("runs"):
        ui.write("\n".join(f"| {line} |" for line in (head, *lines)).replace("|\n", f"|\n|{rule}|\n", 1), "caption")
