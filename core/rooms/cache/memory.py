"""What the cache costs: memory, by length, layers, heads and kind of number; and a state, which does not grow."""

from types import MappingProxyType
from typing import Any

import streamlit as st

from core.charts.curves import Curve
from core.charts.lines import lines
from core.rooms.cache.compute.cached_writing import Shape, StateShape, cache_bytes, state_bytes
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.frame.scripts import Code
from core.ui.models import models
from core.ui.models.models import ModelKey, ModelUnreadable
from core.ui.numbers import in_bytes

YOURS, RECURRENT = "yours", "stories-gru"
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


@exhibit(
    title="How much memory?",
    look_for="how steep the lines are. The cache grows with everything: layers, heads, length, bytes per number, "
    "texts. Double any of them, and it needs twice the memory.",
    try_this=[
        (
            "Choose GPT-2 small at its full length.",
            "With 4 bytes per number, one text takes 75.5 MB. The weights themselves are 124 million numbers, 498 MB: "
            "with seven texts at once, the cache is larger than the model.",
        ),
        (
            "Go from Llama 2 with 7 billion parameters to the one with 70 billion.",
            "Ten times the parameters, and yet the cache shrinks: with 2 bytes per number, from 2.15 GB to 1.34 GB for "
            "one full text. In the larger model, groups of eight heads share one set of keys and values.",
        ),
        (
            "Choose the recurrent net, and any length.",
            "A **recurrent net** keeps one state instead of the words, so its lines are flat: with 4 bytes per number, "
            "192 bytes for a text of any length. But what the state has lost can't be looked up again.",
        ),
    ],
    code=(cache_bytes, state_bytes),
    formula=r"\text{bytes} = 2 \cdot L \cdot H \cdot d_k \cdot N \cdot \text{bytes per number} \cdot \text{texts}",
)
def how_much_memory(key: ModelKey) -> Shown:
    """Shape, length, number type and texts; the bytes, and a curve of them by length."""
    shapes = _shapes(key)
    left, middle, right = st.columns([3, 2, 2], gap="medium", vertical_alignment="bottom")
    with left:
        name = controls.select("memory_shape", "Shape of the model", list(shapes), YOURS, labels=NAMES)
    shape = shapes[name]
    with middle:
        n_token = int(
            controls.number(f"memory_length.{name.replace('-', '_')}", "Length (tokens)", 1, 1_000_000, shape.context,
                            step=1, reason="longer texts than any of these models can read")
        )  # fmt: skip
    with right:
        n_text = int(
            controls.number("memory_texts", "Texts at once", 1, MOST_TEXTS, 1, step=1, reason="a busy service already",
                            help="All texts share the weights; what is kept of a text is its own.")
        )  # fmt: skip
    n_byte = controls.segmented("memory_type", "Kind of number", list(BYTES), 4, labels=BYTES)
    total = shape.needs(n_token, n_byte, n_text)
    with st.container(horizontal=True):
        st.metric("Keys and values" if isinstance(shape, Shape) else "The state", in_bytes(total), help=UNITS)
        st.metric("For each further token of a text", in_bytes(shape.needs(2, n_byte) - shape.needs(1, n_byte)))
        if isinstance(shape, Shape) and shape.n_kept < shape.n_head:
            alone = cache_bytes(shape.n_layer, shape.n_head, shape.d_head, n_token, n_byte, n_text)
            st.metric("If every head had its own", in_bytes(alone))
    if isinstance(shape, Shape) and n_token > shape.context:
        st.caption(f"This model was made for {shape.context:,} tokens; of a longer text it keeps only that many.")
    table = shape.by_length(_lengths(shape, n_token), tuple(BYTES), n_text)
    spec = _chart(table, shape, n_token)
    st.vega_lite_chart(spec, alt=f"Memory by length. At {n_token:,} tokens: {in_bytes(total)}.", key="memory-curve")
    st.caption(f"One line for each kind of number, by its bytes; the upright line marks {n_token:,} tokens.")
    return Shown(
        numbers=table,
        figure=spec,
        formula=_formula(shape, list(shape.factors(n_token, n_byte, n_text).values()), total),
        script=lambda: _script(None if name != YOURS else key, shape, table["length N (tokens)"], n_text),
    )


def _script(key: ModelKey | None, shape: Shape | StateShape, lengths: list[int], n_text: int) -> str:
    """Of a model that is here, or of one whose sizes are published."""
    imports, made = scripts.imports(shape), Code(f"shape = {scripts.settings(shape)}")
    if key is not None:
        imports = Code(f"{imports}\nfrom core.models.pretrained import load")
        made = Code(f"{scripts.folder(key)}\nshape = Shape.of(load(FOLDER).config)")
    return scripts.script(
        """
        from core.data.csv_table import print_table
        $imports

        $made

        # Bytes of what is kept of the texts while they are written, by their length and by the bytes of a number.
        print_table(shape.by_length($lengths, kinds=$kinds, n_text=$n_text))
        """,
        imports=imports,
        made=made,
        lengths=lengths,
        kinds=tuple(BYTES),
        n_text=n_text,
    )


def _shapes(key: ModelKey) -> dict[str, Shape | StateShape]:
    """All that can be chosen; the recurrent net only where it is shipped."""
    config: Any = models.load(key).config
    own = Shape.of(config)
    found: dict[str, Shape | StateShape] = {YOURS: own}
    try:
        net: Any = models.load(models.shipped_key(RECURRENT)).config
        found[RECURRENT] = StateShape(net.n_layer, net.d_model, own.context)
    except ModelUnreadable:
        pass
    return found | SHAPES


def _formula(shape: Shape | StateShape, factors: list[int], total: int) -> str:
    filled = r" \cdot ".join(f"{one:,}" for one in factors) + rf" = {total:,}\text{{ bytes}}"
    if total >= 1000:
        filled += rf" \approx \text{{{in_bytes(total)}}}"
    if isinstance(shape, StateShape):  # the formula above is that of a cache
        filled = r"\text{a state: } L \cdot D \cdot \text{bytes per number} \cdot \text{texts} = " + filled
    return filled.replace(",", "{,}")


def _lengths(shape: Shape | StateShape, n_token: int) -> list[int]:
    """Forty lengths up to what the model can read or the learner asks for, and the asked one."""
    longest = max(n_token, min(shape.context, 1_000_000))
    return sorted({n_token, *(max(1, round(longest * i / 40)) for i in range(1, 41))})


def _chart(table: dict[str, list[Any]], shape: Shape | StateShape, n_token: int) -> dict[str, Any]:
    lengths, *columns = table.values()
    unit, name = _unit(max(columns[0]))
    curves = [
        Curve("1 byte" if n_byte == 1 else f"{n_byte} bytes", lengths, [one / unit for one in column])
        for n_byte, column in zip(BYTES, columns, strict=True)
    ]
    return lines(
        curves,
        x_title="length N (tokens)",
        y_title=f"{'keys and values' if isinstance(shape, Shape) else 'the state'} ({name})",
        mode=color_mode(),
        height=300,
        y_range=(0, max(curves[0].y) * 1.05),
        marked=n_token,
    )


def _unit(n_byte: int) -> tuple[int, str]:
    power = 0
    while n_byte >= 1000 ** (power + 1) and power < 4:
        power += 1
    return 1000**power, ("bytes", "kB", "MB", "GB", "TB")[power]
