"""Set up a run: the text to learn from, the size of the model, and one big button. Every control has a good default."""

import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import streamlit as st

from core import exhibit, ui
from core.charts.bars import parts_bar
from core.exhibit import segmented, select
from core.rooms.studio import parts_panel, task_panel
from core.rooms.studio.selected_run import RUN_PAGE, start_run
from core.train.parts.table import PRESETS
from core.train.recipes import LIMITS
from core.train.tasks import defaults
from core.ui.controls import control_log, controls, own_text
from core.ui.frame import errors
from core.ui.numbers import in_bytes
from core.ui.text import duration, escape_markdown
from core.ui.training import choices, task_choices
from core.ui.training.choices import Choice
from core.ui.training.cost import Cost, cost_of
from core.ui.training.runs import training_is_off
from core.ui.training.text_facts import TextFacts, text_facts

_CUSTOM = choices.SIZES["small"]
_WITH_HEADS = ("gpt", "bert", "t5", "transformer")


def _count(label: str, limit: str, default: Any, help: str, **how: Any) -> Any:
    low, high, reason = LIMITS[limit]
    return exhibit.number(label, low, high, default, step=1, reason=reason, help=help, **how)


def _rate(given: Any) -> float:
    preset = PRESETS[given.parts]
    is_measured = given.optimizer == "fast" and (task_choices.is_task(given.corpus) or given.kind in defaults.PAIRS)
    if preset.optimizer == given.optimizer and not is_measured:
        return preset.learning_rate
    return choices.rate_of(given.optimizer, given.corpus, given.kind)


def _learns_a_task(given: Any) -> bool:
    """Return whether a task is selected without other parts, so that its own settings suit it better."""
    return given.parts == "fast" and task_choices.is_task(given.corpus)


def _is_custom(given: Any) -> bool:
    return given.size not in choices.SIZES


class RunSettings(exhibit.Inputs):
    """All settings of a run; those that are not asked for, such as the heads of a recurrent net, have defaults."""

    corpus: str = select(
        "Text to learn from",
        lambda _: own_text.offered() | task_choices.offered(),
        choices.DEFAULT_TEXT,
        help="The model reads this text and learns to guess what comes next: a letter, a word or a piece of one. "
        "A task asks questions instead, and each has one right answer.",
    )
    size: str = segmented(
        "Size of the model",
        choices.SIZE_LABELS,
        lambda i: choices.suitable(i.corpus).size,
        help="Larger models learn more and take longer. Each layer has its own heads; the width is how many numbers "
        "describe a token; the context is how many tokens the model can look back. With Custom you choose all of them, "
        "under All settings.",
    )
    tokenizer: str = select(
        "Tokens are",
        choices.TOKENIZER_LABELS,
        lambda i: choices.suitable(i.corpus).tokenizer,
        help="The units that the model reads and writes. With “Words, or else bytes” a word that isn't in the list "
        "is spelled out. Word pieces are frequent groups of letters, found by byte-pair encoding (BPE).",
        when=lambda i: not task_choices.is_task(i.corpus),
    )
    vocab: int = _count(
        "Different tokens at most",
        "tokenizer_vocab",
        lambda i: choices.VOCABULARIES.get(i.tokenizer, choices.VOCABULARIES["bpe"]),
        "The size of the vocabulary. Rarer words become an unknown token; with “Words, or else bytes” and with word "
        "pieces they're spelled out.",
        when=lambda i: i.tokenizer in choices.VOCABULARIES,
    )
    seed: int = exhibit.seed()
    parts: str = select(
        "Built like",
        choices.PRESET_LABELS,
        "fast",
        help="A well-known set of parts, at the size that you choose. The settings follow it; change what you like.",
    )
    kind: str = select(
        "What reads the text",
        choices.KIND_LABELS,
        lambda i: PRESETS[i.parts].kind,
        help="A transformer looks back at all tokens in its context and learns to write on. BERT is one that looks "
        "both ways and learns to fill gaps. The others read one token at a time and keep what they need in a "
        "memory; they have no heads and need no positions. Of an encoder-decoder one part reads and the other "
        "writes: of a task the answer to a question, of a text what stood where pieces of it were cut out.",
    )
    layers: int = _count(
        "Layers", "n_layer", _CUSTOM.n_layer, "Each reads what the one before it made.", when=_is_custom
    )
    heads: int = _count(
        "Heads",
        "n_head",
        _CUSTOM.n_head,
        "In each layer. Each looks back in its own way.",
        when=lambda i: _is_custom(i) and i.kind in _WITH_HEADS,
    )
    width: int = _count(
        "Width", "d_model", _CUSTOM.d_model, "How many numbers describe one token (d_model).", when=_is_custom
    )
    context: int = _count(
        "Context",
        "context_length",
        _CUSTOM.context_length,
        "How many tokens it can look back. An encoder-decoder gets pieces of the text that are as long.",
        when=lambda i: _is_custom(i) and not task_choices.is_task(i.corpus),
    )
    positions: str = select(
        "How it knows the order",
        choices.POSITION_LABELS,
        lambda i: defaults.POSITIONS if _learns_a_task(i) else PRESETS[i.parts].positions,
        help="Without positions, attention sees only a bag of tokens: they tell it what comes before what.",
        when=lambda i: i.kind == "gpt",
    )
    optimizer: str = segmented(
        "How weights move (optimizer)",
        choices.OPTIMIZER_LABELS,
        lambda i: PRESETS[i.parts].optimizer,
        help="Nearly everyone uses AdamW; Muon gets small models further in the same time; SGD is the plain one.",
    )
    rate: float = exhibit.number(
        "Learning rate",
        0.00001,
        5.0,
        _rate,
        step=0.001,
        format="%.5f",
        reason="larger steps always blow up",
        help="How far each step moves the weights. Too far, and the loss explodes. Try it!",
    )
    steps: int = _count(
        "Training steps", "n_step", lambda i: choices.suitable(i.corpus, i.kind).n_step, "Each takes one batch."
    )
    batch: int = _count(
        "Batch size",
        "batch_size",
        lambda i: choices.suitable(i.corpus).batch_size,
        "How many pieces of text each step reads.",
    )


