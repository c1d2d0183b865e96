"""Links to the current view: a plain one, and one for others with a note and with controls locked or hidden.

Everything is in the address: `?temperature=0.5&lock=temperature&hide=seed&note=…`. Anyone who opens it gets these
values, including those of hidden controls. A link protects nothing, because an address can be edited.
"""

import io
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

import segno
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.data.localization.labels import module_labels
from core.ui import state
from core.ui.controls import browser_side_controls, drawn_controls
from core.ui.controls.controls import parse_control_names_parameter
from core.ui.controls.drawn_controls import ControlState, PageExhibit
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key
from core.ui.server import short_links
from core.ui.server.identity.visitor import visitor_address_digest
from core.ui.text_formatting import clean_text, escape_markdown, quote_briefly

LABELS = module_labels(__name__)

NOTE_CHARS = 300  # a few sentences; the address contains the whole note
LONG_ADDRESS = 2_000  # characters, above which some chat programs, mail programs and servers cut an address
_Freedom = Literal["free", "locked", "hidden"]
FREEDOMS: Mapping[_Freedom, str] = LABELS.options("freedom", "free", "locked", "hidden")
ONLY, TRAIN = "only", "train"  # the parameter for a single exhibit; the name that hides the training buttons
_OURS = ("lock", "hide", "note", ONLY, depth.PARAMETER)
_ALL: Mapping[_Freedom, str] = LABELS.options("all", "hidden", "locked", "free")
_MAX_NAMED = 10  # controls that are named individually
_KEY = "share."
_WANTED = "sharing.wanted"


def current_page_url() -> str:
    """Return the address of this page as the browser shows it."""
    return _address((name, value) for name in st.query_params for value in st.query_params.get_all(name))


def _whole_link(
    freedoms: Mapping[str, _Freedom],
    *,
    note: str = "",
    shown_depth: str | None = None,
    only: str = "",
    trains: bool = True,
) -> str:
    """Return the address of this page with every control written out, including those at their defaults.

    Args:
        freedoms: a control's name in the address -> what the recipient may do; controls that are not named are free.
        note: shown above the page.
        shown_depth: the depth at which the page opens; None: the recipient's own.
        only: the exhibit to show alone; "" for all.
        trains: whether training buttons are shown.
    """
    controls = drawn_controls.page_controls_by_name()
    pairs = [
        (name, value)
        for name in st.query_params
        if name not in controls and name not in _OURS
        for value in st.query_params.get_all(name)
    ]
    pairs += [(name, value) for name, control in controls.items() for value in control.address_values]
    for parameter, freedom in (("lock", "locked"), ("hide", "hidden")):
        named = [name for name, one in freedoms.items() if one == freedom and name in controls]
        if freedom == "hidden" and not trains:
            named.append(TRAIN)
        if named:
            pairs.append((parameter, ",".join(named)))
    if shown_depth is not None:
        pairs.append((depth.PARAMETER, shown_depth))
    if only:
        pairs.append((ONLY, only))
    if note:
        pairs.append(("note", note))
    return _address(pairs)


def current_url_without_query() -> str:
    """Return the address of this page without parameters.

    If another page's name is the end of this one's, as "decoder" is of "encoder_decoder", Streamlit leaves the
    beginning of the name in the path; it is removed here.
    """
    base, _, page = (st.context.url or "").rpartition("/")
    head, _, last = base.rpartition("/")
    context = get_script_run_ctx()
    pages = context.pages_manager.get_pages().values() if context is not None else ()
    is_left = any(page == f"{last}{one.get('url_pathname')}" for one in pages if last and one.get("url_pathname"))
    return f"{head}/{page}" if is_left else f"{base}/{page}"


def _address(pairs: Iterable[tuple[str, str]]) -> str:
    parts = urlsplit(current_url_without_query())
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(list(pairs), safe=",", errors="replace"), ""))


