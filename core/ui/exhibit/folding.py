"""Exhibits that are folded to one line, title and look-for, until opened. The address names the open ones.

`?open=rollout,set-a-row`; `?open=all` opens all exhibits of a page, as paper needs them.
"""

import streamlit as st

from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.ui.controls import page_restoration
from core.ui.frame.element_keys import page_element_key
from core.ui.frame.layout import hidden_on_slides
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

PARAMETER, ALL = "open", "all"


def is_unfolded(inputs: type[Inputs], name: str) -> bool:
    """Return whether the address names this exhibit or one of its controls."""
    above = inputs.shared_inputs()
    shared = {field for field, _ in above.controls()} if above is not None else set()
    own = {control.name for field, control in inputs.controls() if field not in shared}
    return bool({name, ALL} & {*_asked()} or own & {*st.query_params})


def unfold_button(title: str, name: str) -> None:
    """Draw the button that opens the exhibit."""
    with st.container(key=page_element_key("pane", name)):
        st.button(
            LABELS["open"],
            key=page_element_key("open", name),
            icon=":material/expand_more:",
            help=LABELS("open.help", title=escape_markdown(title)),
            type="tertiary",
            on_click=_open,
            args=(name,),
        )


def unfold_all_button() -> None:
    """Draw the button that opens all exhibits of the page, unless they are open."""
    if ALL not in _asked():
        with hidden_on_slides("folded", horizontal_alignment="right"):
            st.button(LABELS["open_all"], icon=":material/expand_more:", type="tertiary", on_click=_open, args=(ALL,))


def _asked() -> list[str]:
    return [one for one in st.query_params.get(PARAMETER, "").split(",") if one]


def _open(name: str) -> None:
    st.query_params[PARAMETER] = ",".join([*_asked(), name])
    page_restoration.record_address_parameter(PARAMETER, st.query_params[PARAMETER])
