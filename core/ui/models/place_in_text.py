"""Which token of a text a model is asked to predict: a slider, which a click in the text moves."""

from typing import Any

from core.inputs import Control
from core.ui.controls import controls, picks


def follow_clicks(control: Control, inputs: Any) -> None:
    """Move the slider to the token that was clicked; in another text it begins anew."""
    name, given = str(control.name), inputs.given
    if picks.has_changed("next.place", given.encoded.packed):
        controls.reset(name, control.default)
    pick = picks.news("next.text", given.content)
    if pick is not None:
        controls.put(name, max(1, pick))
