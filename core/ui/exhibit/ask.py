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
from core.inspect.reading.model_and_text import ModelAndText, encode
from core.ui.controls import choices, controls, picks
from core.ui.exhibit.rail import beside
from core.ui.frame import depth
from core.ui.frame.element_keys import frame_key
from core.ui.models.own_words import show_notes
from core.ui.text import escape_markdown

T = TypeVar("T", bound=Inputs)


def ask(
    kind: type[T],
    given: Inputs | None = None,
    *,
    key: str = "",
    then: tuple[str, Callable[[SimpleNamespace], None]] | None = None,
) -> T | None:
    """Draw the controls of some inputs and return their values, or show a message and return None if there are none.

    Args:
        kind: the class of the inputs.
        given: values that are known already, of a base class: those of the room's bar.
        key: the name of the row of controls on the page.
        then: a field, and a function to call with the values so far after that field, which draws a button there.
    """
    so_far = SimpleNamespace()
    form = _Form(kind, key)
    for name, control in kind.controls():
        if given is not None and hasattr(given, name):
            value = getattr(given, name)
            if control.look is not None and (choice := choices.find(str(control.name))) is not None:
                value = choice.value  # the browser may have moved it since the page was drawn
        elif control.when is not None and not control.when(so_far):
            value = control.at(so_far).default
        elif control.look is None and _is_deeper(control, so_far):
            value = controls.default_of(str(control.name), control.at(so_far))
        elif control.kind == "picked":
            value = _picked(control, so_far)
        else:
            value = form.ask(control, so_far)
            if control.kind == "custom" and value is None:
                return None
        setattr(so_far, name, value)
        if then is not None and name == then[0]:
            form.row = None
            with form.place():
                then[1](so_far)
    return kind(**vars(so_far))


class _Form:
    """The form with the controls of some inputs: in the rail next to the picture, or in rows above it."""

    def __init__(self, kind: type[Inputs], key: str):
        self.kind, self.key, self.rail = kind, key, beside()
        self.row: DeltaGenerator | None = None

    def place(self) -> AbstractContextManager[object]:
        """Return the container of the elements between the controls."""
        return nullcontext() if self.rail is None else self.rail.controls

    def ask(self, control: Control, so_far: object) -> Any:
        """Draw a control, with its heading and notes, and return its value."""
        if control.look is not None and _is_deeper(control, so_far):  # pictures still follow it
            control = replace(control, heading=None, look=replace(control.look, is_drawn=False))
        if control.heading is not None:
            self.row = None
            if control.heading and not controls.is_hidden(str(control.name)):
                with self.place():
                    st.markdown(control.heading)
        if control.kind == "custom":
            self.row = None
            with nullcontext() if self.rail is None else self.rail.place_for_a_control():
                return _own_way(control, so_far)
        at = control.at(so_far)
        with self._place_of(at):
            if control.before is not None:
                _function(control.before)(at, so_far)
                at = control.at(so_far)
            value = controls.ask(at) if at.look is None else choices.ask(at, so_far, self.key)
        with self.place():
            _notes(control, value, so_far)
        return value

    def _place_of(self, control: Control) -> AbstractContextManager[object]:
        if self.rail is not None:
            is_shown = controls.is_shown(control)
            return self.rail.place_for_a_control() if is_shown else self.rail.place_out_of_sight()
        self.row = self.row or _row(self.kind, f"{self.key}-{control.name}")
        return self.row


def _is_deeper(control: Control, so_far: object) -> bool:
    """Return whether a control is left out at this depth: not if it was moved, and never in a lesson."""
    if depth.at_least(control.depth) or controls.in_force().prefix:
        return False
    return not controls.is_moved(control.at(so_far))


def _row(kind: type[Inputs], name: str) -> DeltaGenerator:
    """Return a horizontal row for controls, above everything that follows."""
    key = frame_key("stays") if "stays" in vars(kind) else frame_key("controls", name)
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
        show_notes(encode(model.key, value, most), model.key, str(control.name), value)
    if notes := control.options.get("notes"):
        notes(str(control.name), value, so_far)


def _picked(control: Control, so_far: object) -> str:
    """Return the selection in a picture: the newest one, else the one in the address, else the default."""
    options, name = control.options, str(control.name)
    content, picture, part = options["content"](so_far), options["picture"], options["part"]
    has_changed, default = picks.has_changed(picture, content), str(control.at(so_far).default)
    content = "" if options["stays"] else content
    if has_changed or (part in ("edit", "pick") and picks.was_cleared(picture, content, part)):
        picks.remember(name, None)
    news = picks.news(picture, content, part)
    text = None if news is None else options["text"](news, so_far)
    if text is not None:
        picks.remember(name, None if text == default else text)
    held = picks.remembered(name) if text is None else text
    if held is not None:
        try:
            return str(control.check(held, so_far))
        except ValueError as refused:
            st.warning(escape_markdown(refused))
    return default


def _function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
