"""Export of an exhibit as one HTML file, without the app: its page runs once, as if for a link with the inputs."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core.browser.page import web_page
from core.rooms import all_exhibits, rooms
from core.ui.controls.controls import LABELS as CONTROL_LABELS
from core.ui.controls.drawn_controls import CONTROL_STATES
from core.ui.exhibit.exhibit_panels import EXPORTED_PAGES
from core.ui.state import PREFIX

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 600.0  # an exhibit may have to compute


def exhibit_page(name: str, inputs: Mapping[str, str]) -> str:
    """Return an exhibit as an HTML file.

    Args:
        name: of the exhibit in lessons, "heads.one-head".
        inputs: values of its controls by their names in an address, `{"layer": "1"}`.

    Raises:
        KeyError: if there is no such exhibit.
        ValueError: if it has no page of its own, or one of the inputs is invalid.
    """
    entry, page = all_exhibits()[name], next(room.page for room in rooms() if name in room.exhibits_by_name())
    module = entry.exhibit().module
    test = AppTest.from_file(str(ROOT / page), default_timeout=SECONDS)
    for one, value in {"depth": "numbers", **inputs, "only": entry.name}.items():
        test.query_params[one] = value
    test.session_state[EXPORTED_PAGES] = {}
    test.run()
    wrong = [one.value for one in (*test.exception, *test.error, *test.warning)]
    if wrong:
        raise ValueError(_why_not(re.sub(r"\\(.)", r"\1", wrong[0]), module, inputs))  # undo the escaping for a page
    key = f"{PREFIX}{CONTROL_STATES}"
    asked = {
        *test.session_state.get(key, ()),
        *(str(one.name) for _, one in module.Inputs.controls()),
    }
    asked.discard("given")  # the model and the text have names of their own
    if unknown := [one for one in inputs if one not in asked]:
        raise ValueError(f"--set {unknown[0]}=…: {name} has no input {unknown[0]!r}; it has {', '.join(sorted(asked))}")
    made = test.session_state[EXPORTED_PAGES]
    if entry.name not in made:
        given = "".join(f" with --set {one}={value:.40}" for one, value in inputs.items())
        raise ValueError(
            f"{name} has no page of its own{given}: it lacks a text, asks for a guess, waits for a training, or "
            "holds a table"
        )
    return web_page(made[entry.name])


def _why_not(said: str, module: Any, inputs: Mapping[str, str]) -> str:
    """Turn a page's message about a value into one for a command line: with the typed value, and nothing written."""
    for end in (CONTROL_LABELS["default_used"], CONTROL_LABELS["link_value_unused"]):
        said = said.removesuffix(end).rstrip()
    labels = {str(one.name): one.label for _, one in module.Inputs.controls()}
    meant = [name for name in inputs if said.startswith(f"{labels.get(name)}: ")] or list(inputs)
    typed = ", ".join(f"--set {name}={inputs[name]:.40}" for name in meant)
    return f"{typed}: {said} Nothing was written." if typed else f"{said} Nothing was written."
