"""Chips to try: some act at once, others ask the reader to act and are ticked once that is done.

The address names the selected chip, `?try=walk.2` (the second in its file) or `?try=walk.2.done`, so that its text
under Read reappears after a reload. A chip that acts is deselected as soon as somebody moves a control that it has
set. Pressed again, it sets its controls once more; if they are all set already, it is deselected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.exhibit import Control, Inputs
from core.ui import state
from core.ui.controls import choices, control_log, controls, picks
from core.ui.exhibit.conditions import Since, is_done, names_in
from core.ui.exhibit.rail import Rail
from core.ui.exhibit.words import Try
from core.ui.frame import depth
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown

PARAMETER = "try"
HAND = ":material/touch_app:"  # the style sheet recognizes a chip that asks by its icon
_DONE = "done"


@dataclass
class _Chips:
    """The chips to try of one exhibit."""

    name: str  # of the exhibit on its page
    tries: Sequence[Try]  # all in its file
    inputs: Inputs  # the exhibit's current inputs
    given: Inputs | None  # those that the whole page shares

    @property
    def key(self) -> str:
        return frame_key("try", f"{self.name}-chips")

    def chosen(self) -> tuple[int, bool] | None:
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
        picks.remember(PARAMETER, ",".join(kept) or None)

    def stands(self, one: Try) -> bool:
        """Return whether all controls that a chip sets have its values."""
        return all(_stands(name, values, self.inputs) for name, values in one.sets.items())

    def moved(self) -> int | None:
        """Return the number of the selected chip if it acts and a control that it set has changed since."""
        number, _ = self.chosen() or (None, False)
        one = None if number is None else self.tries[number - 1]
        return None if one is None or not one.acts or self.stands(one) else number

    def since(self, number: int) -> Since:
        """Return the state of the page when the chip was selected or first seen."""
        return state.slot(f"tries.{self.name}.{number}", Since)

    def choose(self, number: int) -> None:
        """Apply a chip and record the state of the page, to detect when the reader has done what it asks."""
        one = self.tries[number - 1]
        was_set = bool(one.sets) and self.stands(one)
        refused = {name: why for name, values in one.sets.items() if (why := _put(name, values, self.inputs))}
        if refused:
            st.toast(f"{HAND} {escape_markdown(one.do)} {' '.join(map(escape_markdown, refused.values()))}")
            return
        state.put(f"tries.{self.name}.was_set", was_set)
        names = {control.name for field, control in self.inputs.controls() if not hasattr(self.given, field)}
        state.put(f"{self.key}.page", bool({*one.sets} - names))
        self.remember(number)
        state.forget(f"tries.{self.name}.{number}")
        if one.is_seen:
            for name in choices.names():
                choices.find(name)  # the browser may have moved it
            since = self.since(number)
            since.look(control_log.here())
            is_done(one.when, "", control_log.here(), since)


def offer(
    rail: Rail, tries: Sequence[Try], inputs: Inputs, given: Inputs | None, fill: Callable[[str], str]
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
    shown = [number for number, one in enumerate(tries, 1) if depth.at_least(one.depth)]
    if not shown:
        return []
    chips, preset = _Chips(rail.name, tries, inputs, given), controls.in_force()

    def act() -> None:
        number = st.session_state.get(chips.key)
        with controls.presets(preset):
            if number is None:
                number = chips.moved()
            if isinstance(number, int) and number in shown:
                chips.choose(number)
            else:
                chips.remember(None)

    is_pending = state.slot(f"{chips.key}.page", bool)  # controls of the page are set in its next run
    chosen, was_done = chips.chosen() or (None, False)
    if chosen is not None and tries[chosen - 1].acts and not is_pending and not chips.stands(tries[chosen - 1]):
        chosen = None
        chips.remember(None)
    if chosen not in shown:
        chosen = None
    is_over = chosen is not None and _is_over(chips, chosen, was_done)
    if st.session_state.get(chips.key) != chosen:
        st.session_state[chips.key] = chosen
    rail.controls.pills(
        "Try",
        shown,
        format_func=lambda number: _label(tries[number - 1], is_over=is_over and number == chosen),
        key=chips.key,
        on_change=act,
        label_visibility="collapsed",
        wrap=True,
    )
    if chosen is not None:
        rail.sentences.markdown(_said(chips, tries[chosen - 1], fill, is_over=is_over))
    if is_pending:
        state.forget(f"{chips.key}.page")
        st.rerun()
    if chosen is None or is_over:
        return []
    one = tries[chosen - 1]
    return [name for name in (one.sets if one.acts else names_in(one.when)) if choices.find(name) is not None]


def _is_over(chips: _Chips, number: int, was_done: bool) -> bool:
    """Return whether the reader has done what the selected chip asks; once done, it stays done."""
    one = chips.tries[number - 1]
    if not one.is_seen or was_done:
        return was_done and one.is_seen
    if not is_done(one.when, "", control_log.here(), chips.since(number)):
        return False
    chips.remember(number, is_done=True)
    return True


def _label(one: Try, *, is_over: bool) -> str:
    """Return the label of a chip, with a hand icon if the reader still has to act."""
    return one.do if one.acts or is_over else f"{HAND} {one.do}"


def _said(chips: _Chips, one: Try, fill: Callable[[str], str], *, is_over: bool) -> str:
    """Return the text under Read; the outcome is withheld until the task is done, if that can be detected."""
    if not one.acts and not is_over:
        return f"{HAND} **Your turn.** {one.do}{'' if one.is_seen else f' *What to look for:* {fill(one.expect)}'}"
    was_set = one.acts and state.slot(f"tries.{chips.name}.was_set", bool)
    already = " *(It was set like this already.)*" if was_set else ""
    return f"**{one.do}**{already} {fill(one.expect)}"


def checked(name: str, values: Sequence[str], inputs: Inputs) -> Any:
    """Convert a control's text in an address to a value. Raises ValueError if the control does not accept it."""
    control = _control(name, inputs)
    if control is None:  # in the room's bar (the model, the text), or asked for by a function (a picture)
        held = control_log.here().get(controls.in_force().prefix + name)
        kind = str if held is None else type(held.value)
        return kind(values[0]) if kind in (int, float) else values[0]
    at = control.at(inputs)
    return at.check(tuple(values) if control.kind == "several" else values[0], inputs)


