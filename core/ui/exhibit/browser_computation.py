"""Results that the browser computes with a model that it runs, in response to a choice.

    effect = ui.compute_in_browser(
        "knock_out", ui.offer_weights(key), parts(result), off=ui.choice_ref("off"), ids=given.ids
    )
    ui.show_text_section("moved", left=effect["left"])

The server computes the same for the current choices; its values are available at once and are shown until somebody
makes a choice. If the browser cannot run the model, the server computes each time, and a caption says so.
`assets/widgets/computed` is the browser half.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from core.browser.choice_indexed_values import BrowserComputedValue, ChoiceRef
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.exhibit import content_key
from core.ui.controls import browser_side_controls
from core.ui.controls.controls import active_control_overrides
from core.ui.exhibit.pane_and_rail import exhibit_text_container
from core.ui.frame.element_keys import page_element_key
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)


def compute_in_browser(
    recipe: str,
    model: Mapping[str, Any] | None,
    parts: Mapping[str, object],
    **given: Any,
) -> dict[str, Any]:
    """Return the parts of a result as values that the browser computes.

    Args:
        recipe: a computation in `assets/widgets/computed/recipes.js`.
        model: the model for the browser, see `core.browser.weights`; None if the browser cannot run it.
        parts: the parts as computed by the server.
        given: the arguments of the recipe: choices of the page, and constants.
    """
    chosen = {name: value for name, value in given.items() if isinstance(value, ChoiceRef)}
    if model is None:
        browser_side_controls.rerun_on_choice_change(one.name for one in chosen.values())
        with exhibit_text_container():
            st.caption(LABELS["server_runs"])
        return dict(parts)
    told = {name: value for name, value in given.items() if name not in chosen}
    at = {name: browser_side_controls.choice_value_for_browser(one.name) for name, one in chosen.items()}
    by = content_key(recipe, model["url"], repr(told), repr(at))[:12]
    message = {"by": by, "recipe": recipe, "model": model, "told": told, "given": chosen, "at": at}
    mount(
        "computation",
        page_element_key("computation", active_control_overrides().prefix + recipe),
        pack_message(message, {}),
        height=0,
    )
    browser_side_controls.rerun_on_choice_change([one.name for one in chosen.values()], unless=model["url"])
    ranges = {name: text for one in chosen.values() for name, text in one.ranges.items()}
    return {part: BrowserComputedValue(by, part, value, ranges) for part, value in parts.items()}


def with_possible_section_names(value: object, *names: str) -> Any:
    """Declare all names that a computed section name may take."""
    return replace(value, section_names=names) if isinstance(value, BrowserComputedValue) else value
