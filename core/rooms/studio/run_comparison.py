"""The settings in which runs differ, and their costs; exact, so one run's values can be put into another's recipe."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes
from core.jobs.runs import RunInfo
from core.models import registry
from core.nn.positions import RotarySettings
from core.rooms.studio.facts import last_losses, points_of
from core.train.recipe_parts.table import PARTS, set_recipe_field
from core.train.recipes import Recipe
from core.ui.text_formatting import escape_markdown
from core.ui.training.choices_to_recipe import KIND_LABELS, OPTIMIZER_LABELS, POSITION_LABELS, TOKEN_UNITS
from core.ui.training.cost import TrainingCost, describe_cost_difference, estimate_training_cost
from core.ui.training.text_facts import corpus_or_task_title

LABELS = module_labels(__name__)

FlatRecipe = dict[str, Any]  # a recipe: path, "model.block.norm" -> value
_ASIDE = ("name", "title", "model.vocab_size", "model.source_vocab")
_WHOLE = ("start",)  # compared as a whole, because its keys are data
_LABELS: Mapping[str, str] = {
    "corpus": LABELS["setting.corpus"],
    "tokenizer": LABELS["setting.tokenizer"],
    "tokenizer_vocab": LABELS["setting.tokenizer_vocab"],
    "split": LABELS["setting.split"],
    "spelled": LABELS["setting.spelled"],
    "model.kind": LABELS["setting.model.kind"],
    "model.cell": LABELS["setting.model.cell"],
    "model.n_layer": LABELS["setting.model.n_layer"],
    "model.n_head": LABELS["setting.model.n_head"],
    "model.d_model": LABELS["setting.model.d_model"],
    "model.context_length": LABELS["setting.model.context_length"],
    "context_length": LABELS["setting.context_length"],
    "model.positions": LABELS["setting.model.positions"],
    "optimizer": LABELS["setting.optimizer"],
    "learning_rate": LABELS["setting.learning_rate"],
    "n_step": LABELS["setting.n_step"],
    "batch_size": LABELS["setting.batch_size"],
}
_WORDS: Mapping[str, Mapping[Any, str]] = {
    "tokenizer": TOKEN_UNITS,
    "model.kind": {**KIND_LABELS, "rnn": LABELS["recurrent"]},  # the cell says which kind
    "model.cell": KIND_LABELS,
    "model.positions": POSITION_LABELS,
    "optimizer": OPTIMIZER_LABELS,
}
_BY_PATH = {path: part for part in PARTS.values() for path in part.paths}
SETTING_LABEL, PRICE_LABEL = LABELS["column.setting"], LABELS["column.price"]
_COSTS: Mapping[str, Callable[[TrainingCost], str]] = {
    LABELS["cost.parameters"]: lambda cost: f"{cost.n_parameter:,}",
    LABELS["cost.work"]: lambda cost: f"{cost.multiply_adds:,.0f}",
    LABELS["cost.cache"]: lambda cost: format_bytes(cost.cache_bytes),
    LABELS["cost.memory"]: lambda cost: format_bytes(cost.memory_bytes),
}


@dataclass(frozen=True)
class DifferingSetting:
    """A setting in which runs differ: its paths in a recipe, and each run's value as text."""

    label: str
    paths: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def is_of_kind(self) -> bool:
        """True if it names the kind of model, so that it should be shown even if the other models lack the setting."""
        return self.paths[0] in ("model.cell", "model.n_head")


def flatten_recipe(recipe: Mapping[str, object]) -> FlatRecipe:
    """Flatten a recipe to path -> value, including all defaults."""
    parsed = Recipe.from_dict(dict(recipe))
    config = registry.flat_settings(parsed.config(2))
    if config.get("positions") == "rotary" and config["rotary"] is None:
        config["rotary"] = asdict(RotarySettings())
    found = dict(_leaves({**parsed.to_dict(), "model": config}))
    return {path: value for path, value in found.items() if path not in _ASIDE}


