"""Any configuration counted: where its weights are, what a token and a step of training cost, and what it holds."""

from typing import Any, NamedTuple

import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.inspect.costs import arithmetic, formulas, model_cost, parameters
from core.inspect.costs.parameters import ParameterRecord
from core.models.configs.presets import PRESETS, Preset
from core.models.vit import ViTConfig
from core.rooms.sizes.configs import Chosen, choose
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.scripts import Code
from core.ui.models.models import ModelKey
from core.ui.numbers import in_bytes, short
from core.ui.text import escape_markdown
from core.ui.widgets.parts import as_part, parts, plain

LENGTHS = (64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 32_768, 131_072)
BATCHES = (1, 4, 16, 64, 256, 1_024)
NUMBERS = {4: "32 bits", 2: "16 bits"}
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
_TRAINING = ("bytes: gradients", "bytes: AdamW's two moments", "bytes: activations")
# The same in plain words: what a row is called, and why.
_PLAIN = {
    "multiply-adds: next token, cached": ("next token, cached", "what it needs of earlier ones is kept"),
    "bytes: keys and values of one text": ("kept of one text while writing", "two vectors for each token and layer:"),
}


class Asked(NamedTuple):
    """Tokens of a text, texts in a training step, bytes of a number."""

    n_token: int
    batch: int
    n_byte: int


def warm_up() -> None:
    """Count one model that is only described: the first use of torch's device without memory takes a second."""
    counted("gpt-2-small")


@memoize(MAX_FIGURES)
def counted(preset: str) -> ParameterRecord:
    """The parameters of a published model, counted on modules without memory."""
    return parameters.count_config(PRESETS[preset].config)


@memoize(MAX_FIGURES)
def counted_config(config: Any) -> ParameterRecord:
    """The parameters of any other."""
    return parameters.count_config(config)


@exhibit(
    title="Parameters, work and memory",
    look_for="three sizes of one model: how many parameters it has, how often it multiplies for a token, and how much "
    "memory it takes. Each follows from a formula; the first is checked against the real modules.",
    try_this=[
        (
            "Choose GPT-3 175B.",
            "Two thirds of its parameters are feed-forward, a third is attention; the **embedding**, its table of "
            "token vectors, is below one percent. In GPT-2 small it's 31%.",
        ),
        (
            "Choose T5 11B and click “feed-forward”.",
            "It has 65,536 units in a stream of 1,024: 57% of eleven billion parameters are there, and 128 heads of "
            "128 numbers take the rest. A count comes from all the sizes, not only the width.",
        ),
        (
            "Choose GPT-2 small and compare the next token with and without the cache.",
            "After 1,024 tokens, reading all of them again costs 1,024 times as much as reading only the last one. The "
            "price is memory: two vectors for every token in every layer.",
        ),
    ],
    code=(
        parameters.count,
        formulas.formulas,
        arithmetic.value_of,
        model_cost.forward,
        model_cost.training,
        model_cost.next_token,
    ),
)
def count(key: ModelKey | None) -> Shown:
    """The choice, the sum, its map, and the costs."""
    chosen = choose(key)
    record = _record(chosen)
    _say_how_many(record)
    parts(
        [as_part(term) if depth.at_least("numbers") else plain(as_part(term)) for term in record.terms],
        key="sizes.parts",
        unit="parameters",
        label=f"Parameters: {chosen.title}",
    )
    if chosen.preset is not None:
        _compare(chosen.preset, record)
    asked = _ask(chosen)
    rows = model_cost.costs(chosen.config, record.total, *asked)
    _show_costs(rows)
    if asked.n_token > chosen.context:
        st.caption(f"{asked.n_token:,} tokens are more than the {chosen.context:,} this model was made for.")
    return Shown(
        numbers=lambda: parameters.count_table(record, rows),
        formula=_formula(record),
        script=lambda: _script(key, chosen, asked),
    )


