"""What the cache costs: memory, by length, layers, heads and kind of number; and a state, which does not grow."""

import math
from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.curves import Curve
from core.charts.figure import Spec
from core.charts.lines import lines
from core.exhibit import number, segmented, select
from core.inspect.block_differences import windows_in_words
from core.inspect.reading.model_and_text import load
from core.inspect.reading.model_key import ModelKey
from core.rooms.cache.inputs import Looked
from core.ui.numbers import in_bytes

YOURS, RECURRENT = "yours", "stories-gru"
NAMES = {
    YOURS: "the model above",
    RECURRENT: "a recurrent net: the shipped GRU",
    "gpt2": "GPT-2 small",
    "gpt2-xl": "GPT-2 XL",
    "gpt3": "GPT-3 (175 billion)",
    "llama2-7b": "Llama 2, 7 billion",
    "llama2-70b": "Llama 2, 70 billion",
}
BYTES = {4: "float32 (4 bytes)", 2: "float16 or bfloat16 (2 bytes)", 1: "8-bit numbers (1 byte)"}
MOST_TEXTS = 1024
UNITS = "1 kB is 1,000 bytes, 1 MB is 1,000 kB, 1 GB is 1,000 MB."


@dataclass(frozen=True)
class Shape:
    """Of a model, as far as its cache is concerned; `n_kept` heads have keys and values of their own."""

    n_layer: int
    n_head: int
    n_kept: int
    d_head: int
    context: int

    def factors(self, n_token: int, n_byte: int, n_text: int = 1) -> tuple[int, ...]:
        """2 for keys and values, layers, heads with keys of their own, numbers in each, tokens, bytes of one, texts.

        Source: Pope et al. 2022 (2211.05102), section 2.1; heads that share keys and values: Shazeer 2019 (1911.02150),
        Ainslie et al. 2023 (2305.13245).
        """
        return 2, self.n_layer, self.n_kept, self.d_head, n_token, n_byte, n_text

    def needs(self, n_token: int, n_byte: int, n_text: int = 1) -> int:
        """Bytes that are kept of so many texts."""
        return math.prod(self.factors(n_token, n_byte, n_text))


@dataclass(frozen=True)
class StateShape(Shape):
    """Of a GRU or a plain recurrent net: one state of `d_head` numbers a layer, however long the text is."""

    def factors(self, n_token: int, n_byte: int, n_text: int = 1) -> tuple[int, ...]:
        """Layers, numbers in the state of each, bytes per number, texts."""
        return self.n_layer, self.d_head, n_byte, n_text


# Radford et al. 2019; Brown et al. 2020, table 2.1; Touvron et al. 2023 (2307.09288), table 1 and appendix A.2.1.
SHAPES = {
    "gpt2": Shape(12, 12, 12, 64, 1024),
    "gpt2-xl": Shape(48, 25, 25, 64, 1024),
    "gpt3": Shape(96, 96, 96, 128, 2048),
    "llama2-7b": Shape(32, 32, 32, 128, 4096),
    "llama2-70b": Shape(80, 64, 8, 128, 4096),
}
CODE = (Shape, StateShape)


def shape_of(inputs: Any) -> Shape:
    """The chosen shape."""
    if inputs.shape in SHAPES:
        return SHAPES[inputs.shape]
    own = inputs.given.config
    if inputs.shape == RECURRENT:
        net: Any = load(ModelKey.at(RECURRENT)).config
        return StateShape(net.n_layer, 1, 1, net.d_model, own.context_length)
    d_head = own.d_head or own.d_model // own.n_head
    return Shape(own.n_layer, own.n_head, own.n_kv_head or own.n_head, d_head, own.context_length)


