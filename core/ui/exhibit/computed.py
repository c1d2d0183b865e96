"""Results that the browser computes with a model that it runs, in response to a choice.

    effect = ui.computed("knock_out", ui.offer(key), parts(result), off=ui.chosen("off"), ids=given.ids)
    ui.say("moved", left=effect["left"])

The server computes the same for the current choices; its values are available at once and are shown until somebody
makes a choice. If the browser cannot run the model, the server computes each time, and a caption says so.
`assets/widgets/computed` is the browser half.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.browser.linked import Chosen, Computed
from core.browser.message import pack
from core.exhibit import content_key
from core.ui.controls import choices
from core.ui.controls.controls import in_force
from core.ui.exhibit.rail import reading
from core.ui.frame.element_keys import frame_key
from core.ui.widgets.mount import mount


def computed(
    recipe: str,
    model: Mapping[str, Any] | None,
    parts: Mapping[str, object],
    *,
    along: Sequence[str] = (),
    **given: Any,
) -> dict[str, Any]:
    """Return the parts of a result as values that the browser computes.

    Args:
        recipe: a computation in `assets/widgets/computed/recipes.js`.
        model: the model for the browser, see `core.browser.weights`; None if the browser cannot run it.
        parts: the parts as computed by the server.
        along: names in `given` of the choices by which the parts are indexed, because the server has all their
            values.
        given: the arguments of the recipe: choices of the page, and constants.
    """
    chosen = {name: value for name, value in given.items() if isinstance(value, Chosen)}
    moved = {name: one for name, one in chosen.items() if name not in along}
    if model is None:
        choices.need(one.name for one in moved.values())
        with reading():
            st.caption("The server runs this model.")
        return dict(parts)
    told = {name: value for name, value in given.items() if name not in chosen}
    at = {name: choices.stands(one.name) for name, one in moved.items()}
    by = content_key(recipe, model["url"], repr(told), repr(at))[:12]
    message = {"by": by, "recipe": recipe, "model": model, "told": told, "given": chosen, "at": at}
    mount("computation", frame_key("computation", in_force().prefix + recipe), pack(message, {}), height=0)
    choices.need([one.name for one in chosen.values()], unless=model["url"])
    ranges = {name: text for one in chosen.values() for name, text in one.ranges.items()}
    return {part: Computed(by, part, value, ranges) for part, value in parts.items()}


def named(value: object, *names: str) -> Any:
    """Declare all names that a computed section name may take."""
    return replace(value, among=names) if isinstance(value, Computed) else value
