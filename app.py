"""Glassformer: `streamlit run app.py`. The server imports this file; Streamlit runs it for every interaction."""

import streamlit as st

if __name__ == "__main__":
    from core.rooms import SECTIONS, rooms
    from core.ui.frame import layout, page
    from core.ui.server.script_lock import script_lock

    with script_lock():
        st.set_page_config(page_title="Glassformer", page_icon=layout.FAVICON, layout="wide", initial_sidebar_state=240)
        layout.brand()
        page.tools()
        going_on = layout.going_on()
        here = layout.navigate(
            {
                title: [
                    st.Page(room.page, title=room.title, icon=room.icon, default=section == "home")
                    for room in rooms()
                    if room.section == section
                ]
                for section, title in SECTIONS.items()
            }
        )
        with page.around(here.url_path):
            here.run()
            from core.lessons.page import cards  # they need torch, and the page's title is already drawn
            from core.lessons.rooms import onward

            onward(here.url_path)
            cards.go_on(here.url_path, going_on)
            page.terms()
else:
    from core.classroom import registry, web
    from core.rooms import first_words
    from core.ui.server.server import options

    app = st.App(__file__, **options(web.routes(), registry.tidy, first_words))