def _script(key: ModelKey | None, chosen: Chosen, asked: Asked) -> str:
    if chosen.preset is not None:
        imports = Code("from core.models.configs.presets import PRESETS")
        config = Code(f"config = PRESETS[{scripts.literal(chosen.preset.name)}].config")
    elif key is not None and chosen.is_mine:
        imports = Code("from core.models.pretrained import load")
        config = Code(f"{scripts.folder(key)}\nconfig = load(FOLDER).config")
    else:
        imports, config = scripts.imports(chosen.config), Code(f"config = {scripts.settings(chosen.config)}")
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs import parameters, model_cost
        $imports

        $config
        # The modules are built without memory, so that the largest model can be counted, too.
        record = parameters.count_config(config)

        # Multiply-adds of a text and of a training step; bytes, of so many for each number.
        costs = model_cost.costs(config, record.total, n_token=$n_token, batch=$batch, n_byte=$n_byte)
        print_table(parameters.count_table(record, costs))
        """,
        imports=imports,
        config=config,
        **asked._asdict(),
    )


def _record(chosen: Chosen) -> ParameterRecord:
    return counted_config(chosen.config) if chosen.preset is None else counted(chosen.preset.name)


def _say_how_many(record: ParameterRecord) -> None:
    largest = max(record.terms, key=lambda term: term.count)
    has_letters = depth.at_least("numbers")
    sizes = ", ".join(
        f"{letter}\u00a0=\u00a0{value:,} ({what})" if has_letters else f"{value:,} {what}"
        for letter, (what, value) in record.sizes.items()
    )
    st.markdown(
        f"**{record.total:,}** parameters. The largest part is **{largest.name}**, with "
        f"**{100 * largest.count / record.total:.0f}%**.\n\n:small[{sizes}.]"
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
        return "the count here is exactly the same"
    if abs(off) < 1e-4:
        return "the count here agrees within 0.01%"
    return f"the count here is {100 * abs(off):.2f}% {'higher' if off > 0 else 'lower'}"


def _published(count: int) -> str:
    """As it is printed: in millions, or to the last digit where it is given so."""
    return f"{count / 1e6:,.10g} million" if count % 10_000 == 0 else f"{count:,}"


def _ask(chosen: Chosen) -> Asked:
    """Ask for lengths and formats."""
    config = chosen.config
    one, two, three = st.columns([2, 2, 2], gap="medium", vertical_alignment="bottom")
    n_token = 1 + config.n_patch if isinstance(config, ViTConfig) else 0
    with one:
        if n_token:
            st.caption(f"Tokens of a picture: {n_token:,}, the patches and the class token.")
        else:
            lengths = sorted({*LENGTHS, chosen.context})
            labels = {n: f"{n:,}" for n in lengths}
            n_token = int(controls.select("size_tokens", "Length (tokens)", lengths, chosen.context, labels=labels))
    with two:
        batch = int(controls.select("size_batch", "Texts in a training step", BATCHES, 1))
    with three:
        n_byte = int(controls.segmented("size_bits", "Numbers", list(NUMBERS), 4, labels=NUMBERS))
    return Asked(n_token, batch, n_byte)


def _show_costs(rows: dict[str, int]) -> None:
    """Multiply-adds and bytes, side by side."""
    for place, table in zip(layout.pair("sizes-costs"), _tables(rows), strict=True):
        with place:
            st.markdown(table)
    st.caption(
        "A multiply-add is one product and one addition; only those of matrix products are counted. 1 MB is a million "
        "bytes."
    )
    depth.note("A multiply-add is two operations. Training keeps some more tensors than those that have a name.")


def _tables(rows: dict[str, int]) -> tuple[str, str]:
    """Markdown of the work and of the memory: what, how much, and why."""
    weights, has_all = rows["bytes: weights"], depth.at_least("numbers")
    work_lines, byte_lines = ["| Work, in multiply-adds | |", "|:--|--:|"], ["| Memory | |", "|:--|--:|"]
    for name, value in rows.items():
        if name in _TRAINING and not has_all:
            continue
        what, rest = name.split(": ", 1)
        rest, why = (rest, _WHY[name]) if has_all or name not in _PLAIN else _PLAIN[name]
        label = f"{rest[0].upper()}{rest[1:]}{_small(why)}"
        if what == "bytes":
            more = _small(f"{_ratio(value / weights)} times the weights") if name in _COMPARED else ""
            byte_lines.append(f"| {label}{more} | **{_whole(in_bytes(value))}** |")
            if name == "bytes: weights" and not has_all:
                more = _small("three more numbers for each weight, and those of a pass")
                byte_lines.append(
                    f"| Training, on top of that{more} | **{_whole(in_bytes(sum(rows[one] for one in _TRAINING)))}** |"
                )
        else:
            work_lines.append(f"| {label} | **{_whole(short(value))}** |")
    return "\n".join(work_lines), "\n".join(byte_lines)


def _whole(words: str) -> str:
    """Words that stay on one line."""
    return words.replace(" ", "\u00a0")


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _small(words: str) -> str:
    return f" :small[:gray[{words}]]" if words else ""


def _formula(record: ParameterRecord) -> str:
    counts = " + ".join(
        rf"\underbrace{{{term.count:,}}}_{{\text{{{term.name}}}}}" for term in record.terms if term.count
    )
    return f"{record.total:,} = {counts}".replace(",", "{,}")
