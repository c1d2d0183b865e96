"""The memory that the cache takes, by length, layers, heads and number type, and that of a fixed-size state."""

from math import prod
from typing import NamedTuple

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes
from core.exhibit import Result, number_input, segmented_control, select
from core.inspect.block_differences import describe_windows
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.registry import modern_options_of_model
from core.rooms.cache.inputs import CacheInputs

LABELS = module_labels(__name__)
CHOSEN_MODEL, RECURRENT = "yours", "stories-gru"
BYTES = (4, 2, 1)  # of each number


class CacheShape(NamedTuple):
    """The sizes of a model that determine its cache; `n_kept` heads have keys and values of their own."""

    n_layer: int
    n_head: int
    n_kept: int
    d_head: int
    context: int
    is_cache: bool = True  # a recurrent net stores a state of `d_head` numbers per layer, for any length of text

    def factors(self, n_token: int, n_byte: int, n_text: int = 1) -> tuple[int, ...]:
        """Return the factors of the size in bytes, whose product is `needs`.

        They are 2 (keys and values), layers, heads with keys of their own, numbers per head, tokens, bytes per number,
        and texts.

        Source: Pope et al. 2022 (2211.05102), section 2.1; heads that share keys and values: Shazeer 2019 (1911.02150),
        Ainslie et al. 2023 (2305.13245).
        """
        kept = (2, self.n_layer, self.n_kept, self.d_head, n_token) if self.is_cache else (self.n_layer, self.d_head)
        return *kept, n_byte, n_text

    def needs(self, n_token: int, n_byte: int, n_text: int = 1) -> int:
        """Return the bytes that are stored for this number of texts."""
        return prod(self.factors(n_token, n_byte, n_text))


# Radford et al. 2019; Brown et al. 2020, table 2.1; Touvron et al. 2023 (2307.09288), table 1 and appendix A.2.1.
SHAPES = {
    "gpt2": CacheShape(12, 12, 12, 64, 1024),
    "gpt2-xl": CacheShape(48, 25, 25, 64, 1024),
    "gpt3": CacheShape(96, 96, 96, 128, 2048),
    "llama2-7b": CacheShape(32, 32, 32, 128, 4096),
    "llama2-70b": CacheShape(80, 64, 8, 128, 4096),
}
CODE = (CacheShape,)


def _chosen_shape(inputs: "Inputs") -> CacheShape:
    """Return the chosen shape."""
    if inputs.shape in SHAPES:
        return SHAPES[inputs.shape]
    own = inputs.given.config
    if inputs.shape == RECURRENT:
        net = load_text_model(ModelKey.at(RECURRENT)).config
        return CacheShape(net.n_layer, 1, 1, net.d_model, own.context_length, is_cache=False)
    modern = modern_options_of_model(own)
    d_head = modern.d_head or own.d_model // own.n_head
    return CacheShape(own.n_layer, own.n_head, modern.n_kv_head or own.n_head, d_head, own.context_length)


class Inputs(CacheInputs, prefix="memory_"):
    shape: str = select((CHOSEN_MODEL, RECURRENT, *SHAPES), CHOSEN_MODEL)
    length: int = number_input(
        1,
        1_000_000,
        lambda i: _chosen_shape(i).context,
        step=1,
        reason=LABELS["length.reason"],
    )
    texts: int = number_input(
        1,
        1024,
        1,
        step=1,
        reason=LABELS["texts.reason"],
    )
    type: int = segmented_control(BYTES, 4, heading="")


class Memory(Result):
    """The memory for a number of texts of one length."""

    shape: CacheShape
    n_token: int
    total: int  # bytes
    each: int  # bytes for one more token
    is_over: bool  # whether the text is longer than the model's context
    windows: str
    formula: str  # the product of all factors
    lengths: list[int]  # forty lengths up to the context or the chosen length, and the chosen length
    needs: dict[int, list[int]]  # bytes at these lengths, by bytes per number

    def table(self) -> dict[str, list[int]]:
        columns = {LABELS("bytes_column", n_byte=n_byte): column for n_byte, column in self.needs.items()}
        return {LABELS["length_axis"]: self.lengths} | columns


def compute(inputs: Inputs) -> Memory:
    """Compute the bytes that are stored while the texts are generated."""
    shape, n_token, texts = _chosen_shape(inputs), inputs.length, inputs.texts
    longest = max(n_token, min(shape.context, 1_000_000))
    lengths = sorted({n_token, *(max(1, round(longest * i / 40)) for i in range(1, 41))})
    factors, total = shape.factors(n_token, inputs.type, texts), shape.needs(n_token, inputs.type, texts)
    unit = LABELS["bytes_in_formula"]
    product = r" \cdot ".join(f"{one:,}" for one in factors) + rf" = {total:,}\text{{ {unit}}}"
    product += rf" \approx \text{{{format_bytes(total)}}}" if total >= 1000 else ""
    state = "" if shape.is_cache else LABELS["state_formula"] + " "
    return Memory(
        shape=shape,
        n_token=n_token,
        total=total,
        each=shape.needs(2, inputs.type) - shape.needs(1, inputs.type),
        is_over=shape.is_cache and n_token > shape.context,
        windows=describe_windows(inputs.given.config) if inputs.shape == CHOSEN_MODEL else "",
        formula=(state + product).replace(",", "{,}"),
        lengths=lengths,
        needs={n_byte: [shape.needs(n, n_byte, texts) for n in lengths] for n_byte in BYTES},
    )


def draw(result: Memory, inputs: Inputs) -> None:
    """Draw the number of bytes, and its curve by length."""
    shape, total = result.shape, result.total
    with ui.st.container(horizontal=True):
        what = LABELS["keys_and_values"] if shape.is_cache else LABELS["the_state"]
        ui.show_metric(what, format_bytes(total), help=LABELS["units"])
        ui.show_metric(LABELS["each_token"], format_bytes(result.each))
        if shape.n_kept < shape.n_head:
            ui.show_metric(LABELS["every_head"], format_bytes(total * shape.n_head // shape.n_kept))
    curves = {LABELS("bytes", n=n): (result.lengths, column) for n, column in result.needs.items()}
    kept = LABELS["kept_axis"] if shape.is_cache else LABELS["state_axis"]
    bytes_axis = ui.Axis(kept, unit="bytes", has_zero=True)
    ui.curves(curves, x=LABELS["length_axis"], y=bytes_axis, at=result.n_token)
