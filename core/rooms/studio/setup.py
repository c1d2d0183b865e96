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
from core.exhibit import segmented_control, select
from core.rooms.studio import parts_panel, task_panel
from core.rooms.studio.selected_run import RUN_PAGE, start_run
from core.train.recipe_parts.table import PRESETS
from core.train.recipes import LIMITS
from core.train.tasks import defaults
from core.ui.controls import controls, drawn_controls, own_text
from core.ui.frame import errors
from core.ui.numbers import format_bytes
from core.ui.text_formatting import escape_markdown, format_duration
from core.ui.training import choices_to_recipe, task_choices
from core.ui.training.choices_to_recipe import TrainingChoices
from core.ui.training.cost import TrainingCost, estimate_training_cost
from core.ui.training.run_storage import is_training_off
from core.ui.training.text_facts import TextFacts, corpus_metadata

_CUSTOM = choices_to_recipe.SIZES["small"]
_WITH_HEADS = ("gpt", "bert", "t5", "transformer")


def _count(label: str, limit: str, default: Any, help: str, **how: Any) -> Any:
    low, high, reason = LIMITS[limit]
    return exhibit.number_input(label, low, high, default, step=1, reason=reason, help=help, **how)


def _rate(given: Any) -> float:
    preset = PRESETS[given.parts]
    is_measured = given.optimizer == "fast" and (task_choices.is_task(given.corpus) or given.kind in defaults.PAIRS)
    if preset.optimizer == given.optimizer and not is_measured:
        return preset.learning_rate
    return choices_to_recipe.default_learning_rate(given.optimizer, given.corpus, given.kind)


def _learns_a_task(given: Any) -> bool:
    """Return whether a task is selected without other parts, so that its own settings suit it better."""
    return given.parts == "fast" and task_choices.is_task(given.corpus)


def _is_custom(given: Any) -> bool:
    return given.size not in choices_to_recipe.SIZES


class RunSettings(exhibit.Inputs):
    """All settings of a run; those that are not asked for, such as the heads of a recurrent net, have defaults."""

    corpus: str = select(
        "Text to learn from",
        lambda _: own_text.text_choices() | task_choices.task_labels(),
        choices_to_recipe.DEFAULT_TEXT,
        help="The model reads this text and learns to guess what comes next: a letter, a word or a piece of one. "
        "A task asks questions instead, and each has one right answer.",
    )
    size: str = segmented_control(
        "Size of the model",
        choices_to_recipe.SIZE_LABELS,
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).size,
        help="Larger models learn more and take longer. Each layer has its own heads; the width is how many numbers "
        "describe a token; the context is how many tokens the model can look back. With Custom you choose all of them, "
        "under All settings.",
    )
    tokenizer: str = select(
        "Tokens are",
        choices_to_recipe.TOKENIZER_LABELS,
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).tokenizer,
        help="The units that the model reads and writes. With “Words, or else bytes” a word that isn't in the list "
        "is spelled out. Word pieces are frequent groups of letters, found by byte-pair encoding (BPE).",
        when=lambda i: not task_choices.is_task(i.corpus),
    )
    vocab: int = _count(
        "Different tokens at most",
        "tokenizer_vocab",
        lambda i: choices_to_recipe.VOCABULARIES.get(i.tokenizer, choices_to_recipe.VOCABULARIES["bpe"]),
        "The size of the vocabulary. Rarer words become an unknown token; with “Words, or else bytes” and with word "
        "pieces they're spelled out.",
        when=lambda i: i.tokenizer in choices_to_recipe.VOCABULARIES,
    )
    seed: int = exhibit.seed()
    parts: str = select(
        "Built like",
        choices_to_recipe.PRESET_LABELS,
        "fast",
        help="A well-known set of parts, at the size that you choose. The settings follow it; change what you like.",
    )
    kind: str = select(
        "What reads the text",
        choices_to_recipe.KIND_LABELS,
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
        choices_to_recipe.POSITION_LABELS,
        lambda i: defaults.POSITIONS if _learns_a_task(i) else PRESETS[i.parts].positions,
        help="Without positions, attention sees only a bag of tokens: they tell it what comes before what.",
        when=lambda i: i.kind == "gpt",
    )
    optimizer: str = segmented_control(
        "How weights move (optimizer)",
        choices_to_recipe.OPTIMIZER_LABELS,
        lambda i: PRESETS[i.parts].optimizer,
        help="Nearly everyone uses AdamW; Muon gets small models further in the same time; SGD is the plain one.",
    )
    rate: float = exhibit.number_input(
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
        "Training steps",
        "n_step",
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus, i.kind).n_step,
        "Each takes one batch.",
    )
    batch: int = _count(
        "Batch size",
        "batch_size",
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).batch_size,
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
    rail = ui.current_exhibit_containers()
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
        controls.render_controls(_CONTROLS, given, "corpus")
    with size_of:
        controls.render_controls(_CONTROLS, given, "size")
        _about_size(given.size, task_choices.is_task(given.corpus))
    with body:
        columns = st.grid(3, min_column_width=230, gap="medium", key="studio-columns")
        for title, names in _COLUMNS.items():
            with columns.cell():
                if title == "Cut the text into tokens" and task_choices.is_task(given.corpus):
                    title = "Pose the task"
                st.markdown(f"**{title}**")
                if names[0] == "parts":
                    controls.render_controls(_CONTROLS, given, "parts")
                    parts_panel.follow_preset(given)
                    preset, every_part = st.container(), st.container()
                    names = names[1:]
                controls.render_controls(_CONTROLS, given, *names)
                if title == "Pose the task":
                    controls.render_controls(_CONTROLS, given, *task_panel.control_names(given.corpus))
                if title == "Let it learn":
                    drawn = [name for name in _CONTROLS if name in drawn_controls.page_controls_by_name()]
                    icon, key = ":material/restart_alt:", "studio-reset"
                    controls.control_button("Reset to defaults", drawn, icon=icon, on_click=_reset, key=key)
        with every_part:
            prices = parts_panel.draw_parts(given)
    with preset:
        parts_panel.show_preset(given, _CONTROLS)
    choice, facts = _choice(given), corpus_metadata(given.corpus)
    recipe, cost = _recipe_and_cost(choice, facts)
    with what:
        if task_choices.is_task(given.corpus):
            task_panel.show_task(given)
        else:
            _about_text(facts)
    with go:
        _train_button(recipe, given.seed, cost)
    with refusal:
        RUN_PAGE.show_problem()
        if cost.refused is not None:
            st.warning(f"This can't be trained: {escape_markdown(cost.refused)}", icon=":material/block:")
            return
    parts_panel.show_prices(prices, choice)
    with comes_to:
        _comes_to(cost)
    if ui.depth_at_least("numbers"):
        with body:
            _where_parameters_sit(cost)


