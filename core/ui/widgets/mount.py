"""Mount browser widgets on the page: send one message to the script, and return what the person committed.

A widget is a Python function that packs its arrays (`message.pack_message`) and mounts a script of `assets/widgets/`:

    state = mount("matrix", key, pack(header, arrays), pick=None)
    state["pick"]    # the script's last `shell.commit("pick", ...)`, or None

The result comes from a browser and may be anything: check it before use (`index_or_none`).
"""

import json
import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.browser.message_capture import record_sent_message
from core.ui.frame.element_keys import refuse_reserved_key

# The scripts come from this server's own address. If the app lives below a path (`/lab/`), so do they: the address of
# Streamlit's own script in the page reveals it, behind any proxy. The root is the second attempt.
_LOADER = """
const own = document.querySelector('script[src*="static/js/"]');
const root = own ? own.src.slice(0, own.src.lastIndexOf("static/js/")) : new URL("./", document.baseURI).href;
const path = %s;
const script = import(root + path).catch(() => import(new URL("/" + path, document.baseURI).href));
export default async (component) => {
  try {
    return await (await script).default(component);
  } catch (error) {
    console.error(error);
    const detail = { node: component.parentElement, widget: %s, error };
    document.dispatchEvent(new CustomEvent("gf-fault", { detail })); // for page/faults.js
  }
};
"""
_MAX_STROKES = 2**31  # strokes
_WAITING = '<div class="gf-wait" style="height:%dpx"></div>'


@cache
def widget_component(name: str, height: int = 240, own_style: bool = True) -> Any:
    """Return the component of a script, with an empty box of this height as a placeholder until it is drawn.

    Args:
        own_style: whether it is isolated from the page's style sheets.
    """
    import streamlit as st  # only here, so that a room's computations, next to its widgets, need no Streamlit

    from core.ui.server.assets import asset_url

    # Once per process: registering at every rerun would resend and rebuild the component each time.
    js = _LOADER % (json.dumps(asset_url("widgets", f"{name}.js").removeprefix("/")), json.dumps(name))
    return st.components.v2.component(f"glassformer_{name}", html=_WAITING % height, js=js, isolate_styles=own_style)


def mount(
    name: str, key: str, message: bytes, *, height: int = 240, own_style: bool = True, **state: None
) -> dict[str, Any]:
    """Send one message and return what the browser committed under each name of `state`.

    Raises:
        ValueError: if the key is one of the frame's but the caller is not the frame.
    """
    refuse_reserved_key(key)
    if not record_sent_message(name, message, own_style):
        return {}
    result = widget_component(name, height, own_style)(
        key=key, data=message, **{f"on_{part}_change": _ignore for part in state}
    )
    return {part: getattr(result, part, None) for part in state}


def _ignore() -> None:
    """Do nothing: a component's state exists only if it has a callback."""


def none_to_nan(value: float | None) -> float:
    """Convert a number for a script; None becomes nan."""
    return math.nan if value is None else float(value)


def to_nested_lists(numbers: ArrayLike) -> Any:
    """Convert numbers to nested lists for JSON; non-finite ones become None."""
    array = np.asarray(numbers, dtype=float)
    plain = array.astype(object)
    plain[~np.isfinite(array)] = None
    return plain.tolist()


def index_or_none(value: object, size: int) -> int | None:
    """Return a position that came from the browser if it is valid, otherwise None."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size else None


def committed_stroke_number(key: str) -> int | None:
    """Return the number of the committed stroke ("drawn") that the next message answers, in the browser's count.

    A script with newer strokes recognizes by it that the answer is old, so that it doesn't undo them.
    """
    import streamlit as st

    held = st.session_state.get(key)
    drawn = held.get("drawn") if isinstance(held, Mapping) else None
    return index_or_none(drawn.get("turn"), _MAX_STROKES) if isinstance(drawn, Mapping) else None
