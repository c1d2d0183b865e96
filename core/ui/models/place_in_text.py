"""Which token of a text a model is asked to predict: a slider that begins anew in another text."""

from typing import Any

from core.exhibit import Control
from core.ui.controls import controls, picks


def begin_anew(control: Control, inputs: Any) -> None:
    """A place in one text means nothing in another."""
    if picks.has_changed("next.place", inputs.given.encoded.ids_key):
        controls.reset(str(control.name), control.default)
