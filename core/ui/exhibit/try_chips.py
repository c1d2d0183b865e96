"""Chips to try: some act at once, others ask the reader to act and are ticked once that is done.

The address names the selected chip, `?try=walk.2` (the second in its file) or `?try=walk.2.done`, so that its text
under Read reappears after a reload. A chip that acts is deselected as soon as somebody moves a control that it has
set. Pressed again, it sets its controls once more; if they are all set already, it is deselected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.exhibit import Control, Inputs
from core.ui import state
from core.ui.controls import browser_side_controls, controls, drawn_controls, picks
from core.ui.controls.locks import lock_sentence
from core.ui.exhibit.completion_conditions import StepBaseline, is_condition_met, names_in_condition
from core.ui.exhibit.exhibit_text import TryChip
from core.ui.exhibit.pane_and_rail import ExhibitContainers
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

PARAMETER = "try"
HAND = ":material/touch_app:"  # the style sheet recognizes a chip that asks by its icon
_DONE = "done"


@dataclass
class _Chips:
    """The chips to try of one exhibit."""

    name: str  # of the exhibit on its page
    tries: Sequence[TryChip]  # all in its file
    inputs: Inputs  # the exhibit's current inputs
    given: Inputs | None  # those that the whole page shares

    @property
    def key(self) -> str:
        return page_element_key("try", f"{self.name}-chips")

    def selection(self) -> tuple[int, bool] | None:
        """Return the number (from 1) of the selected chip in the address, and whether it was done."""
        for one in st.query_params.get(PARAMETER, "").split(","):
            name, _, rest = one.partition(".")
            number, _, done = rest.partition(".")
            if name == self.name and number.isdecimal() and 1 <= int(number[:3]) <= len(self.tries):
                return int(number[:3]), done == _DONE
        return None

    def remember(self, number: int | None, is_done: bool = False) -> None:
        """Write the selected chip into the address; None: none."""
        listed = st.query_params.get(PARAMETER, "").split(",")
        kept = [one for one in listed if one and one.partition(".")[0] != self.name]
        if number is not None:
            kept.append(f"{self.name}.{number}{f'.{_DONE}' if is_done else ''}")
        picks.set_address_value(PARAMETER, ",".join(kept) or None)

    def is_set(self, one: TryChip) -> bool:
        """Return whether all controls that a chip sets have its values."""
        return all(_is_set(name, values, self.inputs) for name, values in one.settings.items())

    def changed_number(self) -> int | None:
        """Return the number of the selected chip if it acts and a control that it set has changed since."""
        number, _ = self.selection() or (None, False)
        one = None if number is None else self.tries[number - 1]
        return None if one is None or not one.acts_on_click or self.is_set(one) else number

    def baseline(self, number: int) -> StepBaseline:
        """Return the state of the page when the chip was selected or first seen."""
        return state.session_slot(f"tries.{self.name}.{number}", StepBaseline)

    def choose(self, number: int) -> None:
        """Apply a chip and record the state of the page, to detect when the reader has done what it asks."""
        one = self.tries[number - 1]
        was_set = bool(one.settings) and self.is_set(one)
        refused = {
            name: why for name, values in one.settings.items() if (why := _set_control(name, values, self.inputs))
        }
        if refused:
            st.toast(f"{HAND} {escape_markdown(one.action)} {' '.join(map(escape_markdown, refused.values()))}")
            return
        state.set_session_slot(f"tries.{self.name}.was_set", was_set)
        names = {control.name for field, control in self.inputs.controls() if not hasattr(self.given, field)}
        state.set_session_slot(f"{self.key}.page", bool({*one.settings} - names))
        self.remember(number)
        state.clear_session_slot(f"tries.{self.name}.{number}")
        if one.is_detectable:
            for name in browser_side_controls.choice_address_names():
                browser_side_controls.find_choice_state(name)  # the browser may have moved it
            since = self.baseline(number)
            since.note_new(drawn_controls.page_controls_by_name())
            is_condition_met(one.done_when, "", drawn_controls.page_controls_by_name(), since)


def show_try_chips(
    rail: ExhibitContainers, tries: Sequence[TryChip], inputs: Inputs, given: Inputs | None, fill: Callable[[str], str]
) -> list[str]:
    """Draw the chips of this depth, and the text of the selected chip under Read.

    Args:
        tries: all in the exhibit's file.
        inputs: the exhibit's current inputs.
        given: those that the whole page shares.
        fill: fills in the current numbers.

    Returns:
        The choices that must be reported to the server, because the selected chip waits for them or is deselected
        when they move.
    """
    shown = [number for number, one in enumerate(tries, 1) if depth.depth_at_least(one.depth)]
    if not shown:
        return []
    chips, preset = _Chips(rail.name, tries, inputs, given), controls.active_control_overrides()

    def act() -> None:
        number = st.session_state.get(chips.key)
        with controls.apply_control_overrides(preset):
            if number is None:
                number = chips.changed_number()
            if isinstance(number, int) and number in shown:
                chips.choose(number)
            else:
                chips.remember(None)

    is_pending = state.session_slot(f"{chips.key}.page", bool)  # controls of the page are set in its next run
    chosen, was_done = _valid_selection(chips, shown, is_pending)
    is_over = chosen is not None and _is_completed(chips, chosen, was_done)
    if st.session_state.get(chips.key) != chosen:
        st.session_state[chips.key] = chosen
    rail.controls.pills(
        LABELS["try"],
        shown,
        format_func=lambda number: _label(tries[number - 1], is_over=is_over and number == chosen),
        key=chips.key,
        on_change=act,
        label_visibility="collapsed",
        wrap=True,
    )
    if chosen is not None:
        rail.sentences.markdown(_chip_text(chips, tries[chosen - 1], fill, is_over=is_over))
    if is_pending:
        state.clear_session_slot(f"{chips.key}.page")
        st.rerun()
    if chosen is None or is_over:
        return []
    one = tries[chosen - 1]
    return [
        name
        for name in (one.settings if one.acts_on_click else names_in_condition(one.done_when))
        if browser_side_controls.find_choice_state(name) is not None
    ]


def _valid_selection(chips: _Chips, shown: Sequence[int], is_pending: bool) -> tuple[int | None, bool]:
    """Return the selected chip, if it is shown and its settings still hold, and whether it was done."""
    chosen, was_done = chips.selection() or (None, False)
    one = None if chosen is None else chips.tries[chosen - 1]
    if one is not None and one.acts_on_click and not is_pending and not chips.is_set(one):
        chosen = None
        chips.remember(None)
    return (chosen if chosen in shown else None), was_done


def _is_completed(chips: _Chips, number: int, was_done: bool) -> bool:
    """Return whether the reader has done what the selected chip asks; once done, it stays done."""
    one = chips.tries[number - 1]
    if not one.is_detectable or was_done:
        return was_done and one.is_detectable
    if not is_condition_met(one.done_when, "", drawn_controls.page_controls_by_name(), chips.baseline(number)):
        return False
    chips.remember(number, is_done=True)
    return True


def _label(one: TryChip, *, is_over: bool) -> str:
    """Return the label of a chip, with a hand icon if the reader still has to act."""
    return one.action if one.acts_on_click or is_over else f"{HAND} {one.action}"


def _chip_text(chips: _Chips, one: TryChip, fill: Callable[[str], str], *, is_over: bool) -> str:
    """Return the text under Read; the outcome is withheld until the task is done, if that can be detected."""
    if not one.acts_on_click and not is_over:
        if one.is_detectable:
            return f"{HAND} {LABELS('your_turn', action=one.action)}"
        return f"{HAND} {LABELS('your_turn.look', action=one.action, expectation=fill(one.expectation))}"
    was_set = one.acts_on_click and state.session_slot(f"tries.{chips.name}.was_set", bool)
    already = f" {LABELS['was_set']}" if was_set else ""
    return f"**{one.action}**{already} {fill(one.expectation)}"


def _checked_value(name: str, values: Sequence[str], inputs: Inputs) -> Any:
    """Convert a control's text in an address to a value. Raises ValueError if the control does not accept it."""
    control = _control(name, inputs)
    if control is None:  # in the room's bar (the model, the text), or asked for by a function (a picture)
        held = drawn_controls.page_controls_by_name().get(controls.active_control_overrides().prefix + name)
        kind = str if held is None else type(held.value)
        return kind(values[0]) if kind in (int, float) else values[0]
    at = control.resolve(inputs)
    return at.check(tuple(values) if control.kind == "several" else values[0], inputs)


