"""The layout of a page: header, prose at a readable width, cards that link to other rooms."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from core.ui import state
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

BRAND = Path(__file__).resolve().parents[3] / "assets" / "brand"
FAVICON = str(BRAND / "favicon.png")
SHEETS = ("tokens", "frame", "exhibit", "parts", "choices", "phone", "presenter")
# About 72 letters a line at the base size; longer lines are hard to read.
PROSE_WIDTH = 720
_PAGE, _IS_SAME = "layout.page", "layout.is_same"


def page_header(title: str, goal: str) -> None:
    """Draw the page's heading and, next to it, one sentence on what a visitor will see or do here.

    Args:
        title: In sentence case.
        goal: Markdown, one sentence of at most about 70 letters.
    """
    with st.container(key=page_element_key("page-header")):
        st.title(escape_markdown(title), anchor=False)
        st.markdown(goal)


def show_prose(markdown: str) -> None:
    """Show a paragraph or two of the author's own text. Escape other people's text with `escape_markdown` first."""
    st.markdown(markdown, width=PROSE_WIDTH)


def show_section_heading(title: str, text: str = "") -> None:
    """Draw a heading inside a page, with a sentence or two below it."""
    st.header(escape_markdown(title))
    if text:
        show_prose(text)


def room_card(page: str | StreamlitPage, title: str, sentence: str, picture: str | Path | None = None) -> None:
    """Draw a card that links to a page: picture, name, one sentence.

    Args:
        page: The page's file, as in the navigation table ("pages/train/studio.py").
        picture: An image file or address; it is decoration, so the name and sentence must do without it.
    """
    with st.container(border=True, key=page_element_key("room", _slug(title)), height="stretch"):
        if picture is not None:
            st.image(picture, alt="")
        st.page_link(
            page, label=f"**{escape_markdown(title)}**", icon=":material/arrow_forward:", icon_position="right"
        )
        st.caption(sentence)


def two_columns(key: str, *, alike: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return two containers, side by side if there is room for both pictures, otherwise one below the other.

    Streamlit's columns shrink next to the sidebar until they are unreadable; these wrap (style.css).

    Args:
        alike: whether both hold the same kind of picture for comparison; then they wrap only on a phone.
    """
    with st.container(key=page_element_key("alike" if alike else "pair", key)):
        return st.container(), st.container()


def hidden_on_slides(name: str, **how: Any) -> DeltaGenerator:
    """Return a container that presenter mode hides, so that the rest is readable; `how` is passed to Streamlit."""
    return st.container(key=page_element_key("off-slide", name), **how)


def wide_table(name: str) -> DeltaGenerator:
    """Return a container in which a table scrolls if it is too wide for a phone or too long for a slide."""
    return st.container(key=page_element_key("wide-table", name))


def color_mode() -> Literal["light", "dark"]:
    """Return whether the visitor's page is light or dark, for the colors of charts and pictures."""
    return "dark" if st.context.theme.type == "dark" else "light"


def draw_sidebar_navigation(sections: Mapping[str, Sequence[StreamlitPage]]) -> StreamlitPage:
    """Draw links to all pages into the sidebar, with the current section unfolded; return the requested page.

    Streamlit's own sidebar puts headings into a list, which confuses screen readers (axe: listitem), so only its router
    is used, and the links are ours.

    Args:
        sections: heading -> pages; the heading "" is not shown.
    """
    page = st.navigation([page for pages in sections.values() for page in pages], position="hidden")
    state.set_session_slot(_IS_SAME, state.session_slot(_PAGE, lambda: None) == page.url_path)
    state.set_session_slot(_PAGE, page.url_path)
    with st.sidebar, st.container(key=page_element_key("navigation"), gap="xxsmall"):
        for heading, pages in sections.items():
            is_open = not heading or page in pages
            with (
                st.expander(heading, is_open, key=page_element_key("section", f"{_slug(heading)}-{is_open}"))
                if heading
                else nullcontext()
            ):
                for one in pages:
                    # A link to the current room would lose the state that only the address holds.
                    with st.container(key=page_element_key("here")) if one is page else nullcontext():
                        st.page_link(one, disabled=one is page and "lesson" not in st.query_params)
    return page


def resume_lesson_slot() -> DeltaGenerator:
    """Return the sidebar's container for the link back to a started lesson; call it before the navigation."""
    return st.sidebar.container(key=page_element_key("go-on"))


def is_rerun_of_same_page() -> bool:
    """Return whether the previous run was of this page, too. False for the first run."""
    return state.session_slot(_IS_SAME, bool)


def apply_brand() -> None:
    """Draw the logo in the colors of the visitor's theme, and apply the style rules that the theme cannot express."""
    mode = color_mode()
    st.logo(str(BRAND / f"logo-{mode}.svg"), size="large", icon_image=str(BRAND / f"mark-{mode}.svg"))
    # It is long enough that Streamlit sends it to a browser only once.
    apply_styles(*SHEETS, *(() if depth.depth_at_least("numbers") else ("story",)))


def apply_styles(*sheets: str) -> None:
    """Apply style sheets to the page itself, from here on; a widget's own style is in its script."""
    st.html(f"<style>{_joined(sheets)}</style>")


@cache
def _joined(sheets: tuple[str, ...]) -> str:
    return "\n".join((BRAND / f"{name}.css").read_text(encoding="utf-8") for name in sheets)


def _slug(title: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
