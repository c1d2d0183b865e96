"""Every part with its description, its paper and its cost, and a list of the differences from a preset."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core import exhibit, ui
from core.data.localization.labels import module_labels
from core.exhibit import Control, label_of
from core.train.recipe_parts.recipe_part import GROUPS, RecipePart
from core.train.recipe_parts.table import PARTS, PRESETS, effective_part_values
from core.ui import state
from core.ui.controls import address, controls
from core.ui.text_formatting import escape_markdown
from core.ui.training.choices_to_recipe import SIZES, TrainingChoices, recipe_from_choice
from core.ui.training.cost import describe_cost_difference, estimate_training_cost

LABELS = module_labels(__name__)

WIDTH = 720  # pixels: two parts side by side, over the picture and not in the rail
_CELLS = ("gru", "lstm", "rnn")
_BESIDE = ("kind", "positions", "optimizer", "rate")  # further controls that a preset sets


def selected_size(given: Any) -> dict[str, Any]:
    """Return the selected sizes, from a preset size or individual settings."""
    size = SIZES.get(given.size)
    if size is not None:
        return {name: getattr(size, name) for name in ("n_layer", "n_head", "d_model", "context_length")}
    return {"n_layer": given.layers, "n_head": given.heads, "d_model": given.width, "context_length": given.context}


def _so_far(given: Any) -> dict[str, object]:
    """Return the values of all parts from the controls drawn so far; later ones have their plain values."""
    asked = {name: getattr(given, name) for name in PARTS if hasattr(given, name)}
    kind = "rnn" if given.kind in _CELLS else given.kind
    return effective_part_values({**asked, "kind": kind, "positions": given.positions, **selected_size(given)})


def _preset_value(given: Any, part: RecipePart) -> object:
    """Return the value that a part has in the selected preset."""
    preset = TrainingChoices(parts=given.parts, optimizer=given.optimizer, n_step=given.steps).preset
    return preset.get(part.name, part.plain_of("rnn" if given.kind in _CELLS else given.kind))


def _control(part: RecipePart) -> Control:
    def default(given: object) -> Any:
        return _preset_value(given, part)

    how: exhibit.ControlKwargs = {
        "name": part.name,
        "help": LABELS("source", paper=part.paper),
        "when": lambda given: part.applies(_so_far(given)),
    }
    made: object
    if part.options is None:
        shape = None if exhibit.are_integers(part.low, part.high, part.plain, part.step) else "%.2f"
        end, step = part.high, part.step
        made = exhibit.number_input(
            part.low, end, default, step=step, format=shape, reason=part.reason, **how, label=part.label
        )
    elif set(part.options) == {True, False}:
        made = exhibit.toggle(default, **how, label=part.label)
    else:
        made = exhibit.select(part.options, default, **how, label=part.label)
    return exhibit.check_is_control(made)


PART_CONTROLS: Mapping[str, Control] = {name: _control(part) for name, part in PARTS.items()}


def follow_preset(given: Any) -> None:
    """Reset all parts when a different preset is selected, before they are drawn."""
    before = state.session_slot("studio.preset", lambda: given.parts)
    state.set_session_slot("studio.preset", given.parts)
    if before != given.parts:
        reset_to_preset()


def reset_to_preset(*more: str) -> None:
    """Reset all controls that a preset sets; from then on they follow the preset, as all defaults do."""
    began = state.session_slot(address.DEFAULTS, dict[str, Any])
    for name in (*_BESIDE, *PART_CONTROLS, *more):
        if name in began and (kept := st.session_state.get(name)) is not None:
            controls.set_control_silently(name, float(began[name]) if isinstance(kept, float) else began[name])


def _differences_in_words(given: object, declared: Mapping[str, Control]) -> list[str]:
    """Describe the differences from the preset: "Activation: ReLU, not SwiGLU"."""
    said = []
    for name in (*_BESIDE, *PARTS):
        control, value = declared[name].resolve(given), getattr(given, name)
        if value != control.default and (name not in PARTS or PARTS[name].applies(_so_far(given))):
            now, then = (_in_words(name, control, one) for one in (value, control.default))
            said.append(LABELS("difference", setting=control.label, now=now, then=then))
    return said


def _in_words(name: str, control: Control, value: object) -> str:
    if name in PARTS:
        return PARTS[name].in_words(value)
    return label_of(control, value) if control.kind in ("select", "segmented") else f"{value:,.4g}"


def show_preset(given: Any, declared: Mapping[str, Control]) -> None:
    """Describe the selected preset and any changes to it, with a button to undo them."""
    preset = PRESETS[given.parts]
    if differ := _differences_in_words(given, declared):
        listed = "".join(f"\n- {escape_markdown(one)}" for one in differ)
        st.caption(LABELS("changed", preset=preset.label, differences=listed))
        names = [*_BESIDE, *PART_CONTROLS]
        icon, key = ":material/undo:", "studio-preset-again"
        controls.control_button(
            LABELS("back", preset=preset.label), names, icon=icon, on_click=reset_to_preset, key=key
        )
    else:
        st.caption(preset.sentence, help=LABELS("source", paper=preset.paper) if preset.paper else None)


def own_parts(given: object, choice: TrainingChoices) -> tuple[tuple[str, Any], ...]:
    """Return the parts that differ from the starting values of a choice."""
    kind = "rnn" if choice.kind in _CELLS else choice.kind
    first = {name: part.plain_of(kind) for name, part in PARTS.items()} | choice.first
    return tuple((name, getattr(given, name)) for name in PARTS if getattr(given, name) != first[name])


def _are_parts_shown() -> bool:
    """Return whether the parts are shown: hidden from beginners unless the address names some."""
    return ui.depth_at_least("numbers") or any(name in st.query_params for name in PART_CONTROLS)


def draw_parts(given: object) -> dict[str, object]:
    """Draw all parts, group by group, and store their values in `given`; return where the open ones' costs belong."""
    if not _are_parts_shown():
        for name, control in PART_CONTROLS.items():
            setattr(given, name, control.resolve(given).default)
        return {}
    places: dict[str, object] = {}
    icon, key = ":material/extension:", "studio-every-part"
    board = st.popover(LABELS["every_part"], icon=icon, width="stretch", key=key, on_change="rerun")
    with board, st.container(width=WIDTH):
        tabs = st.tabs(list(GROUPS), key="studio-part-groups", on_change="rerun")
        for group, tab in zip(GROUPS, tabs, strict=True):
            with tab:
                grid = st.grid(3, min_column_width=230, gap="medium", key=f"studio-parts-{GROUPS.index(group)}")
                for name, part in PARTS.items():
                    if part.group == group and part.applies(_so_far(given)):
                        with grid.cell():
                            controls.render_controls(PART_CONTROLS, given, name)
                            if board.open and tab.open:
                                places[name] = st.empty()
                    elif part.group == group:
                        setattr(given, name, PART_CONTROLS[name].resolve(given).default)
    return places


def show_prices(places: Mapping[str, Any], choice: TrainingChoices) -> None:
    """Show the cost of each part: this recipe compared with the same one without it, or with it if it is plain."""
    for name, place in places.items():
        part, values = PARTS[name], choice.values
        plain = part.plain_of(values["kind"])
        is_plain = values[name] == plain
        value = part.typical if is_plain else values[name]
        costs = [_cost(choice, name, one) for one in (value, plain)]
        told = describe_cost_difference(*costs) if all(costs) else LABELS["too_large"]
        said = (
            LABELS("with_it", value=part.in_words(value), cost=told) if is_plain or value is False else told
        )  # the text is about yes
        place.caption(f"{part.sentence} **{escape_markdown(said[:1].upper() + said[1:])}.**")


def _cost(choice: TrainingChoices, name: str, value: Any) -> Any:
    """Return the cost of this choice with this value of one part; None if the sizes do not allow it."""
    try:
        return estimate_training_cost(
            recipe_from_choice(replace(choice, own_parts=(*choice.own_parts, (name, value))), "")
        )
    except ValueError:
        return None
