"""A trillion parameters: how many work on one token, and how many are stored, in this room's and published models."""

from collections.abc import Sequence

from core import ui
from core.charts.marks import dot_layer, horizontal_interval_layer, text_layer
from core.charts.plot import chart_height_for_rows
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_count
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, segmented_control
from core.rooms.experts.compute import published
from core.rooms.experts.compute.published import ModelSize
from core.rooms.experts.experiments.routing import config_of

LABELS = module_labels(__name__)

OWN_SIZES = (8, 1, 105)  # experts, active experts, and characters of this room's model
WARM_UP = True  # the first use of torch's meta device takes a second
AXES = {False: LABELS["parameters"], True: LABELS["active_and_all"]}  # before and after the guess
CODE = (published.measure_gpt, published.count_idle_parameters, published.switch_c_size)


class Inputs(Base, prefix="size_of_"):
    guess: str = guess_control(
        ("switch", "gpt3"),
    )
    bits: int = segmented_control((2, 1), 2)  # bytes per parameter


class PublishedSizes(Result):
    """Published models and this room's model, smallest first."""

    models: tuple[ModelSize, ...]
    switch: ModelSize
    gpt3: ModelSize
    mixtral: ModelSize
    is_told: bool  # True after the guess, which reveals the active parameters
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row per model; before the guess, without the active parameters."""
        active = {LABELS["active_per_token"]: [one.active for one in self.models]} if self.is_told else {}
        return {
            LABELS["model"]: [one.title for one in self.models],
            LABELS["all_parameters"]: [one.total for one in self.models],
            **active,
            LABELS["counted_here"]: [one.is_counted for one in self.models],
            LABELS["source"]: [one.source for one in self.models],
        }


def compute(inputs: Inputs) -> PublishedSizes:
    """Return all models, counted from their configs if the library has their architecture."""
    models = published.model_sizes(config_of("balanced", *OWN_SIZES))
    by_title = {one.title: one for one in models}
    switch, gpt3 = by_title["Switch-C"], by_title["GPT-3 175B"]
    return PublishedSizes(
        models=models,
        switch=switch,
        gpt3=gpt3,
        mixtral=by_title["Mixtral 8x7B"],
        is_told=inputs.guess != NOT_YET,
        outcome=GuessOutcome("gpt3" if gpt3.active > switch.active else "switch"),
    )


def size_columns(models: Sequence[ModelSize], is_told: bool) -> Table:
    """Return one row per model: its index, its active parameters (None before the guess), its total, both as text."""
    return {
        "row": [*range(len(models))],
        "model": [one.title for one in models],
        "met": [one.active if is_told else None for one in models],
        "kept": [one.total for one in models],
        "told": [
            LABELS("active_of_all", active=format_count(one.active), total=format_count(one.total))
            if is_told
            else format_count(one.total)
            for one in models
        ],
    }


def draw(result: PublishedSizes, inputs: Inputs) -> None:
    """Draw a full dot at each model's active parameters, a ring at its total, and a line between them."""
    columns, is_told = size_columns(result.models, result.is_told), result.is_told
    tip = [("model", "", ""), ("told", LABELS["used_of_all"] if is_told else LABELS["all"], "")]
    lowest = columns["met" if is_told else "kept"]
    between = horizontal_interval_layer(columns, "row", "met", "kept", strokeWidth=3, opacity=0.5)
    ui.plot(
        [
            dot_layer(columns, "kept", "row", filled=False, size=190, strokeWidth=2.5, color="ink", tip=tip),
            *([between, dot_layer(columns, "met", "row", size=150, color=0, tip=tip)] if is_told else []),
            # Above its line, at the edge, because a phone has no room next to the ring.
            text_layer(columns, "told", "width", "row", align="right", dy=-14),
        ],
        x=ui.Axis(AXES[is_told], (min(lowest) / 3, 3 * max(columns["kept"])), is_log=True),
        y=ui.Axis(labels=[one.title for one in result.models]),
        legend=None,
        height=chart_height_for_rows(len(result.models), 42),
        alt=ui.section_text("alt"),
    )
