"""What a visitor's browser remembers: written without a second run, back with the next load, and nothing to see."""

from collections.abc import Callable
from typing import Any

from tests.browser.rooms import READY, until

PAGE = """
import streamlit as st
from core.ui.frame import layout
from core.ui.controls import browser_storage

layout.apply_brand()
runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
with browser_storage.sync_browser_storage():
    st.text(f"run {runs}, remembered {browser_storage.load_from_browser('word')!r}")
    kept = "a;b=ü c%".encode("ascii", "backslashreplace").decode()
    st.button("Keep", on_click=browser_storage.store_in_browser, args=("word", kept))
    st.button("Forget", on_click=browser_storage.store_in_browser, args=("word", ""))
    st.text("the end")
"""


def test_a_kept_value_survives_a_reload_and_can_be_forgotten(url_of_page: str, open_page: Callable[..., Any]) -> None:
    page = open_page(url_of_page)
    page.get_by_text("run 1, remembered None").wait_for()
    page.get_by_role("button", name="Keep").click()
    said = "a;b=\\\\xfc c%"
    page.get_by_text(f"run 2, remembered '{said}'").wait_for()
    until(page, "document.cookie.includes('gf_word=a%3Bb')")
    page.wait_for_timeout(500)
    assert page.get_by_text("run 2, remembered").count() == 1  # writing it asked for no further run
    below = "document.querySelector('[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]')"
    until(page, f"{below}.lastElementChild.getBoundingClientRect().height === 0")

    page.reload()
    page.wait_for_selector(READY)
    page.get_by_text(f"run 1, remembered '{said}'").wait_for()
    page.get_by_role("button", name="Forget").click()
    page.get_by_text("run 2, remembered None").wait_for()
    until(page, "!document.cookie.includes('gf_word')")
