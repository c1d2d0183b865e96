"""The parameter count as a sum of terms, for the chosen model, for published sizes and for the user's own."""

from dataclasses import replace

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import ControlKwargs, number_input, segmented_control, slider, toggle
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterBreakdown
from core.inspect.model_inputs.model_and_text import load_text_model
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.rooms.block.inputs import BlockInputs

LABELS = module_labels(__name__)

_GPT2 = GPTConfig(vocab_size=50_257, context_length=1_024, n_layer=12, n_head=12, d_model=768)
# Source: GPT-2: Radford et al. 2019, table 2, and its published configs.
PRESETS = {
    "gpt2": _GPT2,
    "gpt2-xl": replace(_GPT2, n_layer=48, n_head=25, d_model=1_600),
    "teaching": GPTConfig(vocab_size=1_000, context_length=64, n_layer=2, n_head=4, d_model=64),
}
CODE = (parameters.count_module_parameters, GPTConfig)
_OWN: ControlKwargs = {"when": lambda i: i.of == "own"}


class Inputs(BlockInputs, prefix="param_"):
    """The model to count; own sizes have at most 48 blocks, because more would take too long to set up."""

    of: str = segmented_control(("here", *PRESETS, "own"), "here")
    vocab: int = number_input(2, 300_000, 1_000, step=1, reason=LABELS["vocab.reason"], **_OWN)
    width: int = slider(64, 12_288, 64, step=64, **_OWN)
    layers: int = slider(1, 48, 2, **_OWN)
    ff: int = slider(1, 8, 4, **_OWN)
    heads: int = segmented_control((1, 4, 16, 64), 4, **_OWN)
    tied: bool = toggle(True, **_OWN)
    bias: bool = toggle(True, **_OWN)


def compute(inputs: Inputs) -> ParameterBreakdown:
    """Count every parameter of the model; models given by their sizes are counted without allocating memory."""
    if inputs.of == "here":
        return parameters.count_module_parameters(load_text_model(inputs.given.key).model)
    own = GPTConfig(
        vocab_size=inputs.vocab,
        d_model=inputs.width,
        n_layer=inputs.layers,
        n_head=inputs.heads,
        d_ff=inputs.ff * inputs.width,
        tied=inputs.tied,
        block=BlockStyle(bias=inputs.bias),
    )
    return parameters.count_config_parameters(PRESETS.get(inputs.of, own))


def draw(result: ParameterBreakdown, inputs: Inputs) -> None:
    """Draw the sum, its map, and the pieces of the chosen term."""
    terms = [ui.parameter_sum_term(term) for term in result.terms]
    here = inputs.of == "here"
    ui.sum_of_parts(
        terms if ui.depth_at_least("numbers") else [replace(term, formula="") for term in terms],
        key=f"parameters.{inputs.of}",
        unit=LABELS["unit"],
        label=LABELS("of_model", model=ui.describe_model(inputs.given.key).title)
        if here
        else LABELS("of_sizes", sizes=LABELS[f"of.{inputs.of}"]),
    )
