"""A page for test_shell.py: a working exhibit, a broken one, hostile text, all behind the real server."""

import streamlit as st

if __name__ == "__main__":
    from core.ui.controls import controls
    from core.ui.frame import layout
    from core.ui.frame.exhibit import Shown, exhibit, show
    from core.ui.server import owner
    from core.ui.text import escape_markdown

    HOSTILE = (
        "<script>document.title = 'caught'</script><img src=x onerror=\"document.title='caught'\">",
        "![x](http://canary.example/a.png) [a](javascript:alert(1)) http://canary.example www.x.example a@b.example",
        ":red[x] :material/delete: :smile: $E=mc^2$ `code` **bold** # no -> <- -- >= <= ~=",
        "1. item | a | b | > quote - list + list ~~gone~~ [^1] &lt; \\ {{x}}",
    )

    @exhibit(title="Working", look_for="The word follows the slider.", code=(escape_markdown,))
    def working() -> Shown:
        n = controls.slider("n", "Number", 0, 9, 1, step=1)
        st.button("Act", type="primary")
        st.markdown(f"The number is {n}.")
        return Shown(numbers={"n": [n]})

    @exhibit(title="Broken", look_for="Nothing.")
    def broken() -> None:
        raise RuntimeError("secret detail")

    layout.brand()
    layout.page_header("Shell", "A page for tests.")
    show(broken)
    show(working)
    st.code(owner.owner_id())
    for i, text in enumerate(HOSTILE):
        with st.container(key=f"hostile-{i}"):
            st.markdown(escape_markdown(text))
            st.caption(escape_markdown(text))
else:
    from core.ui.server import server

    app = st.App(__file__, **server.options())
