"""Everything that says `st.`, and what an exhibit draws with, under one name: `ui.matrix(…)`, `ui.say("verdict")`.

    from core import ui

The names stand in `core.ui.names`, which is read when the first is asked for: an exhibit's module can be read, and its
`compute` called, where there is no Streamlit.
"""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.ui.names import *  # noqa: F403


def __getattr__(name: str) -> object:
    if find_spec(f"core.ui.{name}") is not None:
        return importlib.import_module(f"core.ui.{name}")
    value = globals()[name] = getattr(importlib.import_module("core.ui.names"), name)  # and is not looked for again
    return value