def _choice(given: Any) -> TrainingChoices:
    choice = TrainingChoices(
        corpus=given.corpus,
        tokenizer=given.tokenizer,
        vocab=given.vocab if given.tokenizer in choices_to_recipe.VOCABULARIES else None,
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
    return replace(choice, own_parts=parts_panel.own_parts(given, choice))


def _about_text(facts: TextFacts) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if facts.problem:
            st.caption(escape_markdown(facts.problem))
        else:
            source, licence = escape_markdown(facts.source), escape_markdown(facts.licence)
            help = f"From {source}. License: {licence}."
            st.caption(f"{facts.n_character:,} characters", help=help, width="content")
        own_text.own_text_button()


def _about_size(size: str, is_task: bool) -> None:
    if (one := choices_to_recipe.SIZES.get(size)) is None:
        st.caption("Choose your own numbers under All settings.")
    else:
        st.caption(
            f"{one.n_layer} layers, width {one.d_model}"
            + ("" if is_task else f", context {one.context_length}")
            + f"; a transformer gets {one.n_head} heads in each layer",
        )


def _recipe_and_cost(choice: TrainingChoices, facts: TextFacts) -> tuple[dict[str, object], TrainingCost]:
    refusal, recipe = facts.problem, {}
    if is_training_off():
        refusal = "training is switched off on this server."
    if not refusal and choice.kind in _WITH_HEADS and choice.d_model % choice.n_head:
        refusal = f"{choice.n_head} heads cannot share a width of {choice.d_model} equally."
    try:
        recipe = choices_to_recipe.recipe_from_choice(choice, facts.title)
    except ValueError as problem:
        refusal = refusal or f"{problem}."
    return recipe, TrainingCost(0, {}, 0, math.nan, math.nan, math.nan, refusal) if refusal else estimate_training_cost(
        recipe
    )


def _train_button(recipe: dict[str, object], seed: int, cost: TrainingCost) -> None:
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
        st.caption(f"roughly {format_duration(cost.seconds)} on this machine", text_alignment="center")
    st.page_link("pages/train/sweeps.py", label="Try many settings at once", icon=":material/stacked_line_chart:")


def _comes_to(cost: TrainingCost) -> None:
    total = max(1, cost.n_parameter)
    shares = " · ".join(f"{count / total:.0%} {name}" for name, count in cost.parts.items() if count / total >= 0.005)
    how = f" (ln {cost.vocab_size:,})" if ui.depth_at_least("numbers") else ""
    st.caption(
        f"**{cost.n_parameter:,}** parameters{f' ({shares})' if ui.depth_at_least('numbers') else ''}, "
        f"**{format_bytes(cost.memory_bytes)}** of memory. With {cost.vocab_size:,} different tokens, guessing blindly "
        f"has a loss of **{cost.uniform_loss:.2f}**{how}."
    )


def _where_parameters_sit(cost: TrainingCost) -> None:
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
            controls.set_control_silently(name, getattr(defaults, name))
    parts_panel.reset_to_preset(*task_panel.TASK_CONTROLS)
