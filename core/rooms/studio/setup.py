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
from core.data.localization.labels import module_labels
from core.data.localization.quantities import format_bytes
from core.exhibit import segmented_control, select
from core.rooms.studio import parts_panel, task_panel
from core.rooms.studio.selected_run import RUN_PAGE, start_run
from core.train.recipe_parts.table import PRESETS
from core.train.recipes import LIMITS
from core.train.tasks import defaults
from core.ui.controls import controls, drawn_controls, own_text
from core.ui.frame import errors
from core.ui.text_formatting import escape_markdown, format_duration
from core.ui.training import choices_to_recipe, task_choices
from core.ui.training.choices_to_recipe import TrainingChoices
from core.ui.training.cost import PLACES, TrainingCost, estimate_training_cost
from core.ui.training.run_storage import is_training_off
from core.ui.training.text_facts import TextFacts, corpus_metadata

LABELS = module_labels(__name__)

_CUSTOM = choices_to_recipe.SIZES["small"]
_WITH_HEADS = ("gpt", "bert", "t5", "transformer")


def _count(limit: str, default: Any, **how: Any) -> Any:
    low, high, reason = LIMITS[limit]
    return exhibit.number_input(low, high, default, step=1, reason=reason, **how)


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
        lambda _: own_text.text_choices() | task_choices.task_labels(),
        choices_to_recipe.DEFAULT_TEXT,
    )
    size: str = segmented_control(
        choices_to_recipe.SIZE_LABELS,
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).size,
    )
    tokenizer: str = select(
        choices_to_recipe.TOKENIZER_LABELS,
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).tokenizer,
        when=lambda i: not task_choices.is_task(i.corpus),
    )
    vocab: int = _count(
        "tokenizer_vocab",
        lambda i: choices_to_recipe.VOCABULARIES.get(i.tokenizer, choices_to_recipe.VOCABULARIES["bpe"]),
        when=lambda i: i.tokenizer in choices_to_recipe.VOCABULARIES,
    )
    seed: int = exhibit.seed()
    parts: str = select(
        choices_to_recipe.PRESET_LABELS,
        "fast",
    )
    kind: str = select(
        choices_to_recipe.KIND_LABELS,
        lambda i: PRESETS[i.parts].kind,
    )
    layers: int = _count("n_layer", _CUSTOM.n_layer, when=_is_custom)
    heads: int = _count(
        "n_head",
        _CUSTOM.n_head,
        when=lambda i: _is_custom(i) and i.kind in _WITH_HEADS,
    )
    width: int = _count("d_model", _CUSTOM.d_model, when=_is_custom)
    context: int = _count(
        "context_length",
        _CUSTOM.context_length,
        when=lambda i: _is_custom(i) and not task_choices.is_task(i.corpus),
    )
    positions: str = select(
        choices_to_recipe.POSITION_LABELS,
        lambda i: defaults.POSITIONS if _learns_a_task(i) else PRESETS[i.parts].positions,
        when=lambda i: i.kind == "gpt",
    )
    optimizer: str = segmented_control(
        choices_to_recipe.OPTIMIZER_LABELS,
        lambda i: PRESETS[i.parts].optimizer,
    )
    rate: float = exhibit.number_input(
        0.00001,
        5.0,
        _rate,
        step=0.001,
        format="%.5f",
        reason=LABELS["rate.reason"],
    )
    steps: int = _count(
        "n_step",
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus, i.kind).n_step,
    )
    batch: int = _count(
        "batch_size",
        lambda i: choices_to_recipe.training_settings_for_corpus(i.corpus).batch_size,
    )


_CONTROLS = {**dict(RunSettings.controls()), **parts_panel.PART_CONTROLS, **task_panel.TASK_CONTROLS}
# Below “All settings”, in three columns.
_COLUMNS = {
    "tokens": ("tokenizer", "vocab", "seed"),
    "model": ("parts", "kind", "layers", "heads", "width", "context", "positions"),
    "training": ("optimizer", "rate", "steps", "batch"),
}