def _show_note() -> None:
    """Show the note of a link above the page that it opens, until the note is closed."""
    note = st.query_params.get("note", "")
    text = clean_text(note[: 4 * NOTE_CHARS], NOTE_CHARS).text.strip()
    if not text:
        return
    with st.container(key=page_element_key("shared-note"), horizontal=True, vertical_alignment="center"):
        st.info(LABELS("link_note", note=escape_markdown(text)), icon=":material/sticky_note_2:")
        st.button(
            LABELS["close_note"],
            key=page_element_key("shared-note", "close"),
            icon=":material/close:",
            on_click=_forget_note,
        )


def _forget_note() -> None:
    st.query_params.pop("note", None)


def share_button() -> None:
    """Draw the Share button."""
    st.button(
        LABELS["share"],
        key=page_element_key("share", "page"),
        help=LABELS["share.help"],
        on_click=lambda: state.set_session_slot(_WANTED, True),
    )


@contextmanager
def page_with_share_dialog() -> Iterator[None]:
    """Draw a page inside, with the link's note above it and the dialog at its end, when all controls are known."""
    _show_note()
    yield
    if state.session_slot(_WANTED, bool):
        state.clear_session_slot(_WANTED)
        _share_dialog()


def share_dialog_button(key: str, label: str) -> None:
    """Draw a button that opens the dialog."""
    if st.button(label, key=key, icon=":material/share:"):
        _share_dialog()


@st.dialog(LABELS["dialog"], width="medium")
def _share_dialog() -> None:
    """Draw the dialog that makes a link for others: a note, and what they may do with each control."""
    browser_side_controls.apply_browser_choices("share")
    browser_side_controls.subscribe_to_choices(browser_side_controls.choice_address_names(), "share")
    exhibits = drawn_controls.page_exhibits()
    st.markdown(LABELS["dialog.note"])
    only = _render_scope(exhibits)
    shown = [exhibits[only]] if only else [*exhibits.values()]
    controls = {
        name: one
        for name, one in drawn_controls.page_controls_by_name().items()
        if not only or one.exhibit_title in ("", exhibits[only].title)
    }
    trains = not any(one.trains for one in shown) or st.toggle(LABELS["with_training"], True, key=f"{_KEY}train")
    note = st.text_input(
        LABELS["note_field"],
        key=f"{_KEY}note",
        max_chars=NOTE_CHARS,
        placeholder=LABELS["note_field.example"],
    )
    shown_depth = depth.content_depth()
    is_deep = st.toggle(
        LABELS.options("open_at")[shown_depth],
        key=f"{_KEY}depth",
        help=LABELS["open_at.help"],
    )
    result = st.container()
    freedoms = _render_freedoms(_mine(controls))
    link = _whole_link(
        freedoms,
        note=clean_text(note, NOTE_CHARS).text,
        shown_depth=shown_depth if is_deep else None,
        only=only,
        trains=trains,
    )
    with result:
        _show_link(link)
        st.markdown(_link_in_words(controls, freedoms))


def _render_scope(exhibits: Mapping[str, PageExhibit]) -> str:
    """Ask for the whole page or one exhibit; return the exhibit's name, "" for the whole page."""
    if len(exhibits) < 2:
        return ""
    chosen = st.selectbox(
        LABELS["scope"],
        ["", *exhibits],
        format_func=lambda name: LABELS("scope.exhibit", title=exhibits[name].title) if name else LABELS["scope.page"],
        key=f"{_KEY}only",
    )
    return chosen if chosen in exhibits else ""


def _show_link(link: str) -> None:
    """Show the link, and on request a short link with its QR code."""
    st.code(link, language=None, wrap_lines=True)
    if st.toggle(LABELS["short_link"], key=f"{_KEY}short"):
        parts = urlsplit(link)
        try:
            name = short_links.create_short_link(
                f"{parts.path.rpartition('/')[2]}?{parts.query}", visitor_address_digest()
            )
        except (short_links.ShortLinkRefused, OSError) as refused:
            st.warning(LABELS("short_link.refused", reason=escape_markdown(refused)), icon=":material/straighten:")
            return
        short = urlunsplit((parts.scheme, parts.netloc, f"{parts.path.rpartition('/')[0]}/s/{name}", "", ""))
        st.code(short, language=None)
        st.caption(LABELS["short_link.kept"])
        drawn = io.BytesIO()
        segno.make(short, micro=False).save(drawn, kind="svg", scale=6, dark="#07121b", light="#ffffff")
        st.image(drawn.getvalue().decode(), alt=LABELS["short_link.code"], width=220)
        if parts.hostname in ("localhost", "127.0.0.1", "::1"):
            st.caption(LABELS["short_link.local"])
    elif len(link) > LONG_ADDRESS:
        st.warning(
            LABELS("long_address", n=len(link), most=LONG_ADDRESS),
            icon=":material/straighten:",
        )


