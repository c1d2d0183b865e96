"""Any configuration counted: its weights by part, the cost of a token and a training step, and its memory."""

from collections.abc import Mapping
from dataclasses import replace

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes, format_count
from core.exhibit import Result, Table, segmented_control, select
from core.inspect.block_differences import describe_windows
from core.inspect.costs import model_cost, parameter_count_formulas, parameters
from core.inspect.costs.parameters import ParameterBreakdown
from core.models.configs.presets import PRESETS, Preset
from core.models.registry import modern_options_of_model
from core.nn.experts import ExpertSettings
from core.rooms.sizes.inputs import MINE, SizeInputs, context_length_of, count_cached, picture_tokens, selected_config

LABELS = module_labels(__name__)

LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 32_768, 131_072)
WARM_UP = True  # the first use of torch's device without memory takes a second
CODE = (
    parameters.count_module_parameters,
    parameter_count_formulas.parameter_formulas,
    parameter_count_formulas.evaluate_formula,
    model_cost.forward_cost,
    model_cost.training_step_cost,
    model_cost.next_token_cost,
)


class Inputs(SizeInputs, prefix="size_"):
    """Tokens of a text, texts in a training step, bytes of a number."""

    tokens: int = select(
        lambda i: {n: f"{n:,}" for n in sorted({*LENGTHS, context_length_of(i)})},
        context_length_of,
        when=lambda i: picture_tokens(i) is None,
        heading="",
    )
    batch: int = select((1, 4, 16, 64, 256, 1_024), 1)
    bits: int = segmented_control((4, 2), 4)


class SizeCount(Result):
    """All parameters of a model, and its costs."""

    record: ParameterBreakdown
    costs: Mapping[str, int]  # in multiply-adds or bytes by key, see `model_cost.model_costs`
    amounts: dict[str, str]  # the costs as text without line breaks
    preset: Preset | None  # the published model, if this is one
    off: float | None  # relative difference from the published count; None if none is published
    is_writer: bool  # True if the model generates text token by token
    context: int  # tokens that it can read
    picture: int | None  # tokens of one picture; None for models that read texts
    experts: ExpertSettings | None
    windows: str  # of its attention, as text; "" if it has none

    def ratio(self, name: str) -> str:
        """Return a cost in bytes relative to the weights, as text."""
        ratio = self.costs[name] / self.costs["weights"]
        return f"{ratio:,.0f}" if ratio >= 1000 else f"{ratio:.3g}"

    @property
    def formula(self) -> str:
        counts = (
            rf"\underbrace{{{term.count:,}}}_{{\text{{{term.label}}}}}" for term in self.record.terms if term.count
        )
        return f"{self.record.total:,} = {' + '.join(counts)}".replace(",", "{,}")

    def table(self) -> Table:
        return parameters.parameter_and_cost_table(self.record, self.costs)


def compute(inputs: Inputs) -> SizeCount:
    """Count the parameters on modules without memory, and the costs."""
    config, preset = selected_config(inputs), PRESETS.get(inputs.of)
    record = count_cached(config)
    costs = model_cost.model_costs(config, record.total, inputs.tokens, inputs.batch, inputs.bits)
    amounts = {
        name: (format_bytes if name in model_cost.MEMORY_COSTS else format_count)(n) for name, n in costs.items()
    }
    published = preset.published if preset else None
    return SizeCount(
        record=record,
        costs=costs,
        amounts={name: amount.replace(" ", "\u00a0") for name, amount in amounts.items()},
        preset=preset,
        off=record.total / published - 1 if published else None,
        is_writer="next_cached" in costs,
        context=context_length_of(inputs),
        picture=picture_tokens(inputs),
        experts=modern_options_of_model(config).experts,
        windows=describe_windows(config),
    )


def draw(result: SizeCount, inputs: Inputs) -> None:
    own = ui.describe_model(inputs.key).title if inputs.of == MINE else LABELS["own_sizes"]
    parts = [ui.parameter_sum_term(term) for term in result.record.terms]
    if not ui.depth_at_least("numbers"):
        parts = [replace(part, formula="", numbers="") for part in parts]
    title = result.preset.title if result.preset else own
    ui.sum_of_parts(parts, key="sizes.parts", unit=LABELS["parameters"], label=LABELS("parameters_of", title=title))
    if ui.depth_at_least("numbers"):
        for place, table in zip(ui.two_columns("sizes-costs"), ("work", "memory"), strict=True):
            with place:
                ui.show_text_section(table)
