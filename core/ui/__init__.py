"""The Streamlit interface, and under one name all that exhibits draw with, such as `ui.show_text_section("verdict")`.

    from core import ui

The names are defined in `core.ui.exhibit_api`, which is imported on first use, so that an exhibit's module can be
imported and its `compute` called without Streamlit.
"""

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.ui.exhibit_api import *  # noqa: F403


def __getattr__(name: str) -> object:
    if find_spec(f"core.ui.{name}") is not None:
        return importlib.import_module(f"core.ui.{name}")
    value = globals()[name] = getattr(importlib.import_module("core.ui.exhibit_api"), name)  # cached for later
    return value
