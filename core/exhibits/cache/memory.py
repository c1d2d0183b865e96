"""What the cache costs: memory, by length, layers, heads and kind of number."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.charts.curves import Curve
from core.charts.lines import lines
from core.inspect.cached import cache_bytes
from core.ui import controls, models
from core.ui.frame import Shown, exhibit
from core.ui.layout import color_mode
from core.ui.models import ModelKey


@dataclass(frozen=True)
class Shape:
    """Of a model, as far as its cache is concerned; `n_kept` heads have keys and values of their own."""

    n_layer: int
    n_head: int
    n_kept: int
    d_head: int
    context: int


YOURS = "yours"
# Radford et al. 2019; Brown et al. 2020, table 2.1; Touvron et al. 2023 (2307.09288), table 1 and appendix A.2.1.
SHAPES = MappingProxyType(
    {
        "gpt2": Shape(12, 12, 12, 64, 1024),
        "gpt2-xl": Shape(48, 25, 25, 64, 1024),
        "gpt3": Shape(96, 96, 96, 128, 2048),
        "llama2-7b": Shape(32, 32, 32, 128, 4096),
        "llama2-70b": Shape(80, 64, 8, 128, 4096),
    }
)
NAMES = {
    YOURS: "the model above",
    "gpt2": "GPT-2 small",
    "gpt2-xl": "GPT-2 XL",
    "gpt3": "GPT-3 (175 billion)",
    "llama2-7b": "Llama 2, 7 billion",
    "llama2-70b": "Llama 2, 70 billion",
}
BYTES = {4: "float32 (4 bytes)", 2: "float16 or bfloat16 (2 bytes)", 1: "8-bit numbers (1 byte)"}
MOST_TEXTS = 1024


@exhibit(
    title="How much memory?",
    look_for="what multiplies what. The cache grows in proportion to everything: layers, heads, length, bytes, texts.",
    try_this=[
        (
            "Choose GPT-2 small at its full length.",
            "In float32 one text takes 72 MiB. The weights themselves are 124 million numbers, about 475 MiB: seven "
            "texts at once and the cache is larger than the model.",
        ),
        (
            "Go from Llama 2 with 7 billion weights to the one with 70 billion.",
            "Ten times the weights, and yet the cache shrinks, from 2 GiB to 1.25 GiB for one full text in float16. "
            "There, groups of eight heads share one set of keys and values.",
        ),
        (
            "Set “Texts at once” to 64.",
            "A service that answers 64 people keeps 64 caches. Weights are shared, caches are not.",
        ),
    ],
    code=(cache_bytes,),
    formula=r"\text{bytes} = 2 \cdot L \cdot H \cdot K \cdot N \cdot \text{bytes per number} \cdot \text{texts}",
)
def how_much_memory(key: ModelKey) -> Shown:
    """Shape, length, number type and texts; the bytes, and a curve of them by length."""
    config: Any = models.load(key).config
    own = Shape(config.n_layer, config.n_head, config.n_head, config.d_model // config.n_head, config.context_length)
    left, right = st.columns(2, gap="medium")
    with left:
        name = controls.select("memory_shape", "Shape of the model", list(NAMES), YOURS, labels=NAMES)
        n_byte = controls.segmented("memory_type", "Numbers", list(BYTES), 4, labels=BYTES)
    shape = SHAPES.get(name, own)
    with right:
        n_token = int(
            controls.number(f"memory_length.{name.replace('-', '_')}", "Length N (tokens)", 1, 1_000_000, shape.context,
                            step=1, reason="longer texts than any of these models can read")
        )  # fmt: skip
        n_text = int(
            controls.number("memory_texts", "Texts at once", 1, MOST_TEXTS, 1, step=1, reason="a busy service already")
        )
    total = cache_bytes(shape.n_layer, shape.n_kept, shape.d_head, n_token, n_byte, n_text)
    alone = cache_bytes(shape.n_layer, shape.n_head, shape.d_head, n_token, n_byte, n_text)
    per_token = cache_bytes(shape.n_layer, shape.n_kept, shape.d_head, 1, n_byte)
    with st.container(horizontal=True):
        st.metric("Keys and values", size(total))
        st.metric("For each further token of a text", size(per_token))
        if alone > total:
            st.metric("If every head had its own", size(alone))
    if n_token > shape.context:
        st.caption(f"This model was made for {shape.context:,} tokens; it keeps no more than that of a longer text.")
    spec = _by_length(shape, n_token, n_text)
    st.vega_lite_chart(spec, alt=f"Memory by length. At {n_token:,} tokens: {size(total)}.", key="memory-curve")
    numbers = (2, shape.n_layer, shape.n_kept, shape.d_head, n_token, n_byte, n_text)
    filled = r" \cdot ".join(f"{one:,}".replace(",", "{,}") for one in numbers)
    return Shown(
        numbers={
            "what": ["2: keys and values", "L: layers", "H: heads with keys of their own", "K: numbers in each",
                     "N: tokens", "bytes per number", "texts", "bytes in all"],
            "number": [*numbers, total],
        },
        figure=spec,
        formula=filled + f" = {total:,}".replace(",", "{,}") + rf"\text{{ bytes = {size(total)}}}",
    )  # fmt: skip


def size(n_byte: int) -> str:
    """Bytes in words: 1 KiB is 1,024 bytes."""
    value, unit = float(n_byte), "bytes"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:,.0f} {unit}" if value == int(value) else f"{value:,.2f} {unit}"


def _by_length(shape: Shape, n_token: int, n_text: int) -> dict[str, Any]:
    longest = max(n_token, min(shape.context, 1_000_000))
    lengths = sorted({max(1, round(longest * i / 40)) for i in range(1, 41)})
    unit, name = _unit(cache_bytes(shape.n_layer, shape.n_kept, shape.d_head, longest, 4, n_text))
    per_token = cache_bytes(shape.n_layer, shape.n_kept, shape.d_head, 1, 1, n_text)
    curves = [
        Curve(f"{n_byte} {'byte' if n_byte == 1 else 'bytes'} per number", lengths,
              [n * n_byte * per_token / unit for n in lengths])
        for n_byte in BYTES
    ]  # fmt: skip
    return lines(
        curves,
        x_title="length N (tokens)",
        y_title=f"keys and values ({name})",
        mode=color_mode(),
        height=240,
        y_range=(0, max(curves[0].y) * 1.05),
        marked=n_token,
    )


def _unit(n_byte: int) -> tuple[int, str]:
    power = 0
    while n_byte >= 1024 ** (power + 1) and power < 4:
        power += 1
    return 1024**power, ("bytes", "KiB", "MiB", "GiB", "TiB")[power]
