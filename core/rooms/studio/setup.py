"""Set up a run: what to learn from, how large a model, and one big button. Every control has a good default."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import streamlit as st
from streamlit.errors import FragmentHandledException

from core.charts import curves
from core.rooms.studio.choices import (
    DEFAULT_TEXT,
    KIND_LABELS,
    LEARNING_RATES,
    OPTIMIZER_LABELS,
    PARTS_LABELS,
    POSITION_LABELS,
    SIZE_LABELS,
    SIZES,
    TOKENIZER_LABELS,
    VOCABULARIES,
    Choice,
    Size,
    recipe_of,
    suited,
)
from core.rooms.studio.chosen_run import duration, follow, say_problem, start
from core.rooms.studio.facts import Cost, cost_of
from core.ui.controls import control_log, controls, own_text
from core.ui.frame import depth, errors
from core.ui.frame.layout import color_mode
from core.ui.numbers import in_bytes
from core.ui.text import escape_markdown
from core.ui.training.runs import training_is_off
from core.ui.training.text_facts import TextFacts, text_facts

_CUSTOM = SIZES["small"]
_WITH_HEADS = ("gpt", "bert")
_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "corpus": DEFAULT_TEXT,
        "size": suited(DEFAULT_TEXT).size,
        "tokenizer": suited(DEFAULT_TEXT).tokenizer,
        "vocab": VOCABULARIES["bpe"],
        "kind": "gpt",
        "layers": _CUSTOM.n_layer,
        "heads": _CUSTOM.n_head,
        "width": _CUSTOM.d_model,
        "context": _CUSTOM.context_length,
        "positions": "alibi",
        "parts": "fast",
        "optimizer": "fast",
        "rate": LEARNING_RATES["fast"],
        "steps": suited(DEFAULT_TEXT).n_step,
        "batch": 20,
        "seed": 0,
    }
)


def panel() -> None:
    """The panel at the top of the studio. It reruns by itself, until Train is pressed."""
    with st.container(border=True, key="studio-setup"):
        st.fragment(_guarded)()


def _guarded() -> None:
    try:
        _draw()
    except FragmentHandledException:
        raise
    except Exception as error:
        errors.show_fault(error, what="This panel")


def _draw() -> None:
    follow()
    top = st.grid(3, min_column_width=240, key="studio-top")
    what, size_of, go, parameters, blind, memory = (top.cell() for _ in range(6))
    refusal = st.container()
    with st.expander("All settings", icon=":material/tune:", key="studio-settings"):
        body = st.container()
    with what:
        corpus = _text()
    with size_of:
        choice_of_size = _follow_size(corpus)
    with body:
        choice, seed = _settings(corpus, choice_of_size)
    facts = text_facts(corpus)
    recipe = recipe_of(choice, facts.title)
    cost = _cost(choice, recipe, facts)
    with what:
        _about_text(facts)
    with go:
        _train_button(recipe, seed, cost)
    with refusal:
        _say_problems(cost)
    if cost.refused is not None:
        return
    with parameters:
        _about_parameters(cost)
    with blind:
        how = f"ln {cost.vocab_size:,}, for" if depth.at_least("formula") else "with"
        st.markdown(
            f"**{cost.blind_loss:.2f}** is the loss of guessing blindly  \n"
            f":small[{how} {cost.vocab_size:,} different tokens]"
        )
    with memory:
        st.markdown(f"**{in_bytes(cost.memory_bytes)}** of memory  \n:small[in a separate process]")
    if depth.at_least("numbers"):
        with body:
            _where_parameters_sit(cost)


def _text() -> str:
    options, labels = own_text.offered()
    picked = controls.select(
        "corpus",
        "Text to learn from",
        options,
        DEFAULT_TEXT,
        labels=labels,
        help="The model reads this text and learns to guess what comes next: a letter, a word or a piece of one.",
    )
    return picked


def _about_text(facts: TextFacts) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if facts.problem:
            st.caption(escape_markdown(facts.problem))
        else:
            st.caption(
                f"{facts.n_character:,} characters",
                help=f"From {escape_markdown(facts.source)}. License: {escape_markdown(facts.licence)}.",
                width="content",
            )
        own_text.offer()


def _follow_size(corpus: str) -> str:
    default = suited(corpus).size
    size = controls.segmented(
        "size",
        "Size of the model",
        list(SIZE_LABELS),
        default,
        labels=SIZE_LABELS,
        help="Larger models learn more and take longer. Each layer has its own heads; the width is how many numbers "
        "describe a token; the context is how many tokens the model can look back. With Custom you choose all of them, "
        "under All settings.",
    )
    if size in SIZES:
        one = SIZES[size]
        st.caption(
            f"{one.n_layer} layers, width {one.d_model}, context {one.context_length}; a transformer gets "
            f"{one.n_head} heads in each layer",
        )
    else:
        st.caption("Choose your own numbers under All settings.")
    return size


def _settings(corpus: str, size: str) -> tuple[Choice, int]:
    """Everything else, in three columns, and the choice that comes of it all."""
    from core.train.recipes import LIMITS

    def count(name: str, label: str, limit: str, default: int, help: str) -> int:
        low, high, reason = LIMITS[limit]
        return int(controls.number(name, label, low, high, default, step=1, reason=reason, help=help))

    columns = st.grid(3, min_column_width=230, gap="medium", key="studio-columns")
    cut, shape, learn = (columns.cell() for _ in range(3))
    with cut:
        st.markdown("**Cut the text into tokens**")
        tokenizer = controls.select(
            "tokenizer",
            "Tokens are",
            list(TOKENIZER_LABELS),
            suited(corpus).tokenizer,
            labels=TOKENIZER_LABELS,
            help="The units that the model reads and writes. With “Words, or else bytes” a word that isn't in the list "
            "is spelled out. Word pieces are frequent groups of letters, found by byte-pair encoding (BPE).",
        )
        vocab = None
        if tokenizer in VOCABULARIES:
            vocab = count(
                "vocab",
                "Different tokens at most",
                "tokenizer_vocab",
                VOCABULARIES[tokenizer],
                "The size of the vocabulary. Rarer words become an unknown token; with “Words, or else bytes” and with "
                "word pieces they're spelled out.",
            )
        seed = controls.seed(0)
    with shape:
        st.markdown("**Build the model**")
        kind = controls.select(
            "kind",
            "What reads the text",
            list(KIND_LABELS),
            "gpt",
            labels=KIND_LABELS,
            help="A transformer looks back at all tokens in its context and learns to write on. BERT is one that looks "
            "both ways and learns to fill gaps. The others read one token at a time and keep what they need in a "
            "memory; they have no heads and need no positions.",
        )
        chosen = SIZES.get(size)
        if chosen is None:
            chosen = Size(
                count("layers", "Layers", "n_layer", _CUSTOM.n_layer, "Each reads what the one before it made."),
                count("heads", "Heads", "n_head", _CUSTOM.n_head, "In each layer. Each looks back in its own way.")
                if kind in _WITH_HEADS
                else _CUSTOM.n_head,  # a recurrent net has none
                count("width", "Width", "d_model", _CUSTOM.d_model, "How many numbers describe one token (d_model)."),
                count(
                    "context", "Context", "context_length", _CUSTOM.context_length, "How many tokens it can look back."
                ),
            )
        positions = _positions() if kind == "gpt" else "alibi"
        parts = _parts() if kind in _WITH_HEADS else "fast"
    with learn:
        st.markdown("**Let it learn**")
        optimizer = controls.segmented(
            "optimizer",
            "How weights move (optimizer)",
            list(OPTIMIZER_LABELS),
            "fast",
            labels=OPTIMIZER_LABELS,
            help="Nearly everyone uses AdamW; Muon gets small models further in the same time.",
        )
        rate = controls.number(
            "rate",
            "Learning rate",
            0.00001,
            5.0,
            LEARNING_RATES[optimizer],
            step=0.001,
            format="%.5f",
            reason="larger steps always blow up",
            help="How far each step moves the weights. Too far, and the loss explodes. Try it!",
        )
        steps = count("steps", "Training steps", "n_step", suited(corpus).n_step, "Each takes one batch.")
        batch = count("batch", "Batch size", "batch_size", 20, "How many pieces of text each step reads.")
        drawn = [name for name in _DEFAULTS if name in control_log.here()]
        controls.button("Reset to defaults", drawn, icon=":material/restart_alt:", on_click=_reset, key="studio-reset")
    choice = Choice(
        corpus=corpus,
        tokenizer=tokenizer,
        vocab=vocab,
        kind=kind,
        n_layer=chosen.n_layer,
        n_head=chosen.n_head,
        d_model=chosen.d_model,
        context_length=chosen.context_length,
        positions=positions,
        parts=parts,
        optimizer=optimizer,
        learning_rate=float(rate),
        n_step=steps,
        batch_size=batch,
    )
    return choice, seed


def _positions() -> str:
    return controls.select(
        "positions",
        "How it knows the order",
        list(POSITION_LABELS),
        "alibi",
        labels=POSITION_LABELS,
        help="Without positions, attention sees only a bag of tokens: they tell it what comes before what.",
    )


def _parts() -> str:
    return controls.segmented(
        "parts",
        "Parts of a block",
        list(PARTS_LABELS),
        "fast",
        labels=PARTS_LABELS,
        help="Quick learner: RMSNorm, squared ReLU, normalized queries and keys. GPT-2's: LayerNorm and GELU.",
    )


def _cost(choice: Choice, recipe: dict[str, Any], facts: TextFacts) -> Cost:
    refusal = facts.problem
    if training_is_off():
        refusal = "training is switched off on this server."
    if not refusal and choice.kind in _WITH_HEADS and choice.d_model % choice.n_head:
        refusal = f"{choice.n_head} heads cannot share a width of {choice.d_model} equally."
    if refusal:
        return Cost(0, {}, 0, math.nan, math.nan, math.nan, refusal)
    return cost_of(recipe)


def _train_button(recipe: dict[str, Any], seed: int, cost: Cost) -> None:
    st.space("small")
    st.button(
        "Train",
        icon=":material/play_arrow:",
        type="primary" if cost.refused is None else "secondary",  # a disabled primary one cannot be read
        width="stretch",
        key="studio-train",
        disabled=cost.refused is not None,
        on_click=start,
        args=(recipe, seed),
    )
    if cost.refused is None:
        st.caption(f"roughly {duration(cost.seconds)} on this machine", text_alignment="center")


def _say_problems(cost: Cost) -> None:
    say_problem()
    if cost.refused is not None:
        st.warning(f"This can't be trained: {escape_markdown(cost.refused)}", icon=":material/block:")


def _about_parameters(cost: Cost) -> None:
    total = max(1, cost.n_parameter)
    shares = " · ".join(f"{count / total:.0%} {name}" for name, count in cost.parts.items() if count / total >= 0.005)
    said = shares if depth.at_least("numbers") else "the numbers that training sets"
    st.markdown(f"**{cost.n_parameter:,}** parameters  \n:small[{said}]")


def _where_parameters_sit(cost: Cost) -> None:
    with st.container(key="studio-parts"):
        st.caption("Where the parameters are, from left to right in the order of the names.")
        parts = {name: count for name, count in cost.parts.items() if count}
        words = ", ".join(f"{name} {count:,}" for name, count in parts.items())
        st.vega_lite_chart(
            curves.parts_bar(parts, mode=color_mode()), key="studio-parts-bar", alt=f"Parameters by place: {words}."
        )


def _reset() -> None:
    for name, default in _DEFAULTS.items():
        if name in st.session_state:
            controls.reset(name, default)