def _leaves(table: Mapping[str, object], before: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        path = before + name
        if isinstance(value, Mapping) and (value or path == "task") and path not in _WHOLE:
            found += _leaves(value, f"{path}.")
        else:
            found.append((path, list(value) if isinstance(value, tuple) else value))
    return found


def differing_settings(flats: Sequence[FlatRecipe]) -> list[DifferingSetting]:
    """Return the settings in which these differ, in the order of the recipe and of the table of parts."""
    paths = dict.fromkeys(path for one in flats for path in one)
    missing = object()
    apart = [path for path in paths if any(one.get(path, missing) != flats[0].get(path, missing) for one in flats)]
    rows: dict[str, list[str]] = {}
    for path in apart:
        above = next((one for one in apart if path.startswith(f"{one}.")), path)  # "model.experts" is None in one
        rows.setdefault(_name(above), []).append(path)
    return [
        DifferingSetting(_label(name), tuple(some), tuple(_words(name, some, one) for one in flats))
        for name, some in rows.items()
    ]


def apply_settings(first: FlatRecipe, other: FlatRecipe, rows: Sequence[DifferingSetting]) -> dict[str, object]:
    """Return the first one's recipe, with the other's values in these rows."""
    paths = {path for row in rows for path in row.paths}
    mixed = {path: value for path, value in first.items() if path not in paths}
    mixed |= {path: other[path] for path in paths if path in other}
    recipe: dict[str, object] = {"name": "mixed", "title": "Mixed"}
    for path, value in mixed.items():
        set_recipe_field(recipe, path, value)
    return recipe


def _name(path: str) -> str:
    """Return the name of the part that a path belongs to, or the path itself."""
    part = _BY_PATH.get(path)
    return path if part is None else part.name


def _label(name: str) -> str:
    if name in PARTS:
        return PARTS[name].label
    return _LABELS.get(name) or name.split(".")[-1].replace("_", " ").capitalize()


def _words(name: str, paths: Sequence[str], one: FlatRecipe) -> str:
    if name in PARTS:
        sizes = {path.removeprefix("model."): value for path, value in one.items() if path.startswith("model.")}
        return PARTS[name].found_in(one, sizes)
    if name == "corpus":
        return corpus_or_task_title(str(one[name]))
    said = [_WORDS.get(path, {}).get(one[path], one[path]) for path in paths if path in one]
    return ", ".join(f"{value:,.6g}" if isinstance(value, float) else str(value) for value in said) or "–"


def table(runs: Sequence[RunInfo], names: Sequence[str]) -> dict[str, list[str]]:
    """Return one row per setting that differs, then the totals of the runs; one column per run.

    For two runs, also the cost of each setting: the first one's recipe with the second one's value, next to the first.
    """
    flats = [flatten_recipe(run.recipe) for run in runs]
    rows = [
        row for row in differing_settings(flats) if len(set(row.words)) > 1 and ("–" not in row.words or row.is_of_kind)
    ]
    lines = [[row.label, *row.words] for row in rows]
    prices = [_price(flats, row) for row in rows] if len(runs) == 2 else []
    if len({run.seed for run in runs}) > 1:
        lines.append([LABELS["seed"], *(str(run.seed) for run in runs)])
    lines += _sums(runs)
    columns = [SETTING_LABEL, *names, *([PRICE_LABEL] if prices else [])]
    prices += [""] * (len(lines) - len(prices))
    full = [[*line, price] if PRICE_LABEL in columns else line for line, price in zip(lines, prices, strict=True)]
    return {name: [line[i] for line in full] for i, name in enumerate(columns)}


def _price(flats: Sequence[FlatRecipe], row: DifferingSetting) -> str:
    first, other = flats
    try:
        changed, before = (
            estimate_training_cost(apply_settings(first, other, [row])),
            estimate_training_cost(apply_settings(first, first, [])),
        )
    except ValueError:
        return LABELS["not_alone"]
    return LABELS["not_alone"] if changed.refused else describe_cost_difference(changed, before)


def _sums(runs: Sequence[RunInfo]) -> list[list[str]]:
    costs = [estimate_training_cost(run.recipe) for run in runs]
    lines = [[name, *("–" if one.refused else said(one) for one in costs)] for name, said in _COSTS.items()]
    for i, name in enumerate((LABELS["training_loss"], LABELS["validation_loss"])):
        losses = [last_losses(run)[i] for run in runs]
        lines.append([name, *("–" if loss is None else f"{loss:.3f}" for loss in losses)])
    asked = [[point.right_share for point in points_of(run) if point.right_share is not None] for run in runs]
    if any(asked):  # tasks
        lines.append([LABELS["right"], *(f"{shares[-1]:.0%}" if shares else "–" for shares in asked)])
    return lines


def draw(runs: Sequence[RunInfo], names: Sequence[str]) -> None:
    """Draw the table as text that a browser can wrap."""
    found = table(runs, names)
    head = " | ".join(escape_markdown(name) for name in found)
    lines = (" | ".join(escape_markdown(cell) for cell in line) for line in zip(*found.values(), strict=True))
    rule = "|".join(" --- " for _ in found)
    ui.show_markdown(LABELS["differs"])
    with ui.wide_table("runs"):
        ui.show_markdown(
            "\n".join(f"| {line} |" for line in (head, *lines)).replace("|\n", f"|\n|{rule}|\n", 1), "caption"
        )
