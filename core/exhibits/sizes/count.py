"""Any configuration counted: where its weights are, what a token and a step of training cost, and what it holds."""

from typing import Any

import streamlit as st

from core.exhibits.sizes.configs import Chosen, choose
from core.inspect import arithmetic, formulas, parameters, work
from core.inspect.parameters import ParameterRecord, Term
from core.models.presets import PRESETS, Preset
from core.models.vit import ViTConfig
from core.ui import controls, layout
from core.ui.cache import MAX_FIGURES, kept
from core.ui.frame import Shown, exhibit
from core.ui.models import ModelKey
from core.ui.numbers import in_bytes, short
from core.ui.parts import Part, Piece, parts
from core.ui.text import escape_markdown

LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 32_768, 131_072)
BATCHES = (1, 4, 16, 64, 256, 1_024)
NUMBERS = {4: "32 bits", 2: "16 bits"}
MOMENTS = 2  # AdamW keeps two numbers for each weight
_WHY = {
    "multiply-adds: one text, forward": "all its tokens at once",
    "multiply-adds: one training step": "each product has two more in the backward pass",
    "multiply-adds: next token, cached": "keys and values of earlier ones are kept",
    "multiply-adds: next token, read anew": "the whole text again",
    "bytes: weights": "",
    "bytes: gradients": "one for each weight",
    "bytes: AdamW's two moments": "two for each weight",
    "bytes: activations": "every named tensor of a pass:",
    "bytes: keys and values of one text": "one pair for each token and layer:",
}
_COMPARED = ("bytes: activations", "bytes: keys and values of one text")


def warm_up() -> None:
    """Count one model that is only described: the first use of torch's device without memory takes a second."""
    counted("gpt-2-small")


@kept(MAX_FIGURES)
def counted(preset: str) -> ParameterRecord:
    """The parameters of a published model, counted on modules without memory."""
    return parameters.count_config(PRESETS[preset].config)


@kept(MAX_FIGURES)
def counted_config(config: Any) -> ParameterRecord:
    """The parameters of any other."""
    return parameters.count_config(config)


@exhibit(
    title="Weights, work and memory",
    look_for="three different sizes of one model: how many weights it has, how often it multiplies for a token, and "
    "how much memory it holds. A formula gives each, and the first is compared with the real modules.",
    try_this=[
        (
            "Choose GPT-3 175B.",
            "Two thirds of its weights are feed-forward, a third is attention; the embedding is below one percent. In "
            "GPT-2 small it is 31 %.",
        ),
        (
            "Choose T5 11B and click “feed-forward”.",
            "65,536 units in a stream of 1,024: 57 % of eleven billion weights sit there, and 128 heads of 128 numbers "
            "take the rest. A count comes from all sizes, not from the width alone.",
        ),
        (
            "Choose GPT-2 small and compare the next token with and without the cache.",
            "After 1,024 tokens, reading all of them again costs 1,024 times as much as reading the last one. "
            "The price is memory: keys and values of every token in every layer.",
        ),
    ],
    code=(parameters.count, formulas.formulas, arithmetic.value_of, work.forward, work.training, work.next_token),
)
def count(key: ModelKey | None) -> Shown:
    """The choice, the sum, its map, and the costs."""
    chosen = choose(key)
    record = _record(chosen)
    _say_how_many(record)
    parts(
        [_part(term) for term in record.terms],
        key="sizes.parts",
        unit="parameters",
        label=f"Parameters: {chosen.title}",
    )
    if chosen.preset is not None:
        _compare(chosen.preset, record)
    rows = _costs(chosen, record)
    tensors = [(term.name, one) for term in record.terms for one in term.tensors]
    return Shown(
        numbers={
            "what": [f"{name}: {one.name}" for name, one in tensors] + list(rows),
            "count": [one.count for _, one in tensors] + list(rows.values()),
        },
        formula=_formula(record),
    )


def _record(chosen: Chosen) -> ParameterRecord:
    return counted_config(chosen.config) if chosen.preset is None else counted(chosen.preset.name)


def _say_how_many(record: ParameterRecord) -> None:
    largest = max(record.terms, key=lambda term: term.count)
    sizes = ", ".join(f"{letter}\u00a0=\u00a0{value:,} ({what})" for letter, (what, value) in record.sizes.items())
    st.markdown(
        f"**{record.total:,}** parameters. The largest part is **{largest.name}** with "
        f"**{100 * largest.count / record.total:.0f}\u00a0%**.\n\n:small[Here {sizes}.]"
    )


def _compare(preset: Preset, record: ParameterRecord) -> None:
    """Say what was published, where, and how the count agrees."""
    if preset.published is None:
        words = f"{preset.source[0].upper()}{preset.source[1:]}."
    else:
        agrees = _agreement(record.total / preset.published - 1)
        words = f"Published: {_published(preset.published)} ({preset.source}); {agrees}."
    st.caption(escape_markdown(f"{words} {preset.note}".strip()))