_CONTROLS = {**dict(RunSettings.controls()), **parts_panel.PART_CONTROLS, **task_panel.TASK_CONTROLS}
# Below “All settings”, in three columns.
_COLUMNS = {
    "Cut the text into tokens": ("tokenizer", "vocab", "seed"),
    "Build the model": ("parts", "kind", "layers", "heads", "width", "context", "positions"),
    "Let it learn": ("optimizer", "rate", "steps", "batch"),
}


def run_panel() -> None:
    """Draw the next run's settings below a running one, as a fragment that reruns alone until Train is pressed."""
    with st.container(border=True, key="studio-setup"):
        st.subheader("The next run")
        st.fragment(_draw)()


@contextmanager
def setup_rail() -> Iterator[None]:
    """Draw the next run's settings in the rail of the exhibit that is being drawn; its picture is drawn inside."""
    rail = ui.beside()
    with nullcontext() if rail is None else rail.controls:
        _draw()
    yield


@errors.panel_guard()
def _draw() -> None:
    """Draw the text, the size and one big button, then the resulting cost and all other settings."""
    RUN_PAGE.follow()
    with st.container(key="studio-top", gap="small"):
        what, size_of, go, refusal, comes_to = (st.container(gap="xsmall") for _ in range(5))
        body = st.expander("All settings", icon=":material/tune:", key="studio-settings")
    given = SimpleNamespace()
    with what:
        controls.ask_each(_CONTROLS, given, "corpus")
    with size_of:
        controls.ask_each(_CONTROLS, given, "size")
        _about_size(given.size, task_choices.is_task(given.corpus))
    with body:
        columns = st.grid(3, min_column_width=230, gap="medium", key="studio-columns")
        for title, names in _COLUMNS.items():
            with columns.cell():
                if title == "Cut the text into tokens" and task_choices.is_task(given.corpus):
                    title = "Pose the task"
                st.markdown(f"**{title}**")
                if names[0] == "parts":
                    controls.ask_each(_CONTROLS, given, "parts")
                    parts_panel.follow_preset(given)
                    preset, every_part = st.container(), st.container()
                    names = names[1:]
                controls.ask_each(_CONTROLS, given, *names)
                if title == "Pose the task":
                    controls.ask_each(_CONTROLS, given, *task_panel.control_names(given.corpus))
                if title == "Let it learn":
                    drawn = [name for name in _CONTROLS if name in control_log.here()]
                    icon, key = ":material/restart_alt:", "studio-reset"
                    controls.button("Reset to defaults", drawn, icon=icon, on_click=_reset, key=key)
        with every_part:
            prices = parts_panel.draw_parts(given)
    with preset:
        parts_panel.show_preset(given, _CONTROLS)
    choice, facts = _choice(given), text_facts(given.corpus)
    recipe, cost = _recipe_and_cost(choice, facts)
    with what:
        if task_choices.is_task(given.corpus):
            task_panel.show_task(given)
        else:
            _about_text(facts)
    with go:
        _train_button(recipe, given.seed, cost)
    with refusal:
        RUN_PAGE.say_problem()
        if cost.refused is not None:
            st.warning(f"This can't be trained: {escape_markdown(cost.refused)}", icon=":material/block:")
            return
    parts_panel.show_prices(prices, choice)
    with comes_to:
        _comes_to(cost)
    if ui.at_least("numbers"):
        with body:
            _where_parameters_sit(cost)


