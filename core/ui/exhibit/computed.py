"""What the browser computes itself: an exhibit's answer to a choice, by a model that it runs.

    effect = ui.computed("knock_out", ui.offer(key), parts(result), off=ui.chosen("off"), ids=given.ids)
    ui.say("moved", left=effect["left"])

The server computes the same for the choices as they stand; these values are there at once, and hold until somebody
chooses. Where the browser cannot run the model the server computes each time, and it is said so.
`assets/widgets/computed` is the other half.
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
    """The parts of a result, each as the browser is to compute it.

    Args:
        recipe: of `assets/widgets/computed/recipes.js`.
        model: as the browser gets it, see `core.browser.weights`; None: it cannot run it.
        parts: as the server computed them.
        along: of what is given, the choices along which these parts run where they depend on them: of those the server
            has every value.
        given: what the recipe needs: choices of the page, and what it is told once.
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
    """A computed name of a sentence, and all that it may be."""
    return replace(value, among=names) if isinstance(value, Computed) else value