def _agreement(off: float) -> str:
    """How far the count is from the published one."""
    if not off:
        return "the count here is exactly that"
    if abs(off) < 1e-4:
        return "the count here agrees within 0.01\u00a0%"
    return f"the count here is {100 * abs(off):.2f}\u00a0% {'higher' if off > 0 else 'lower'}"


def _published(count: int) -> str:
    """As it is printed: in millions, or to the last digit where it is given so."""
    return f"{count / 1e6:,.10g} million" if count % 10_000 == 0 else f"{count:,}"


def _costs(chosen: Chosen, record: ParameterRecord) -> dict[str, int]:
    """Ask for lengths and formats; show and return multiply-adds and bytes."""
    config = chosen.config
    one, two, three = st.columns([2, 2, 2], gap="medium", vertical_alignment="bottom")
    n_token = 1 + config.n_patch if isinstance(config, ViTConfig) else 0
    with one:
        if n_token:
            st.caption(f"Tokens of a picture: {n_token:,}, the patches and the class token.")
        else:
            lengths = sorted({*LENGTHS, chosen.context})
            labels = {n: f"{n:,}" for n in lengths}
            n_token = int(controls.select("size_tokens", "Tokens of a text", lengths, chosen.context, labels=labels))
    with two:
        batch = int(controls.select("size_batch", "Texts in a training step", BATCHES, 1))
    with three:
        n_byte = int(controls.segmented("size_bits", "A number has", list(NUMBERS), 4, labels=NUMBERS))
    rows = costs(config, record.total, n_token, batch, n_byte)
    for place, table in zip(layout.pair("sizes-costs"), _tables(rows), strict=True):
        with place:
            st.markdown(table)
    st.caption(
        "A multiply-add is a product and its addition, two operations; only those of matrix products are counted. "
        "Training keeps some tensors more than those that have a name."
    )
    if n_token > chosen.context:
        st.caption(f"{n_token:,} tokens are more than the {chosen.context:,} that this model was made for.")
    return rows


def costs(config: Any, n_parameter: int, n_token: int, batch: int, n_byte: int) -> dict[str, int]:
    """What is shown of the costs, by name: multiply-adds, and bytes of numbers with n_byte each."""
    rows = {
        "multiply-adds: one text, forward": work.forward(config, n_token).total,
        "multiply-adds: one training step": batch * work.training(config, n_token).total,
    }
    kept_numbers = work.cache_numbers(config, n_token)
    if kept_numbers:
        rows |= {
            "multiply-adds: next token, cached": work.next_token(config, n_token, cached=True).total,
            "multiply-adds: next token, read anew": work.next_token(config, n_token, cached=False).total,
        }
    rows |= {
        "bytes: weights": n_byte * n_parameter,
        "bytes: gradients": n_byte * n_parameter,
        "bytes: AdamW's two moments": MOMENTS * n_byte * n_parameter,
        "bytes: activations": n_byte * batch * work.activation_numbers(config, n_token),
    }
    if kept_numbers:
        rows["bytes: keys and values of one text"] = n_byte * kept_numbers
    return rows


def _tables(rows: dict[str, int]) -> tuple[str, str]:
    """Markdown of the work and of the memory: what, how much, and why."""
    weights = rows["bytes: weights"]
    work_lines, byte_lines = ["| Work, in multiply-adds | |", "|:--|--:|"], ["| Memory | |", "|:--|--:|"]
    for name, value in rows.items():
        what, rest = name.split(": ", 1)
        label = f"{rest[0].upper()}{rest[1:]}{_small(_WHY[name])}"
        if what == "bytes":
            more = _small(f"{value / weights:.3g} times the weights") if name in _COMPARED else ""
            byte_lines.append(f"| {label}{more} | **{_whole(in_bytes(value))}** |")
        else:
            work_lines.append(f"| {label} | **{_whole(short(value))}** |")
    return "\n".join(work_lines), "\n".join(byte_lines)


def _whole(words: str) -> str:
    """Words that stay on one line."""
    return words.replace(" ", "\u00a0")


def _small(words: str) -> str:
    return f" :small[:gray[{words}]]" if words else ""


def _part(term: Term) -> Part:
    pieces = [
        Piece(one.name, f"{_shape(one.shape)}{f', {one.n_tensor} times' if one.n_tensor > 1 else ''}", one.count)
        for one in term.tensors
    ]
    return Part(term.name, term.formula, term.numbers, term.count, pieces, term.note)


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape)


def _formula(record: ParameterRecord) -> str:
    counts = " + ".join(
        rf"\underbrace{{{term.count:,}}}_{{\text{{{term.name}}}}}" for term in record.terms if term.count
    )
    return f"{record.total:,} = {counts}".replace(",", "{,}")