def _control(name: str, inputs: Inputs) -> Control | None:
    return next((one for _, one in inputs.controls() if one.name == name and one.kind != "custom"), None)


def _stands(name: str, values: Sequence[str], inputs: Inputs) -> bool:
    """Return whether a control has this value."""
    try:
        value = checked(name, values, inputs)
    except ValueError:
        return False
    choice = choices.find(name)
    if choice is not None:  # the browser may have moved it since it was drawn
        return bool(choice.value == value)
    field = next((field for field, one in inputs.controls() if one.name == name and one.kind != "custom"), None)
    if field is not None:
        return bool(getattr(inputs, field) == value)
    held = control_log.here().get(controls.in_force().prefix + name)
    if held is not None:
        return value in (held.value, *held.written)
    return bool(picks.remembered(name) == value)


def _put(name: str, values: Sequence[str], inputs: Inputs) -> str:
    """Set one control; return "" if it has the value now, otherwise the reason why not."""
    control = _control(name, inputs)
    try:
        value = checked(name, values, inputs)
    except ValueError as refused:
        return f"That can't be set here: {refused}"
    if control is not None and control.kind == "picked":
        picks.remember(name, value)
        return ""
    as_kept = {"number": float, "seed": float, "several": list}.get(control.kind if control else "")
    if (why := controls.why_fixed(name)) is not None and not _stands(name, values, inputs):
        return f"{control.label if control else name} is {why}."
    controls.put(name, as_kept(value) if as_kept else value)
    return ""
