"""A page for test_shell.py: a working exhibit, a broken one, hostile text, all behind the real server."""

from types import SimpleNamespace

import streamlit as st

if __name__ == "__main__":
    from core import exhibit as inputs
    from core.ui.controls import controls
    from core.ui.exhibit.exhibit import render_exhibit
    from core.ui.frame import layout
    from core.ui.server.identity import anonymous_owner
    from core.ui.text_formatting import escape_markdown
    from tests.own_exhibit import exhibit

    HOSTILE = (
        "<script>document.title = 'caught'</script><img src=x onerror=\"document.title='caught'\">",
        "![x](http://canary.example/a.png) [a](javascript:alert(1)) http://canary.example www.x.example a@b.example",
        ":red[x] :material/delete: :smile: $E=mc^2$ `code` **bold** # no -> <- -- >= <= ~=",
        "1. item | a | b | > quote - list + list ~~gone~~ [^1] &lt; \\ {{x}}",
    )

    class Numbers(SimpleNamespace):
        def table(self) -> dict[str, list[int]]:
            return {"n": [1]}

        def arrays(self) -> dict[str, object]:
            return {}

    def working(*_: object) -> None:
        n = controls.render_control(inputs.slider(0, 9, 1, step=1, name="n", label="Number"))
        st.button("Act", type="primary")
        st.markdown(f"The number is {n}.")

    def broken(*_: object) -> None:
        raise RuntimeError("secret detail")

    layout.apply_brand()
    layout.page_header("Shell", "A page for tests.")
    render_exhibit(exhibit(broken, "Broken"))
    render_exhibit(exhibit(working, "Working", compute=lambda _: Numbers(), CODE=(escape_markdown,)))
    st.code(anonymous_owner.owner_id())
    for i, text in enumerate(HOSTILE):
        with st.container(key=f"hostile-{i}"):
            st.markdown(escape_markdown(text))
            st.caption(escape_markdown(text))
else:
    from core.ui.server import server

    app = st.App(__file__, **server.streamlit_app_kwargs())
