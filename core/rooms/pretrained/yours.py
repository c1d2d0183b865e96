"""What the learner has opened: a list, and the way to remove each."""

import streamlit as st

from core.rooms.pretrained import open_forms
from core.ui.controls import controls
from core.ui.models.model_files import megabytes
from core.ui.models.model_folders import DEFAULT, id_in, opened_models
from core.ui.models.user_models import NotOpened, Opened
from core.ui.server.owner import owner_id
from core.ui.text import escape_markdown


def yours() -> None:
    """The learner's opened models, each with its size and the way to remove it."""
    mine = opened_models().of(owner_id())
    if not mine:
        return
    st.markdown("**What you've opened**")
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    by_id = {one.id: one for one in mine}
    with left:
        chosen = st.selectbox(
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
        what = (
            "The folder itself stays where it is; only this list forgets it."
            if one.origin == "folder"
            else "Its files are deleted from this machine, and links to it stop working."
        )
        st.markdown(f"Remove **{escape_markdown(one.name)}**? {what}")
        if st.button("Remove it", type="primary", key="opened-remove"):
            _remove(one.id)
            st.rerun()  # the whole page: the model is in the list below as well


def _remove(id: str) -> None:
    try:
        opened_models().remove(id, owner_id())
    except (NotOpened, OSError):
        open_forms.refused("It couldn't be removed: it may be gone already.")
        return
    open_forms.say("taken", "Removed.")
    if id_in(str(st.session_state.get("model", ""))) == id:
        controls.reset("model", DEFAULT)


def _label(one: Opened) -> str:
    where = {"upload": "uploaded", "folder": "a folder of this machine", "hub": "downloaded"}[one.origin]
    size = f", {megabytes(one.n_byte)}" if one.n_byte else ""
    return f"{one.name} ({where}{size})"
