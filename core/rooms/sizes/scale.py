"""Models drawn to scale, as squares whose areas are their parameters: the learner's own in the corner of all others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import ui
from core.browser.message import pack
from core.exhibit import select
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.inspect.reading.model_and_text import load_any
from core.models.configs.presets import PRESETS
from core.rooms.sizes.inputs import Looked, counted
from core.ui.numbers import times
from core.ui.widgets.mount import mount

YOURS = "Yours"
LADDER = ("a-lecture-s-gpt", "gpt-2-small", "bert-large", "gpt-2-xl", "t5-11b", "gpt-3-175b")
CODE = (parameters.count, parameters.count_config)


class Inputs(Looked, prefix="scale_"):
    add: str = select(
        "Beside these, show", {name: one.title for name, one in PRESETS.items() if name not in LADDER}, "vit-b-16"
    )


@dataclass(frozen=True)
class Models:
    """The parameters of models by their names, from the smallest to the largest; the learner's own is `YOURS`."""

    records: Mapping[str, ParameterRecord]

    def ratio(self, name: str = "") -> float:
        """How many times as large as the learner's own a model is; without a name, the largest."""
        return self.records[name or self.largest].total / self.records[YOURS].total

    @property
    def largest(self) -> str:
        return list(self.records)[-1]

    @property
    def formula(self) -> str:
        largest, own = self.records[self.largest].total, self.records[YOURS].total
        return rf"\frac{{{largest:,}}}{{{own:,}}} = {self.ratio():,.0f}".replace(",", "{,}")

    def table(self) -> dict[str, list[Any]]:
        return parameters.size_table(self.records, YOURS)


def compute(inputs: Inputs) -> Models:
    """All of them, counted."""
    records = {YOURS: counted(load_any(inputs.key).config)}
    records |= {PRESETS[name].title: counted(PRESETS[name].config) for name in (*LADDER, inputs.add)}
    return Models(dict(sorted(records.items(), key=lambda one: one[1].total)))


def draw(result: Models, inputs: Inputs) -> None:
    models: list[dict[str, Any]] = [
        {
            "name": name,
            "count": record.total,
            "parts": [{"name": term.name, "count": term.count} for term in record.terms if term.count],
            "times": times(result.ratio(name)),
            "words": ui.words("square", title=name, count=record.total, ratio=result.ratio(name)),
        }
        for name, record in result.records.items()
    ]
    header = {
        "widget": "to_scale",
        "models": models,
        "terms": list(dict.fromkeys(part["name"] for one in models for part in one["parts"])),
        "selected": list(result.records).index(PRESETS[LADDER[0]].title),
        "label": "Parameters as areas",
        "takeaway": ui.words("takeaway"),
    }
    mount("to_scale", "sizes.scale", pack(header, {}))
    ui.say("fits")
