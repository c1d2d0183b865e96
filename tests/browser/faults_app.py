"""A page for test_faults.py: exhibits whose pictures can't be seen, each for another reason, behind the real server."""

import streamlit as st

if __name__ == "__main__":
    import numpy as np

    from core import ui
    from core.browser.message_packing import pack_message
    from core.ui.exhibit.exhibit import render_exhibit
    from core.ui.frame import layout, page
    from core.ui.widgets.mount import mount
    from tests.own_exhibit import exhibit

    TOKENS = ["Mia's secret", "b"]

    def matrix(key: str) -> None:
        ui.matrix(np.eye(2), rows=TOKENS, columns=TOKENS, key=key, label="A map")

    def throws(*_: object) -> None:
        mount("matrix", "threw", pack_message({"widget": "matrix", "rows": TOKENS}, {}))

    def misspelt(*_: object) -> None:
        mount("head_grid", "misspelt", b"Mia's secret")

    def hidden(*_: object) -> None:
        matrix("hide.me")

    def flat(*_: object) -> None:
        matrix("flat.one")

    def nothing(*_: object) -> None:
        with st.container():
            st.container()

    def silent(*_: object) -> None:
        """For this input it has nothing to draw."""

    def half(*_: object) -> None:
        ui.show_markdown("A text stands above it.")
        matrix("hide.half")

    def whole(*_: object) -> None:
        matrix("whole.map")
        ui.show_markdown("All is well.")

    def folded(*_: object) -> None:
        ui.show_markdown("Open it.")
        with st.expander("More"):
            matrix("folded.map")

    def spoilt(*_: object) -> None:
        ui.show_markdown("The mean is nan.")
        ui.matrix(np.eye(2), rows=TOKENS, columns=["{word}", "b"], key="spoilt.map", label="A map")

    layout.apply_brand()
    page.page_tools()
    st.html(
        "<style id='hiding'>[class*='st-key-hide-'] { display: none }</style>"
        "<style>.st-key-flat-one { height: 0; overflow: hidden; visibility: hidden }</style>"
    )
    for one in (throws, misspelt, hidden, flat, nothing, silent, half, whole, folded, spoilt):
        render_exhibit(exhibit(one, one.__name__))
else:
    import logging
    import os

    from core.ui.server import server

    app = st.App(__file__, **server.streamlit_app_kwargs())
    logging.getLogger("glassformer").addHandler(logging.FileHandler(os.environ["FAULTS_LOG"]))