def _control(name: str, inputs: Inputs) -> Control | None:
    return next((one for _, one in inputs.controls() if one.name == name and one.kind != "custom"), None)


def _is_set(name: str, values: Sequence[str], inputs: Inputs) -> bool:
    """Return whether a control has this value."""
    try:
        value = _checked_value(name, values, inputs)
    except ValueError:
        return False
    choice = browser_side_controls.find_choice_state(name)
    if choice is not None:  # the browser may have moved it since it was drawn
        return bool(choice.value == value)
    field = next((field for field, one in inputs.controls() if one.name == name and one.kind != "custom"), None)
    if field is not None:
        return bool(getattr(inputs, field) == value)
    held = drawn_controls.page_controls_by_name().get(controls.active_control_overrides().prefix + name)
    if held is not None:
        return value in (held.value, *held.address_values)
    return bool(picks.address_value(name) == value)


def _set_control(name: str, values: Sequence[str], inputs: Inputs) -> str:
    """Set one control; return "" if it has the value now, otherwise the reason why not."""
    control = _control(name, inputs)
    try:
        value = _checked_value(name, values, inputs)
    except ValueError as refused:
        return LABELS("cannot_set", reason=refused)
    if control is not None and control.kind == "picked":
        picks.set_address_value(name, value)
        return ""
    as_kept = {"number": float, "seed": float, "several": list}.get(control.kind if control else "")
    if (why := controls.lock_reason(name)) is not None and not _is_set(name, values, inputs):
        return lock_sentence(why, control.label if control else name)
    controls.set_control(name, as_kept(value) if as_kept else value)
    return ""