def _mine(controls: Mapping[str, ControlState]) -> dict[str, ControlState]:
    """Return the controls that a link can free, lock or hide: all that the page itself has not fixed."""
    by_link = parse_control_names_parameter("lock") | parse_control_names_parameter("hide")
    return {
        name: one for name, one in controls.items() if not one.is_fixed or by_link & {name, name.rpartition(".")[2]}
    }


def _render_freedoms(controls: Mapping[str, ControlState]) -> dict[str, _Freedom]:
    """Draw one row for each control (its label, its value, what others may do with it) and return the freedoms."""
    if not controls:
        st.caption(LABELS["no_controls"])
        return {}
    st.markdown(LABELS["freedoms"])
    with st.container(horizontal=True):
        for freedom, label in _ALL.items():
            st.button(label, key=f"{_KEY}all.{freedom}", on_click=_set_all, args=(list(controls), freedom))
    st.caption(LABELS["freedoms.note"])
    freedoms: dict[str, _Freedom] = {}
    place = None
    for name, one in controls.items():
        if one.exhibit_title != place:
            place = one.exhibit_title
            st.caption(escape_markdown(place) or LABELS["whole_page"])
        freedoms[name] = _render_freedom(name, one)
    return freedoms


def _set_all(names: list[str], freedom: _Freedom) -> None:
    for name in names:
        st.session_state[_KEY + name] = freedom


def _render_freedom(name: str, one: ControlState) -> _Freedom:
    both = {name, name.rpartition(".")[2]}
    hidden, locked = (bool(parse_control_names_parameter(parameter) & both) for parameter in ("hide", "lock"))
    key = _KEY + name
    if st.session_state.get(key) not in FREEDOMS:
        st.session_state[key] = "hidden" if hidden else "locked" if locked else "free"
    with st.container(horizontal=True, vertical_alignment="center", key=f"{_KEY}row.{name}".replace(".", "-")):
        st.markdown(
            LABELS("value", label=escape_markdown(one.label), value=escape_markdown(_briefly(one))), width="stretch"
        )
        chosen = st.segmented_control(
            LABELS("freedom_of", label=escape_markdown(one.label)),
            list(FREEDOMS),
            required=True,
            format_func=FREEDOMS.__getitem__,
            key=key,
            label_visibility="collapsed",
        )
    return chosen or "free"


def _link_in_words(controls: Mapping[str, ControlState], freedoms: Mapping[str, _Freedom]) -> str:
    """Describe in Markdown what the link does."""
    told = []
    for freedom in ("locked", "hidden"):
        named = [controls[name] for name, chosen in freedoms.items() if chosen == freedom and name in controls]
        said = [
            LABELS("value_in_list", label=escape_markdown(one.label), value=escape_markdown(_briefly(one)))
            for one in named[:_MAX_NAMED]
        ]
        if len(named) > _MAX_NAMED:
            said.append(LABELS("more", n=len(named) - _MAX_NAMED))
        if said:
            told.append(LABELS("locked" if freedom == "locked" else "hidden", controls=", ".join(said)))
    n_free = sum(freedom == "free" for freedom in freedoms.values())
    if n_free:
        told.append(LABELS("n_free", n=n_free))
    elif freedoms:
        told.append(LABELS["none_free"])
    return " ".join(told)


def _briefly(one: ControlState) -> str:
    if one.address_values in ((), ("",)):
        return LABELS["no_value"]
    return (
        quote_briefly(", ".join(one.address_values), 40)
        if isinstance(one.value, str)
        else ", ".join(one.address_values)[:40]
    )
