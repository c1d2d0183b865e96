"""The input form of an exhibit: its declared inputs become controls, in order, unless their values are known."""

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.exhibit import Control, Inputs
from core.inspect.model_inputs.model_and_text import ModelAndText, encode_text
from core.ui.controls import browser_side_controls, controls, picks
from core.ui.exhibit.pane_and_rail import current_exhibit_containers
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key
from core.ui.models.text_notes import show_text_notes
from core.ui.text_formatting import escape_markdown

T = TypeVar("T", bound=Inputs)


def render_inputs(
    kind: type[T],
    given: Inputs | None = None,
    *,
    key: str = "",
    after_field: tuple[str, Callable[[SimpleNamespace], None]] | None = None,
) -> T | None:
    """Draw the controls of some inputs and return their values, or show a message and return None if there are none.

    Args:
        kind: the class of the inputs.
        given: values that are known already, of a base class: those of the room's bar.
        key: the name of the row of controls on the page.
        then: a field, and a function to call with the values so far after that field, which draws a button there.
    """
    so_far = SimpleNamespace()
    form = _InputForm(kind, key)
    for name, control in kind.controls():
        if given is not None and hasattr(given, name):
            value = getattr(given, name)
            if (
                control.view is not None
                and (choice := browser_side_controls.find_choice_state(str(control.name))) is not None
            ):
                value = choice.value  # the browser may have moved it since the page was drawn
        elif control.when is not None and not control.when(so_far):
            value = control.resolve(so_far).default
        elif control.view is None and _is_deeper(control, so_far):
            value = controls.default_of(str(control.name), control.resolve(so_far))
        elif control.kind == "picked":
            value = _picked(control, so_far)
        else:
            value = form.render(control, so_far)
            if control.kind == "custom" and value is None:
                return None
        setattr(so_far, name, value)
        if after_field is not None and name == after_field[0]:
            form.row = None
            with form.place():
                after_field[1](so_far)
    return kind(**vars(so_far))


class _InputForm:
    """The form with the controls of some inputs: in the rail next to the picture, or in rows above it."""

    def __init__(self, kind: type[Inputs], key: str):
        self.kind, self.key, self.rail = kind, key, current_exhibit_containers()
        self.row: DeltaGenerator | None = None

    def place(self) -> AbstractContextManager[object]:
        """Return the container of the elements between the controls."""
        return nullcontext() if self.rail is None else self.rail.controls

    def render(self, control: Control, so_far: object) -> Any:
        """Draw a control, with its heading and notes, and return its value."""
        if control.view is not None and _is_deeper(control, so_far):  # pictures still follow it
            control = replace(control, heading=None, view=replace(control.view, is_drawn=False))
        if control.heading is not None:
            self.row = None
            if control.heading and not controls.is_hidden(str(control.name)):
                with self.place():
                    st.markdown(control.heading)
        if control.kind == "custom":
            self.row = None
            with nullcontext() if self.rail is None else self.rail.next_control_slot():
                return _own_way(control, so_far)
        at = control.resolve(so_far)
        with self._place_of(at):
            if control.before_render is not None:
                _function(control.before_render)(at, so_far)
                at = control.resolve(so_far)
            value = (
                controls.render_control(at)
                if at.view is None
                else browser_side_controls.render_choice(at, so_far, self.key)
            )
        with self.place():
            _notes(control, value, so_far)
        return value

    def _place_of(self, control: Control) -> AbstractContextManager[object]:
        if self.rail is not None:
            is_shown = controls.is_control_shown(control)
            if is_shown and control.is_above:
                return self.rail.pane
            return self.rail.next_control_slot() if is_shown else self.rail.hidden_slot()
        self.row = self.row or _row(self.kind, f"{self.key}-{control.name}")
        return self.row


def _is_deeper(control: Control, so_far: object) -> bool:
    """Return whether a control is left out at this depth: not if it was moved, and never in a lesson."""
    if depth.depth_at_least(control.depth) or controls.active_control_overrides().prefix:
        return False
    return not controls.is_moved(control.resolve(so_far))


def _row(kind: type[Inputs], name: str) -> DeltaGenerator:
    """Return a horizontal row for controls, above everything that follows."""
    key = page_element_key("stays") if "stays" in vars(kind) else page_element_key("controls", name)
    return st.container(horizontal=True, vertical_alignment="bottom", key=key)


def _own_way(control: Control, so_far: object) -> object:
    given = {key: one(so_far) if callable(one) else one for key, one in control.options["given"].items()}
    return _function(control.options["ask"])(**given)


def _notes(control: Control, value: str, so_far: object) -> None:
    """Show notes on a text that was typed, such as unknown words."""
    reader = control.options.get("read_by")
    if reader:
        model: ModelAndText = getattr(so_far, reader)
        most = control.options.get("most")
        show_text_notes(encode_text(model.key, value, most), model.key, str(control.name), value)
    if notes := control.options.get("notes"):
        notes(str(control.name), value, so_far)


def _picked(control: Control, so_far: object) -> str:
    """Return the selection in a picture: the newest one, else the one in the address, else the default."""
    options, name = control.options, str(control.name)
    content, picture, part = options["content"](so_far), options["picture"], options["part"]
    has_changed, default = picks.has_content_changed(picture, content), str(control.resolve(so_far).default)
    content = "" if options["stays"] else content
    if has_changed or (part in ("edit", "pick") and picks.was_cleared(picture, content, part)):
        picks.set_address_value(name, None)
    news = picks.new_pick(picture, content, part)
    text = None if news is None else options["text"](news, so_far)
    if text is not None:
        picks.set_address_value(name, None if text == default else text)
    held = picks.address_value(name) if text is None else text
    if held is not None:
        try:
            return str(control.check(held, so_far))
        except ValueError as refused:
            st.warning(escape_markdown(refused))
    return default


def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