def _choice(given: Any) -> Choice:
    choice = Choice(
        corpus=given.corpus,
        tokenizer=given.tokenizer,
        vocab=given.vocab if given.tokenizer in choices.VOCABULARIES else None,
        kind=given.kind,
        **parts_panel.selected_size(given),
        positions=given.positions,
        parts=given.parts,
        optimizer=given.optimizer,
        learning_rate=float(given.rate),
        n_step=given.steps,
        batch_size=given.batch,
        task=task_panel.task_options(given),
    )
    return replace(choice, own=parts_panel.own_parts(given, choice))


def _about_text(facts: TextFacts) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if facts.problem:
            st.caption(escape_markdown(facts.problem))
        else:
            source, licence = escape_markdown(facts.source), escape_markdown(facts.licence)
            help = f"From {source}. License: {licence}."
            st.caption(f"{facts.n_character:,} characters", help=help, width="content")
        own_text.offer()


def _about_size(size: str, is_task: bool) -> None:
    if (one := choices.SIZES.get(size)) is None:
        st.caption("Choose your own numbers under All settings.")
    else:
        st.caption(
            f"{one.n_layer} layers, width {one.d_model}"
            + ("" if is_task else f", context {one.context_length}")
            + f"; a transformer gets {one.n_head} heads in each layer",
        )


def _recipe_and_cost(choice: Choice, facts: TextFacts) -> tuple[dict[str, object], Cost]:
    refusal, recipe = facts.problem, {}
    if training_is_off():
        refusal = "training is switched off on this server."
    if not refusal and choice.kind in _WITH_HEADS and choice.d_model % choice.n_head:
        refusal = f"{choice.n_head} heads cannot share a width of {choice.d_model} equally."
    try:
        recipe = choices.recipe_of(choice, facts.title)
    except ValueError as problem:
        refusal = refusal or f"{problem}."
    return recipe, Cost(0, {}, 0, math.nan, math.nan, math.nan, refusal) if refusal else cost_of(recipe)


def _train_button(recipe: dict[str, object], seed: int, cost: Cost) -> None:
    st.button(
        "Train",
        icon=":material/play_arrow:",
        type="primary" if cost.refused is None else "secondary",  # a disabled primary button is unreadable
        width="stretch",
        key="studio-train",
        disabled=cost.refused is not None,
        on_click=start_run,
        args=(recipe, seed),
    )
    if cost.refused is None:
        st.caption(f"roughly {duration(cost.seconds)} on this machine", text_alignment="center")
    st.page_link("pages/train/sweeps.py", label="Try many settings at once", icon=":material/stacked_line_chart:")


def _comes_to(cost: Cost) -> None:
    total = max(1, cost.n_parameter)
    shares = " · ".join(f"{count / total:.0%} {name}" for name, count in cost.parts.items() if count / total >= 0.005)
    how = f" (ln {cost.vocab_size:,})" if ui.at_least("numbers") else ""
    st.caption(
        f"**{cost.n_parameter:,}** parameters{f' ({shares})' if ui.at_least('numbers') else ''}, "
        f"**{in_bytes(cost.memory_bytes)}** of memory. With {cost.vocab_size:,} different tokens, guessing blindly has "
        f"a loss of **{cost.blind_loss:.2f}**{how}."
    )


def _where_parameters_sit(cost: Cost) -> None:
    with st.container(key="studio-parts"):
        st.caption("Where the parameters are, from left to right in the order of the names.")
        parts = {name: count for name, count in cost.parts.items() if count}
        words = ", ".join(f"{name} {count:,}" for name, count in parts.items())
        spec = {**parts_bar(parts, mode=ui.color_mode()), "background": "transparent"}
        st.vega_lite_chart(spec, key="studio-parts-bar", alt=f"Parameters by place: {words}.")


def _reset() -> None:
    defaults = RunSettings()
    for name, _ in RunSettings.controls():
        if name in st.session_state:
            controls.reset(name, getattr(defaults, name))
    parts_panel.reset_to_preset(*task_panel.TASK_CONTROLS)
