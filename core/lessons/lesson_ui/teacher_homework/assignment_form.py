"""Assigning homework: a lesson, a deadline, and the signed link that contains both."""

from datetime import datetime, time, timedelta
from urllib.parse import urlencode, urljoin, urlsplit

import streamlit as st

from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.lessons.format import catalog
from core.lessons.homework.assignment import DAYS_AFTER, HOMEWORK_PARAMETER, Assignment, link_code, time_zone_by_name
from core.ui.controls.sharing import current_url_without_query
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

DEFAULT_DAYS = 7  # until the deadline, by default
DEFAULT_HOUR = time(18, 0)


def show_assignment_form() -> None:
    """Draw the three fields, and the link with a button that copies it."""
    lessons, zone = catalog.catalog_lessons(), time_zone_by_name(st.context.timezone)
    now = datetime.now(zone)
    with st.container(border=True, key=page_element_key("homework", "give")):
        st.subheader(LABELS["heading"], anchor=False)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            slug = st.selectbox(LABELS["lesson"], list(lessons), format_func=lambda one: lessons[one].title, width=320)
            day = st.date_input(
                LABELS["day"],
                (now + timedelta(days=DEFAULT_DAYS)).date(),
                min_value=now.date(),
                max_value=(now + timedelta(days=DAYS_AFTER - 1)).date(),
                width=160,
            )
            hour = st.time_input(LABELS["hour"], DEFAULT_HOUR, width=120)
        if slug is None or day is None or hour is None:
            st.caption(LABELS["incomplete"])
            return
        given = Assignment(slug, int(datetime.combine(day, hour, zone).timestamp()))
        try:
            link = {"lesson": slug, "step": 1, HOMEWORK_PARAMETER: link_code(given, now.timestamp())}
        except (ValueError, OSError) as refusal:
            st.error(escape_markdown(refusal), icon=":material/block:")
            return
        address = urljoin(current_url_without_query(), f"lessons?{urlencode(link)}")
    with st.container(border=True, key=page_element_key("homework", "send")):
        st.subheader(LABELS["send"], anchor=False)
        message = pack_message({"link": address, "label": LABELS["copy"]}, {})
        mount("copy_link", page_element_key("homework", "copy"), message, height=40)
        st.code(address, language=None, wrap_lines=True)
        if urlsplit(address).hostname in ("localhost", "127.0.0.1", "::1"):
            st.caption(LABELS["local"])
        st.caption(
            LABELS(
                "about",
                due=escape_markdown(given.due_in_words(st.context.timezone)),
                minutes=lessons[slug].minutes,
            )
        )
