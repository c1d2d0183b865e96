"""Which token of a text a model is asked to predict: a slider, which a click in the text moves."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from core.inputs import Control
from core.inspect.model_and_text import ModelAndText
from core.inspect.place_in_text import first_place, losses_of, next_logits, place_in_text
from core.ui.controls import controls, picks

__all__ = ["choose_place", "first_place", "follow_clicks", "losses_of", "next_logits"]


def follow_clicks(control: Control, inputs: Any) -> None:
    """Move the slider to the token that was clicked; in another text it begins anew."""
    name, given = str(control.name), inputs.given
    if picks.has_changed("next.place", given.encoded.packed):
        controls.reset(name, control.default)
    pick = picks.news("next.text", given.content)
    if pick is not None:
        controls.put(name, max(1, pick))


def choose_place(looked: ModelAndText) -> int:
    """The slider itself, for a page that has no class of inputs."""
    inputs = SimpleNamespace(given=looked)
    control = replace(place_in_text().at(inputs), name="place")
    follow_clicks(control, inputs)
    return int(controls.ask(control))
