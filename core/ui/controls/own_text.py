"""The user's own text: pasted, uploaded, or Tiny Shakespeare downloaded on request."""

import streamlit as st

from core.data import corpora
from core.ui import state
from core.ui.controls import controls
from core.ui.frame.element_keys import frame_key
from core.ui.server.identity.owner import owner_id
from core.ui.server.identity.visitor import is_own_machine, sender_mark
from core.ui.server.upload_quota import release
from core.ui.text import escape_markdown
from core.ui.training.text_facts import OWN_KEY, text_facts, title_of

MAX_OWN = 20  # own texts in one session, as many as a list can show
# A pasted text is sent with every message of the page; longer texts are uploaded as a file.
MAX_PASTED = 200_000


def offered() -> dict[str, str]:
    """Return all texts to choose from, key -> label: the shared ones and this session's own."""
    linked = OWN_KEY.search(st.query_params.get("corpus", ""))
    if linked is not None and not text_facts(linked[0]).problem:
        _remember(linked[0])
    own: list[str] = state.slot("studio.own", list)
    return {key: corpora.title(key) for key in corpora.names()} | {key: f"{title_of(key)} ({key})" for key in own}


def offer() -> None:
    """Draw the button “Your text” with its popover, unless a lesson or a link fixes which text is read."""
    if controls.why_fixed("corpus") is None:
        with st.popover("Your text", icon=":material/upload_file:", type="tertiary"):
            panel()


def panel() -> None:
    """Draw the content of the “Your text” popover."""
    st.markdown("**Your text**")
    kept = "" if is_own_machine() else f" until nobody has used it for {corpora.KEPT_DAYS} days"
    st.caption(
        f"A few pages or a whole book, up to 10 MB. It stays on this machine{kept}. "
        "Only use texts you have the right to use: a model can repeat what it has read."
    )
    st.file_uploader(
        "A plain text file, in any common encoding",
        key=frame_key("own", f"file-{_round()}"),
        on_change=_take_file,
        max_upload_size=10,
    )
    st.text_area(
        "Or paste a text here",
        key=frame_key("own", f"pasted-{_round()}"),
        height=120,
        max_chars=MAX_PASTED,
        on_change="ignore",
    )
    st.button("Use the pasted text", key=frame_key("own", "use"), on_click=_take_pasted)
    _tell()
    if "tiny-shakespeare" not in corpora.names():
        st.divider()
        st.caption("A classic: 40,000 lines of Shakespeare, fetched from the internet (github.com).")
        st.button("Download Tiny Shakespeare (1.1 MB)", key=frame_key("own", "download"), on_click=_ask_for_download)
        if state.slot("studio.download", bool):
            state.forget("studio.download")
            _download()


def _round() -> int:
    """Return the number of texts accepted so far; the input fields start empty for the next one."""
    return state.slot("studio.own_round", int)


def _take_file() -> None:
    upload = st.session_state.get(frame_key("own", f"file-{_round()}"))
    if upload is not None and _add(str(upload.name), upload.getvalue()):
        release(upload)


def _take_pasted() -> None:
    pasted = st.session_state.get(frame_key("own", f"pasted-{_round()}"))
    _add("Pasted text", pasted if isinstance(pasted, str) else "")


def _add(name: str, data: bytes | str) -> bool:
    """Accept a text or show why not; return whether it was accepted, which empties the fields."""
    try:
        learner, mark = ("", "") if is_own_machine() else (owner_id(), sender_mark())
        key = corpora.add_own(name, data, learner, mark)
    except corpora.CorpusRefused as refusal:
        state.put("studio.own_said", ("refused", str(refusal)))
        return False
    _remember(key)
    controls.reset("corpus", key)
    state.put("studio.own_round", _round() + 1)
    facts = text_facts(key)
    said = f"“{facts.title}” is chosen: {facts.n_character:,} characters."
    state.put("studio.own_said", ("taken", said))
    return True


def _remember(key: str) -> None:
    own: list[str] = state.slot("studio.own", list)
    if key not in own:
        own.append(key)
        del own[:-MAX_OWN]


def _ask_for_download() -> None:
    state.put("studio.download", True)


def _download() -> None:
    with st.spinner("Fetching it, for ten seconds at most …"):
        try:
            corpora.download_tiny_shakespeare()
        except corpora.CorpusRefused as refusal:
            state.put("studio.own_said", ("refused", str(refusal)))
            _tell()
            return
    state.put("studio.own_said", ("taken", "Tiny Shakespeare is here now: choose it from the list of texts."))
    st.rerun()


def _tell() -> None:
    kind, said = state.slot("studio.own_said", lambda: ("", ""))
    state.forget("studio.own_said")
    if kind == "taken":
        st.success(escape_markdown(said), icon=":material/check:")
    elif kind == "refused":
        st.error(escape_markdown(said), icon=":material/block:")
