"""Advanced exhibits, folded to their heading until somebody opens them. The address names the open ones.

`?open=rollout,set-a-row`; `?open=all` opens all exhibits of a page.
"""

import streamlit as st

from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.ui.controls import page_restoration
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

PARAMETER, ALL = "open", "all"


def is_unfolded(inputs: type[Inputs], name: str) -> bool:
    """Return whether the address names this exhibit or one of its controls."""
    asked, above = st.query_params.get(PARAMETER, "").split(","), inputs.shared_inputs()
    shared = {field for field, _ in above.controls()} if above is not None else set()
    own = {control.name for field, control in inputs.controls() if field not in shared}
    return bool({name, ALL} & {*asked} or own & {*st.query_params})


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


def _open(name: str) -> None:
    asked = [one for one in st.query_params.get(PARAMETER, "").split(",") if one]
    st.query_params[PARAMETER] = ",".join([*asked, name])
    page_restoration.record_address_parameter(PARAMETER, st.query_params[PARAMETER])
