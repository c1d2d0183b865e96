"""What the learner has opened: a list, and the way to remove each."""

import streamlit as st

from core import ui
from core.rooms.pretrained import open_forms
from core.ui.controls import controls
from core.ui.models.model_files import megabytes
from core.ui.models.model_folders import DEFAULT, id_in, opened_models
from core.ui.models.user_models import NotOpened, Opened
from core.ui.server.owner import owner_id


def yours() -> None:
    """The learner's opened models, each with its size and the way to remove it."""
    mine = opened_models().of(owner_id())
    if not mine:
        return
    st.markdown("**What you've opened**")
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    by_id = {one.id: one for one in mine}
    chosen = left.selectbox(
        "Yours",
        list(by_id),
        format_func=lambda id: _label(by_id[id]) if id in by_id else str(id),
        key="opened-mine",
        label_visibility="collapsed",
    )
    one = by_id.get(str(chosen))
    if one is None:
        return
    # One for each model: it closes with the model, or a second click would remove the next one.
    with right, st.popover("Remove …", icon=":material/delete:", key=f"opened-remove-{one.id}"):
        ui.say("remove", name=one.name, origin=one.origin)
        if st.button("Remove it", type="primary", key="opened-remove"):
            _remove(one.id)
            st.rerun()  # the whole page: the model is in the list below as well


def _remove(id: str) -> None:
    try:
        opened_models().remove(id, owner_id())
    except (NotOpened, OSError):
        open_forms.say("refused", "It couldn't be removed: it may be gone already.")
        return
    open_forms.say("taken", "Removed.")
    if id_in(str(st.session_state.get("model", ""))) == id:
        controls.reset("model", DEFAULT)


def _label(one: Opened) -> str:
    where = {"upload": "uploaded", "folder": "a folder of this machine", "hub": "downloaded"}[one.origin]
    size = f", {megabytes(one.n_byte)}" if one.n_byte else ""
    return f"{one.name} ({where}{size})"
