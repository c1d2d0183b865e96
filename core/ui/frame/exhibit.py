"""The frame around every exhibit: what it is, what to look for, and how to check it.

An author writes one draw function; the frame adds the title, the experiments to try and a footer with the link, the
code that ran, the numbers behind the picture and their download. A panel of the footer is only made when someone
opens it. A fault stays inside its exhibit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.errors import FragmentHandledException

from core.ui.controls import control_log
from core.ui.controls.controls import Presets, presets
from core.ui.exhibit.computed import Computed
from core.ui.frame import depth, errors, panels
from core.ui.frame.panels import Shown, show_source
from core.ui.text import escape_markdown

__all__ = ["Exhibit", "Shown", "Try", "exhibit", "show", "show_source"]


# What to do, what to expect, and from which depth on it is said: without one, always.
Try = tuple[str, str] | tuple[str, str, depth.Depth]


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One interactive piece, as pages and lessons show it; made by `@exhibit`."""

    draw: Callable[..., Shown | None]
    title: str
    look_for: str
    try_this: tuple[Try, ...]
    code: tuple[Callable[..., Any], ...]
    formula: str | None = None
    called: str = ""

    @property
    def name(self) -> str:
        """Its short name, for anchors and file names: that of the draw function, with dashes."""
        return (self.called or self.draw.__name__).strip("_").replace("_", "-")


def exhibit(
    *,
    title: str,
    look_for: str,
    try_this: Sequence[Try] = (),
    code: Sequence[Callable[..., Any]] = (),
    formula: str | None = None,
) -> Callable[[Callable[..., Shown | None]], Exhibit]:
    """Turn a draw function into an exhibit.

    Args:
        title: Its heading, in sentence case.
        look_for: One sentence in plain words: what to look for in it.
        try_this: Two or three experiments: what to do, what to expect, and where it takes more than plain words, from
            which depth on.
        code: Functions and classes whose source the Code panel shows; without any, the draw function's own.
        formula: LaTeX of what is computed; `Shown.formula` adds the learner's numbers.
    """

    def make(draw: Callable[..., Shown | None]) -> Exhibit:
        return Exhibit(
            draw=draw,
            title=title,
            look_for=look_for,
            try_this=tuple(try_this),
            code=tuple(code) or (draw,),
            formula=formula,
        )

    return make


def exhibit_of(module: ModuleType, called: str) -> Exhibit:
    """The exhibit that a module of a room is, see `core.ui.exhibit.computed`.

    Args:
        called: its name, for anchors and lessons.
    """
    found = Computed(module)
    words = found.words
    return Exhibit(
        draw=found.draw,
        title=words.title,
        look_for=words.look_for,
        try_this=tuple((do, part.text, part.depth) for do, part in words.tries),
        code=found.code,
        formula=words.formula,
        called=called,
    )


def show(
    piece: Exhibit,
    *args: Any,
    key: str = "",
    lock: Sequence[str] = (),
    hide: Sequence[str] = (),
    every: float | None = None,
    then: Callable[[DeltaGenerator], None] | None = None,
    **values: Any,
) -> None:
    """Show an exhibit here. It reruns by itself: moving its controls leaves the rest of the page alone.

    Args:
        piece: The exhibit.
        args: Handed to its draw function. Plain values: they are kept as long as the page is open.
        key: Tells two showings of one exhibit on one page apart; its controls stand in the address as `key.name`.
        lock: Controls to show but not let change.
        hide: Controls not to show.
        every: Seconds after which it draws itself again, for an exhibit that follows a running job.
        then: Draws what belongs to it and changes with it, such as a lesson's next thing to do: below it, and above its
            picture into the box that it is handed.
        values: Defaults of controls, by name.

    Example:
        `show(next_token, temperature=0.5, lock=("temperature",), hide=("seed",))`
    """
    given = Presets(
        prefix=f"{key}." if key else "",
        values=MappingProxyType(dict(values)),
        locked=frozenset(lock),
        hidden=frozenset(hide),
    )
    name = f"{piece.name}-{key}" if key else piece.name
    with st.container(border=True, key=f"exhibit-{name}"):
        st.fragment(_run, run_every=every)(piece, args, given, name, then)


def _run(
    piece: Exhibit,
    args: tuple[Any, ...],
    given: Presets,
    name: str,
    then: Callable[[DeltaGenerator], None] | None = None,
) -> None:
    st.subheader(escape_markdown(piece.title), anchor=name)
    st.caption(f"**What to look for:** {piece.look_for}")
    above = None if then is None else st.container()
    try:
        with presets(given), control_log.within(piece.title):
            shown = piece.draw(*args) or Shown()
    except FragmentHandledException:
        raise
    except Exception as error:
        errors.show_fault(error, what="This exhibit")
        return
    if depth.at_least("formula"):
        for formula in (piece.formula, shown.formula):
            if formula:
                st.latex(formula)
    tries = [one for one in piece.try_this if depth.at_least(one[2] if len(one) == 3 else "story")]
    _try_this(shown.tries if shown.tries is not None and piece.try_this else tries)  # a lesson leaves them out
    try:
        _footer(piece, shown, name)
    except Exception as error:
        errors.show_fault(error, what="This panel")
    if then is not None and above is not None:
        then(above)


def _try_this(tries: Sequence[tuple[str, ...]]) -> None:
    if not tries:
        return
    with st.expander("Try this", icon=":material/science:"):
        # One element and not one for each: what a rerun costs is the number of its elements.
        st.markdown("\n\n".join(f"**{do}**  \n{expect}" for do, expect, *_ in tries))


def _footer(piece: Exhibit, shown: Shown, name: str) -> None:
    """The panels to choose from, and the one that is open."""
    offered: dict[str, tuple[str, Callable[[], None]]] = {
        "Link": (":material/link:", lambda: panels.link(name)),
        "Code": (":material/code:", lambda: panels.code(piece.code)),
        "Numbers": (":material/table:", lambda: panels.numbers(shown)),
        "Download": (":material/download:", lambda: panels.download(piece.title, shown, name)),
    }
    is_open = depth.at_least("code")  # then the code stands below anyway
    for panel in ("Code", "Numbers") if not depth.at_least("numbers") else ("Code",) if is_open else ():
        del offered[panel]
    key = f"panel-{name}"
    if st.session_state.get(key) not in (None, *offered):
        st.session_state[key] = None
    chosen = st.segmented_control(
        f"More about “{piece.title}”",
        list(offered),
        format_func=lambda panel: f"{offered[panel][0]} {panel}",
        key=key,
        label_visibility="collapsed",
        wrap=True,
    )
    if chosen is not None:
        offered[chosen][1]()
    if is_open:
        with st.expander("Code", expanded=True, icon=":material/code:"):
            panels.code(piece.code)
