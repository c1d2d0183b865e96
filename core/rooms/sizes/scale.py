"""Models drawn to scale as squares whose areas are their parameters, with the learner's own in the corner."""

from collections.abc import Mapping
from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_ratio
from core.exhibit import Result, Table, select
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterBreakdown
from core.inspect.model_inputs.model_and_text import load_any_model
from core.models.configs.presets import PRESETS
from core.rooms.sizes.inputs import OwnModelInputs, count_cached

LABELS = module_labels(__name__)

OWN_MODEL = LABELS["own_model"]
MODEL_LADDER = ("a-lecture-s-gpt", "gpt-2-small", "bert-large", "gpt-2-xl", "t5-11b", "gpt-3-175b")
CODE = (parameters.count_module_parameters, parameters.count_config_parameters)


class Inputs(OwnModelInputs, prefix="scale_"):
    add: str = select({name: one.title for name, one in PRESETS.items() if name not in MODEL_LADDER}, "vit-b-16")


class ModelScale(Result):
    """The parameters of models by name, smallest first; the learner's own is `OWN_MODEL`."""

    records: Mapping[str, ParameterBreakdown]
    largest: str
    ratios: dict[str, float]  # parameters of each model divided by the learner's own

    @property
    def formula(self) -> str:
        largest, own = self.records[self.largest].total, self.records[OWN_MODEL].total
        return rf"\frac{{{largest:,}}}{{{own:,}}} = {self.ratios[self.largest]:,.0f}".replace(",", "{,}")

    def table(self) -> Table:
        return parameters.compare_model_sizes(self.records, OWN_MODEL)


def compute(inputs: Inputs) -> ModelScale:
    """Count the parameters of all of them."""
    records = {OWN_MODEL: count_cached(load_any_model(inputs.key).config)}
    records |= {PRESETS[name].title: count_cached(PRESETS[name].config) for name in (*MODEL_LADDER, inputs.add)}
    own = records[OWN_MODEL].total
    records = dict(sorted(records.items(), key=lambda one: one[1].total))
    return ModelScale(
        records=records, largest=[*records][-1], ratios={name: one.total / own for name, one in records.items()}
    )


def draw(result: ModelScale, inputs: Inputs) -> None:
    models: list[dict[str, Any]] = [
        {
            "name": name,
            "count": record.total,
            "parts": [{"name": term.label, "count": term.count} for term in record.terms if term.count],
            "times": format_ratio(result.ratios[name]),
            "words": ui.section_text(
                "square", is_own=name == OWN_MODEL, title=name, count=record.total, ratio=result.ratios[name]
            ),
        }
        for name, record in result.records.items()
    ]
    ui.mount_widget(
        "to_scale",
        key="sizes.scale",
        models=models,
        terms=list(dict.fromkeys(part["name"] for one in models for part in one["parts"])),
        selected=list(result.records).index(result.largest),
        label="",
        takeaway=ui.section_text("takeaway"),
    )