def run_panel() -> None:
    """Draw the next run's settings below a running one, as a fragment that reruns alone until Train is pressed."""
    with st.container(border=True, key="studio-setup"):
        st.subheader(LABELS["next_run"])
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
        body = st.expander(LABELS["all_settings"], icon=":material/tune:", key="studio-settings")
    given = SimpleNamespace()
    with what:
        controls.render_controls(_CONTROLS, given, "corpus")
    with size_of:
        controls.render_controls(_CONTROLS, given, "size")
        _about_size(given.size, task_choices.is_task(given.corpus))
    with body:
        columns = st.grid(3, min_column_width=230, gap="medium", key="studio-columns")
        titles = LABELS.options("column")
        for column, names in _COLUMNS.items():
            with columns.cell():
                is_task = column == "tokens" and task_choices.is_task(given.corpus)
                st.markdown(f"**{titles['task' if is_task else column]}**")
                if names[0] == "parts":
                    controls.render_controls(_CONTROLS, given, "parts")
                    parts_panel.follow_preset(given)
                    preset, every_part = st.container(), st.container()
                    names = names[1:]
                controls.render_controls(_CONTROLS, given, *names)
                if is_task:
                    controls.render_controls(_CONTROLS, given, *task_panel.control_names(given.corpus))
                if column == "training":
                    drawn = [name for name in _CONTROLS if name in drawn_controls.page_controls_by_name()]
                    icon, key = ":material/restart_alt:", "studio-reset"
                    controls.control_button(LABELS["reset"], drawn, icon=icon, on_click=_reset, key=key)
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
            st.warning(LABELS("refused", refused=escape_markdown(cost.refused)), icon=":material/block:")
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
            help = LABELS("source", source=source, licence=licence)
            st.caption(LABELS("characters", n_character=facts.n_character), help=help, width="content")
        own_text.own_text_button()


def _about_size(size: str, is_task: bool) -> None:
    if (one := choices_to_recipe.SIZES.get(size)) is None:
        st.caption(LABELS["choose_numbers"])
    else:
        st.caption(LABELS("size_of_task" if is_task else "size_of_text", **vars(one)))


def _recipe_and_cost(choice: TrainingChoices, facts: TextFacts) -> tuple[dict[str, object], TrainingCost]:
    refusal, recipe = facts.problem, {}
    if is_training_off():
        refusal = LABELS["off"]
    if not refusal and choice.kind in _WITH_HEADS and choice.d_model % choice.n_head:
        refusal = LABELS("uneven_heads", n_head=choice.n_head, d_model=choice.d_model)
    try:
        recipe = choices_to_recipe.recipe_from_choice(choice, facts.title)
    except ValueError as problem:
        refusal = refusal or f"{problem}."
    return recipe, TrainingCost(0, {}, 0, math.nan, math.nan, math.nan, refusal) if refusal else estimate_training_cost(
        recipe
    )


def _train_button(recipe: dict[str, object], seed: int, cost: TrainingCost) -> None:
    st.button(
        LABELS["train"],
        icon=":material/play_arrow:",
        type="primary" if cost.refused is None else "secondary",  # a disabled primary button is unreadable
        width="stretch",
        key="studio-train",
        disabled=cost.refused is not None,
        on_click=start_run,
        args=(recipe, seed),
    )
    if cost.refused is None:
        st.caption(LABELS("roughly", time=format_duration(cost.seconds)), text_alignment="center")
    st.page_link("pages/train/sweeps.py", label=LABELS["many_settings"], icon=":material/stacked_line_chart:")


def _comes_to(cost: TrainingCost) -> None:
    total = max(1, cost.n_parameter)
    shares = " · ".join(
        LABELS("share", share=count / total, name=PLACES[place])
        for place, count in cost.parts.items()
        if count / total >= 0.005
    )
    st.caption(
        LABELS(
            "comes_to_exactly" if ui.depth_at_least("numbers") else "comes_to",
            n_parameter=cost.n_parameter,
            shares=shares,
            memory=format_bytes(cost.memory_bytes),
            n_vocab=cost.vocab_size,
            loss=cost.uniform_loss,
        )
    )


def _where_parameters_sit(cost: TrainingCost) -> None:
    with st.container(key="studio-parts"):
        st.caption(LABELS["parameters_caption"])
        parts = {PLACES[place]: count for place, count in cost.parts.items() if count}
        words = ", ".join(LABELS("part_count", name=name, count=count) for name, count in parts.items())
        spec = {**parts_bar(parts, mode=ui.color_mode()), "background": "transparent"}
        st.vega_lite_chart(spec, key="studio-parts-bar", alt=LABELS("parameters_alt", counts=words))


def _reset() -> None:
    defaults = RunSettings()
    for name, _ in RunSettings.controls():
        if name in st.session_state:
            controls.set_control_silently(name, getattr(defaults, name))
    parts_panel.reset_to_preset(*task_panel.TASK_CONTROLS)
