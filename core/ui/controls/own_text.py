"""The user's own text: pasted, uploaded, or Tiny Shakespeare downloaded on request."""

import streamlit as st

from core.data import corpora
from core.data.localization.labels import module_labels
from core.ui import state
from core.ui.controls import controls
from core.ui.frame.element_keys import page_element_key
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.server.identity.visitor import is_own_machine, visitor_address_digest
from core.ui.server.upload_quota import release_upload
from core.ui.text_formatting import escape_markdown
from core.ui.training.text_facts import OWN_KEY, corpus_metadata, corpus_or_task_title

LABELS = module_labels(__name__)

MAX_OWN = 20  # own texts in one session, as many as a list can show
# A pasted text is sent with every message of the page; longer texts are uploaded as a file.
MAX_PASTED = 200_000


def text_choices() -> dict[str, str]:
    """Return all texts to choose from, key -> label: the shared ones and this session's own."""
    linked = OWN_KEY.search(st.query_params.get("corpus", ""))
    if linked is not None and not corpus_metadata(linked[0]).problem:
        _remember(linked[0])
    own: list[str] = state.session_slot("studio.own", list)
    return {key: corpora.corpus_title(key) for key in corpora.names()} | {
        key: f"{corpus_or_task_title(key)} ({key})" for key in own
    }


def own_text_button() -> None:
    """Draw the button “Your text” with its popover, unless a lesson or a link fixes which text is read."""
    if controls.lock_reason("corpus") is None:
        with st.popover(LABELS["your_text"], icon=":material/upload_file:", type="tertiary"):
            _own_text_panel()


def _own_text_panel() -> None:
    """Draw the content of the “Your text” popover."""
    st.markdown(f"**{LABELS['your_text']}**")
    st.caption(LABELS["rules"] if is_own_machine() else LABELS("rules.server", n=corpora.KEPT_DAYS))
    st.file_uploader(
        LABELS["file_field"],
        key=page_element_key("own", f"file-{_round()}"),
        on_change=_take_file,
        max_upload_size=10,
    )
    st.text_area(
        LABELS["paste_field"],
        key=page_element_key("own", f"pasted-{_round()}"),
        height=120,
        max_chars=MAX_PASTED,
        on_change="ignore",
    )
    st.button(LABELS["use_pasted"], key=page_element_key("own", "use"), on_click=_take_pasted)
    _show_outcome()
    if "tiny-shakespeare" not in corpora.names():
        st.divider()
        st.caption(LABELS["shakespeare_note"])
        st.button(LABELS["download_shakespeare"], key=page_element_key("own", "download"), on_click=_ask_for_download)
        if state.session_slot("studio.download", bool):
            state.clear_session_slot("studio.download")
            _download()


def _round() -> int:
    """Return the number of texts accepted so far; the input fields start empty for the next one."""
    return state.session_slot("studio.own_round", int)


def _take_file() -> None:
    upload = st.session_state.get(page_element_key("own", f"file-{_round()}"))
    if upload is not None and _add(str(upload.name), upload.getvalue()):
        release_upload(upload)


def _take_pasted() -> None:
    pasted = st.session_state.get(page_element_key("own", f"pasted-{_round()}"))
    _add(LABELS["pasted_text"], pasted if isinstance(pasted, str) else "")


def _add(name: str, data: bytes | str) -> bool:
    """Accept a text or show why not; return whether it was accepted, which empties the fields."""
    try:
        learner, mark = ("", "") if is_own_machine() else (owner_id(), visitor_address_digest())
        key = corpora.store_user_text(name, data, learner, mark)
    except corpora.CorpusRefused as refusal:
        state.set_session_slot("studio.own_said", ("refused", str(refusal)))
        return False
    _remember(key)
    controls.set_control_silently("corpus", key)
    state.set_session_slot("studio.own_round", _round() + 1)
    facts = corpus_metadata(key)
    said = LABELS("is_chosen", title=facts.title, n=facts.n_character)
    state.set_session_slot("studio.own_said", ("taken", said))
    return True


def _remember(key: str) -> None:
    own: list[str] = state.session_slot("studio.own", list)
    if key not in own:
        own.append(key)
        del own[:-MAX_OWN]


def _ask_for_download() -> None:
    state.set_session_slot("studio.download", True)


def _download() -> None:
    with st.spinner(LABELS["fetching"]):
        try:
            corpora.download_tiny_shakespeare()
        except corpora.CorpusRefused as refusal:
            state.set_session_slot("studio.own_said", ("refused", str(refusal)))
            _show_outcome()
            return
    state.set_session_slot("studio.own_said", ("taken", LABELS["shakespeare_ready"]))
    st.rerun()


def _show_outcome() -> None:
    kind, said = state.session_slot("studio.own_said", lambda: ("", ""))
    state.clear_session_slot("studio.own_said")
    if kind == "taken":
        st.success(escape_markdown(said), icon=":material/check:")
    elif kind == "refused":
        st.error(escape_markdown(said), icon=":material/block:")
