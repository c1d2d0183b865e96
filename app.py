"""Glassformer: `streamlit run app.py`. The server imports this file; Streamlit runs it for every interaction."""

import streamlit as st

if __name__ == "__main__":
    from core.rooms import SECTIONS, rooms
    from core.ui.frame import layout, page
    from core.ui.server.global_script_lock import script_lock

    with script_lock():
        st.set_page_config(page_title="Glassformer", page_icon=layout.FAVICON, layout="wide", initial_sidebar_state=240)
        layout.apply_brand()
        page.page_tools()
        going_on = layout.resume_lesson_slot()
        here = layout.draw_sidebar_navigation(
            {
                title: [
                    st.Page(room.page, title=room.title, icon=room.icon, default=section == "home")
                    for room in rooms()
                    if room.section == section
                ]
                for section, title in SECTIONS.items()
            }
        )
        with page.page_frame(here.url_path):
            here.run()
            from core.lessons.lesson_ui import cards  # they need torch, and the page's title is already drawn
            from core.lessons.room_links import show_room_end_links

            show_room_end_links(here.url_path)
            cards.show_continue_link(here.url_path, going_on)
            page.mount_glossary()
else:
    from core.classroom import registry, web
    from core.rooms import loading_screen_content
    from core.ui.server.server import streamlit_app_kwargs

    app = st.App(
        __file__, **streamlit_app_kwargs(web.class_routes(), registry.delete_old_classes, loading_screen_content)
    )