class Inputs(Looked, prefix="memory_"):
    """What is kept of which texts."""

    shape: str = select("Shape of the model", NAMES, YOURS)
    length: int = number(
        "Length (tokens)",
        1,
        1_000_000,
        lambda i: shape_of(i).context,
        step=1,
        reason="longer texts than any of these models can read",
    )
    texts: int = number(
        "Texts at once",
        1,
        MOST_TEXTS,
        1,
        step=1,
        reason="a busy service already",
        help="All texts share the weights; what is kept of a text is its own.",
    )
    type: int = segmented("Kind of number", BYTES, 4, heading="")


@dataclass(frozen=True)
class Memory:
    """What is kept of so many texts of one length, with so many bytes a number."""

    shape: Shape
    n_token: int
    n_byte: int
    n_text: int

    @property
    def is_cache(self) -> bool:
        return not isinstance(self.shape, StateShape)

    @property
    def is_over(self) -> bool:
        """Whether the text is longer than the model reads."""
        return self.is_cache and self.n_token > self.shape.context

    @property
    def total(self) -> int:
        """In bytes."""
        return self.shape.needs(self.n_token, self.n_byte, self.n_text)

    @property
    def formula(self) -> str:
        """The product of all factors."""
        filled = r" \cdot ".join(f"{one:,}" for one in self.shape.factors(self.n_token, self.n_byte, self.n_text))
        filled += rf" = {self.total:,}\text{{ bytes}}"
        if self.total >= 1000:
            filled += rf" \approx \text{{{in_bytes(self.total)}}}"
        if not self.is_cache:  # the formula above is that of a cache
            filled = r"\text{a state: } L \cdot D \cdot \text{bytes per number} \cdot \text{texts} = " + filled
        return filled.replace(",", "{,}")

    def table(self) -> dict[str, list[int]]:
        """Forty lengths up to what the model can read or is asked for, and the asked one; a column for each type."""
        longest = max(self.n_token, min(self.shape.context, 1_000_000))
        lengths = sorted({self.n_token, *(max(1, round(longest * i / 40)) for i in range(1, 41))})
        columns = {
            f"bytes, {kind} for each number": [self.shape.needs(n, kind, self.n_text) for n in lengths]
            for kind in BYTES
        }
        return {"length N (tokens)": lengths, **columns}


def compute(inputs: Inputs) -> Memory:
    """Bytes of what is kept of the texts while they are written."""
    return Memory(shape_of(inputs), inputs.length, inputs.type, inputs.texts)


def draw(result: Memory, inputs: Inputs) -> None:
    """The bytes, and a curve of them by length."""
    shape, n_byte = result.shape, result.n_byte
    with ui.st.container(horizontal=True):
        ui.metric("Keys and values" if result.is_cache else "The state", in_bytes(result.total), help=UNITS)
        more = shape.needs(2, n_byte) - shape.needs(1, n_byte)
        ui.metric("For each further token of a text", in_bytes(more))
        if shape.n_kept < shape.n_head:
            ui.metric("If every head had its own", in_bytes(result.total * shape.n_head // shape.n_kept))
    if result.is_over:
        ui.say("over")
    at = f"At {result.n_token:,} tokens: {in_bytes(result.total)}."
    ui.chart(_chart(result), alt=f"Memory by length. {at}", key="memory-curve")
    ui.say("lines")
    if inputs.shape == YOURS and (windows := windows_in_words(inputs.given.config)):
        ui.say("window", windows=windows)


def _chart(result: Memory) -> Spec:
    lengths, *columns = result.table().values()
    power = min(4, (len(str(max(columns[0]))) - 1) // 3)
    curves = [
        Curve("1 byte" if n_byte == 1 else f"{n_byte} bytes", lengths, [one / 1000**power for one in column])
        for n_byte, column in zip(BYTES, columns, strict=True)
    ]
    unit = ("bytes", "kB", "MB", "GB", "TB")[power]
    return lines(
        curves,
        x_title="length N (tokens)",
        y_title=f"{'keys and values' if result.is_cache else 'the state'} ({unit})",
        mode=ui.color_mode(),
        height=300,
        y_range=(0, max(curves[0].y) * 1.05),
        marked=result.n_token,
    )
