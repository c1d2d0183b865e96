"""Where the parameters are: the sum with its terms, for the model at hand, for known sizes and for one's own."""

from dataclasses import replace

import streamlit as st

from core.cache import MAX_FIGURES, memoize
from core.inspect.costs import parameters
from core.inspect.costs.parameters import ParameterRecord
from core.inspect.model_and_text import ModelAndText
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.widgets.parts import as_part, parts

HERE, OWN = "here", "own"
WHICH = {
    HERE: "The chosen model",
    "gpt2": "GPT-2 small",
    "gpt2-xl": "GPT-2 XL",
    "teaching": "A small teaching model",
    OWN: "Your own sizes",
}
_GPT2 = GPTConfig(vocab_size=50_257, context_length=1_024, n_layer=12, n_head=12, d_model=768)
_TEACHING = GPTConfig(vocab_size=1_000, context_length=64, n_layer=2, n_head=4, d_model=64)


def preset(which: str) -> GPTConfig:
    """The sizes of a well-known model. Source: GPT-2: Radford et al. 2019, table 2, and its published configs."""
    sizes = {"gpt2": _GPT2, "gpt2-xl": replace(_GPT2, n_layer=48, n_head=25, d_model=1_600), "teaching": _TEACHING}
    return sizes[which]


def warm_up() -> None:
    """Count one model that is only described: the first use of torch's device without memory takes a second."""
    counted_config(preset("gpt2"))


@memoize(MAX_FIGURES)
def counted(key: ModelKey) -> ParameterRecord:
    """A model's own parameters."""
    return parameters.count(models.load(key).model)


@memoize(MAX_FIGURES)
def counted_config(config: GPTConfig) -> ParameterRecord:
    """The parameters of a model that is only described."""
    return parameters.count_config(config)


@exhibit(
    title="Where the parameters are",
    look_for="the largest term: in a big model the blocks, in a small one with a large vocabulary the embedding.",
    try_this=[
        (
            "Choose GPT-2 small and click its terms.",
            "Feed-forward has 56.7 million and attention 28.3 million: two thirds and one third of the blocks. The "
            "token embedding has 38.6 million, 31% of the whole; in GPT-2 XL it's down to 5%.",
        ),
        (
            "Choose your own sizes, then set V to 10,000.",
            "With 1,000 tokens the embedding of this small model has 38% of the parameters, with 10,000 it has 86%: "
            "small models with large vocabularies are mostly embedding. Double the width, and the embedding doubles "
            "while the blocks grow about fourfold.",
        ),
        (
            "There, change the number of heads.",
            "Nothing else changes: heads cut the same matrices into more or fewer pieces. A longer context costs "
            "parameters only where each position has a learned vector.",
        ),
    ],
    code=(parameters.count, GPTConfig),
)
def where(looked: ModelAndText) -> Shown:
    """The sum, its map, and the pieces of the chosen term."""
    which = controls.segmented("param_of", "Count", list(WHICH), HERE, labels=WHICH)
    config = None if which == HERE else _own_sizes() if which == OWN else preset(which)
    record = counted(looked.key) if config is None else counted_config(config)
    title = models.about(looked.key).title if config is None else WHICH[which]
    largest = max(record.terms, key=lambda term: term.count)
    sizes = ", ".join(f"{letter}\u00a0=\u00a0{value:,} ({what})" for letter, (what, value) in record.sizes.items())
    st.markdown(
        f"**{record.total:,}** parameters. The largest term is **{largest.name}** with "
        f"**{largest.count / record.total:.0%}**.{f' Here {sizes}.' if sizes and depth.at_least('numbers') else ''}"
    )
    parts(
        [part if depth.at_least("numbers") else replace(part, formula="") for part in map(as_part, record.terms)],
        key=f"parameters.{which}",
        unit="parameters",
        label=f"Parameters of {title}" if which == HERE else f"Parameters: {title}",
    )
    script = _script_here(looked.key) if config is None else _script(config)
    return Shown(numbers=record.table, formula=_formula(record), script=script)


def _script_here(key: ModelKey) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs import parameters
        from core.models.pretrained import load

        # Every tensor of the model, counted and grouped by what it is part of.
        $folder
        record = parameters.count(load(FOLDER).model)
        print_table(record.table())
        """,
        folder=scripts.folder(key),
    )


def _script(config: GPTConfig) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs import parameters
        $imports

        # The modules are built without memory, so that the largest model can be counted, too.
        config = $config
        record = parameters.count_config(config)
        print_table(record.table())
        """,
        imports=scripts.imports(config),
        config=scripts.settings(config),
    )


def _own_sizes() -> GPTConfig:
    """Ask for the sizes. Nothing is allocated; more than 48 blocks would take too long to set up."""
    one, two, three = st.columns(3, gap="medium", vertical_alignment="bottom")
    with one:
        vocab = int(
            controls.number(
                "param_vocab", "Vocabulary V", 2, 300_000, 1_000, step=1, reason="more than any published vocabulary"
            )
        )
        width = int(controls.slider("param_width", "Width", 64, 12_288, 64, step=64))
    with two:
        n_layer = int(controls.slider("param_layers", "Layers L", 1, 48, 2, step=1))
        times = int(controls.slider("param_ff", "Feed-forward width / d_model", 1, 8, 4, step=1))
    with three:
        n_head = controls.segmented("param_heads", "Heads", [1, 4, 16, 64], 4)
        tied = controls.toggle("param_tied", "Output layer tied to the embedding", True)
        bias = controls.toggle("param_bias", "Biases", True)
    return GPTConfig(
        vocab_size=vocab,
        d_model=width,
        n_layer=n_layer,
        n_head=n_head,
        d_ff=times * width,
        tied=tied,
        block=BlockStyle(bias=bias),
    )


def _formula(record: ParameterRecord) -> str:
    counts = " + ".join(
        rf"\underbrace{{{term.count:,}}}_{{\text{{{term.name}}}}}" for term in record.terms if term.count
    )
    return f"{record.total:,} = {counts}".replace(",", "{,}")
