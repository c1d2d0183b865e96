"""Any configuration counted: where its weights are, what a token and a step of training cost, and what it holds."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core import ui
from core.exhibit import segmented, select
from core.inspect.block_differences import windows_in_words
from core.inspect.costs import formulas, model_cost, parameters
from core.inspect.costs.parameters import ParameterRecord, Term
from core.models.configs.presets import PRESETS, Preset
from core.rooms.sizes.inputs import MINE, OWN, Sizes, config_of, context_of, counted, tokens_of_a_picture
from core.ui.numbers import in_bytes, short

LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 32_768, 131_072)
WARM_UP = True  # the first use of torch's device without memory takes a second
CODE = (
    parameters.count,
    formulas.formulas,
    formulas.value_of,
    model_cost.forward,
    model_cost.training,
    model_cost.next_token,
)


class Inputs(Sizes, prefix="size_"):
    """Tokens of a text, texts in a training step, bytes of a number."""

    tokens: int = select(
        "Length (tokens)",
        lambda i: {n: f"{n:,}" for n in sorted({*LENGTHS, context_of(i)})},
        context_of,
        when=lambda i: tokens_of_a_picture(i) is None,
        heading="",
    )
    batch: int = select("Texts in a training step", (1, 4, 16, 64, 256, 1_024), 1)
    bits: int = segmented("Numbers", {4: "32 bits", 2: "16 bits"}, 4)


@dataclass(frozen=True)
class Count:
    """All parameters of a model, and what it costs."""

    record: ParameterRecord  # the parameters
    costs: Mapping[str, int]  # what -> multiply-adds or bytes, see `model_cost.costs`
    preset: Preset | None  # the published model, if it is one
    context: int  # tokens that it reads at most

    def share(self, part: str) -> float:
        return self.record.term(part).count / self.record.total

    def ratio(self, what: str) -> str:
        """Bytes over those of the weights, in words."""
        ratio = self.costs[what] / self.costs["bytes: weights"]
        return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.3g}"

    @property
    def off(self) -> float | None:
        """How far the count is from the published one, as a share; None where none is published."""
        published = self.preset and self.preset.published
        return self.record.total / published - 1 if published else None

    @property
    def writes(self) -> bool:
        return "multiply-adds: next token, cached" in self.costs

    @property
    def largest(self) -> Term:
        return max(self.record.terms, key=lambda term: term.count)

    @property
    def amounts(self) -> dict[str, str]:
        """The costs in words that stay on one line."""
        written = {name: (in_bytes if name.startswith("bytes") else short)(n) for name, n in self.costs.items()}
        return {name: words.replace(" ", "\u00a0") for name, words in written.items()}

    @property
    def formula(self) -> str:
        counts = (
            rf"\underbrace{{{term.count:,}}}_{{\text{{{term.name}}}}}" for term in self.record.terms if term.count
        )
        return f"{self.record.total:,} = {' + '.join(counts)}".replace(",", "{,}")

    def table(self) -> dict[str, list[Any]]:
        return parameters.count_table(self.record, self.costs)


def compute(inputs: Inputs) -> Count:
    """The parameters, counted on modules without memory, and the costs."""
    config = config_of(inputs)
    record = counted(config)
    costs = model_cost.costs(config, record.total, inputs.tokens, inputs.batch, inputs.bits)
    return Count(record, costs, PRESETS.get(inputs.of), context_of(inputs))


def draw(result: Count, inputs: Inputs) -> None:
    titles = {MINE: lambda: ui.about(inputs.key).title, OWN: lambda: "Your own sizes"}
    title = titles[inputs.of]() if result.preset is None else result.preset.title
    parts = [ui.as_part(term) for term in result.record.terms]
    if not ui.at_least("numbers"):
        parts = [replace(part, formula="", numbers="") for part in parts]
    ui.say("total")
    ui.parts(parts, key="sizes.parts", unit="parameters", label=f"Parameters: {title}")
    if result.preset is not None:
        ui.say("published")
    if tokens_of_a_picture(inputs) is not None:
        ui.say("picture")
    ui.say("costs")
    config = config_of(inputs)
    if (experts := getattr(config, "experts", None)) is not None:
        ui.say("experts", experts=experts)
    if windows := windows_in_words(config):
        ui.say("windows", windows=windows)
    if ui.at_least("numbers"):
        for place, table in zip(ui.pair("sizes-costs"), ("work", "memory"), strict=True):
            with place:
                ui.say(table)
    ui.say("multiply-add")
    if inputs.tokens > result.context:
        ui.say("long")
