"""The shape of a page: header, prose at a readable width, cards that lead to other rooms."""

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
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown

BRAND = Path(__file__).resolve().parents[3] / "assets" / "brand"
FAVICON = str(BRAND / "favicon.png")
SHEETS = ("tokens", "frame", "exhibit", "parts", "choices", "phone", "presenter")
# About 72 letters a line at the base size; longer lines are hard to read back from.
PROSE_WIDTH = 720
_PAGE, _IS_SAME = "layout.page", "layout.is_same"


def page_header(title: str, goal: str) -> None:
    """The page's heading and, beside it, one sentence: what a visitor will see or do here.

    Args:
        title: In sentence case.
        goal: Markdown, one sentence of at most some 70 letters.
    """
    with st.container(key=frame_key("page-header")):
        st.title(escape_markdown(title), anchor=False)
        st.markdown(goal)


def prose(markdown: str) -> None:
    """A paragraph or two of the author's own text. Text from people goes through `escape_markdown` first."""
    st.markdown(markdown, width=PROSE_WIDTH)


def section(title: str, text: str = "") -> None:
    """A heading inside a page, with a sentence or two under it."""
    st.header(escape_markdown(title))
    if text:
        prose(text)


def room_card(page: str | StreamlitPage, title: str, sentence: str, picture: str | Path | None = None) -> None:
    """A card that leads to a page: picture, name, one sentence.

    Args:
        page: The page's file, as in the navigation table ("pages/train/studio.py").
        picture: An image file or address; it is decoration, so the name and sentence must do without it.
    """
    with st.container(border=True, key=frame_key("room", _slug(title)), height="stretch"):
        if picture is not None:
            st.image(picture, alt="")
        st.page_link(
            page, label=f"**{escape_markdown(title)}**", icon=":material/arrow_forward:", icon_position="right"
        )
        st.caption(sentence)


def pair(key: str, *, alike: bool = False) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Two places side by side where there is room for both pictures, else one below the other.

    Columns of Streamlit shrink beside the sidebar until nothing in them can be read; these wrap (style.css).

    Args:
        alike: whether both hold the same kind of picture, to be compared: then they wrap on a phone only.
    """
    with st.container(key=frame_key("alike" if alike else "pair", key)):
        return st.container(), st.container()


def off_slide(name: str, **how: Any) -> DeltaGenerator:
    """A place for what presenter mode leaves out, so that the rest can be read; `how` is handed to Streamlit."""
    return st.container(key=frame_key("off-slide", name), **how)


def wide_table(name: str) -> DeltaGenerator:
    """A place for a table that moves inside it, where it is too wide for a phone or too long for a slide."""
    return st.container(key=frame_key("wide-table", name))


def color_mode() -> Literal["light", "dark"]:
    """Whether the visitor's page is light or dark, for the colors of charts and pictures."""
    return "dark" if st.context.theme.type == "dark" else "light"


def navigate(sections: Mapping[str, Sequence[StreamlitPage]]) -> StreamlitPage:
    """Draw the way to every page into the sidebar, the section where one is unfolded; the page that was asked for.

    Streamlit's own sidebar puts headings into a list, which a screen reader stumbles over (axe: listitem); so only its
    router is used, and the links are ours.

    Args:
        sections: heading -> pages; the heading "" is not shown.
    """
    page = st.navigation([page for pages in sections.values() for page in pages], position="hidden")
    state.put(_IS_SAME, state.slot(_PAGE, lambda: None) == page.url_path)
    state.put(_PAGE, page.url_path)
    with st.sidebar, st.container(key=frame_key("navigation"), gap="xxsmall"):
        for heading, pages in sections.items():
            is_open = not heading or page in pages
            with (
                st.expander(heading, is_open, key=frame_key("section", f"{_slug(heading)}-{is_open}"))
                if heading
                else nullcontext()
            ):
                for one in pages:
                    # A link to the room that one is in would forget what only the address holds, and leave it there.
                    with st.container(key=frame_key("here")) if one is page else nullcontext():
                        st.page_link(one, disabled=one is page and "lesson" not in st.query_params)
    return page


def going_on() -> DeltaGenerator:
    """The place in the sidebar for the way back to a lesson that was begun. Before `navigate`, so that it is on top."""
    return st.sidebar.container(key=frame_key("go-on"))


def is_same_page() -> bool:
    """Whether the run before this one, too, was of this page. False for the first."""
    return state.slot(_IS_SAME, bool)


def brand() -> None:
    """The logo, in the colors of the visitor's theme, and the few rules that the theme has no setting for."""
    mode = color_mode()
    st.logo(str(BRAND / f"logo-{mode}.svg"), size="large", icon_image=str(BRAND / f"mark-{mode}.svg"))
    # Long enough for Streamlit to send it to a browser only once.
    style(*SHEETS, *(() if depth.at_least("numbers") else ("story",)))


def style(*sheets: str) -> None:
    """Style sheets of the page itself, from here on; a widget's own is in its script."""
    st.html(f"<style>{_joined(sheets)}</style>")


@cache
def _joined(sheets: tuple[str, ...]) -> str:
    return "\n".join((BRAND / f"{name}.css").read_text(encoding="utf-8") for name in sheets)


def _slug(title: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in title.lower()).split())
