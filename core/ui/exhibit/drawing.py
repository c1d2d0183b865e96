"""The exhibit that is being drawn: its sentences by name, and the chart that its Download offers."""

import dataclasses
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.browser.capture import Chart, Sent, capture
from core.browser.linked import Along, Computed, over
from core.browser.message import pack
from core.browser.text import code_block
from core.exhibit import NOT_YET, Inputs
from core.ui.controls.choices import along
from core.ui.exhibit.facts import Facts, to_html
from core.ui.exhibit.rail import reading
from core.ui.exhibit.words import Section, Words, fill
from core.ui.frame import depth
from core.ui.frame.element_keys import check_key, frame_key
from core.ui.frame.layout import color_mode
from core.ui.widgets.mount import mount


@dataclass
class Drawing:
    """What is being drawn, and what there is to take away.

    Attributes:
        words: its file. A template may name `at`, and what the result or else the inputs have.
        at: the result with other inputs, all that are not named as at the beginning.
        script: makes the program that prints its numbers; None: it has none.
        key: of the exhibit where it stands.
        figure: the chart drawn last.
        said: how often each sentence that follows choices stands there so far.
        sent: what its pictures and sentences were made of, in their order, for a page of its own.
        needs_choices: whether the server draws it anew where the browser chooses something to look at.
        is_partial: whether something in it has no place in a page of its own.
    """

    words: Words
    result: Any = None
    inputs: Any = None
    at: Callable[..., Any] | None = None
    script: Callable[[], str] | None = None
    key: str = ""
    figure: Mapping[str, Any] | None = None
    said: Counter[str] = field(default_factory=Counter)
    sent: list[Sent | Chart] = field(default_factory=list)
    needs_choices: bool = False
    is_partial: bool = False

    def value_of(self, name: str) -> Any:
        """A value by its name. Raises KeyError for an author's slip."""
        if name == "at":
            return self.at
        for holder in (self.result, self.inputs):
            if not name.startswith("_") and hasattr(holder, name):
                return getattr(holder, name)
        raise KeyError(f"{self.words.title!r} names {name!r}, which neither its result nor its inputs have")

    def fill(self, text: str, more: Mapping[str, Any] | None = None, is_plain: bool = False) -> str:
        """A template of its words with the numbers in it."""
        given = more or {}
        return fill(text, lambda name: given[name] if name in given else self.value_of(name), is_plain)

    def table(self) -> Mapping[str, Any] | None:
        """The numbers behind the picture, columns by name; None: it has none."""
        return self.result.table() if hasattr(self.result, "table") else None

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The arrays of the result by name, for a file."""
        return arrays_of(self.result)

    @property
    def must_guess(self) -> bool:
        """Whether a guess is open, so that no number may tell what came."""
        return getattr(self.inputs, "guess", None) == NOT_YET


def arrays_of(value: Any, name: str = "") -> dict[str, NDArray[Any]]:
    """The arrays of a result: those that it names, `arrays()`, else all in its fields, by their place ("seen.weights").

    A run's arrays keep the names of its record.
    """
    if isinstance(value, np.ndarray):
        return {name: value}
    if isinstance(value, tuple) and value and all(isinstance(one, int | float) for one in value):
        return {name: np.array(value)}
    if hasattr(value, "arrays"):
        return dict(value.arrays())
    if isinstance(value, Mapping):
        parts = dict(value)
    elif isinstance(value, list | tuple):
        parts = dict(enumerate(value, 1))
    elif dataclasses.is_dataclass(value) and not isinstance(value, Inputs):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        return {}
    found: dict[str, NDArray[Any]] = {}
    for key, part in parts.items():
        found |= arrays_of(part, f"{name}.{key}" if name else str(key))
    return found


_NOW: ContextVar[Drawing] = ContextVar("drawing")


@contextmanager
def drawing(now: Drawing) -> Iterator[None]:
    """Let `say` and `chart` inside belong to this exhibit."""
    token = _NOW.set(now)
    try:
        with capture(now.sent):
            yield
    finally:
        _NOW.reset(token)


def words(name: str, /, **more: Any) -> str:
    """A sentence of the exhibit's file, "## name", with the result's and the inputs' values in it.

    Args:
        more: further values that it names.
    """
    now = _NOW.get()
    section = now.words.sections[name]
    return now.fill(section.text, more, section.look == "plain")


def say(name: Any, /, **more: Any) -> None:
    """Write such a sentence beside the picture, as its heading says: as text, caption, info; only from its depth on.

    A table is too wide for there: a sentence that has one stands here, and so does one marked (here).

    Args:
        name: of the sentence, "" for none; it and `more` may depend on choices of the page, which the browser fills in.
    """
    if isinstance(name, Along) and not name.names:  # the server knows the one that is chosen
        name = name.values
    if not name:
        return
    if any(isinstance(value, Along | Computed) for value in (name, *more.values())):
        _say_linked(name, more)
        return
    section = _NOW.get().words.sections[name]
    if depth.at_least(section.depth) and (text := words(name, **more).strip()):
        with _place_of(section, text):
            write(text, section.look)


def write(text: str, look: str = "text", **how: Any) -> None:
    """Write Markdown: as a text, a caption, an info. (Streamlit's own `markdown` would be missing in a page to keep.)

    Args:
        look: see `_LOOKS`.
        how: handed to Streamlit.
    """
    _NOW.get().sent.append(Sent("sentence", pack({"text": text, "look": look}, {}), False))
    _LOOKS[look](text, **how)


def metric(label: str, value: Any, change: Any = None, **how: Any) -> None:
    """A large number, and what it is; `how` is handed to Streamlit."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": f"{label}: **{value}**", "look": "text"}, {}), False))
    st.metric(label, value, change, **how)


def code(text: str, language: str | None = None) -> None:
    """Lines of code, or of what a model wrote."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": code_block(text), "look": "text"}, {}), False))
    st.code(text, language=language, wrap_lines=True)


def _say_linked(name: Any, more: Mapping[str, Any]) -> None:
    """A sentence that follows what is chosen."""
    now, facts = _NOW.get(), Facts()
    names = [*dict.fromkeys(name.values)] if isinstance(name, Along) else [*getattr(name, "among", [name])]
    sections = [now.words.sections[one] for one in names if one]
    if not all(depth.at_least(section.depth) for section in sections):
        return
    with facts.gathered():
        html = {one: to_html(words(one, **more)) if one else "" for one in names}
    _mount_sentence(names[0] or names[-1], {"html": html, "section": name, "facts": facts.found})


def say_each(name: str, each: Any, *names: str) -> None:
    """A sentence with the values of each place of some choices in it: the browser shows the one that is chosen.

    Args:
        each: what it names, for each place; as it comes, or along choices already. It may depend on further ones. What
            comes out alike is sent once, and where the same mapping stands at many places it is written once.
    """
    facts, texts, known = Facts(), dict[str, int](), dict[int, tuple[Any, str]]()

    def place(values: Mapping[str, Any]) -> str:
        if id(values) not in known:  # it is kept, so that no other one gets its id
            known[id(values)] = values, str(texts.setdefault(to_html(words(name, **values)), len(texts)))
        return known[id(values)][1]

    if depth.at_least(_NOW.get().words.sections[name].depth):
        with facts.gathered():
            chosen = over(place, along(each, *names) if names else each)
        _mount_sentence(name, {"html": {i: text for text, i in texts.items()}, "section": chosen, "facts": facts.found})


def _mount_sentence(name: str, message: Mapping[str, Any]) -> None:
    now = _NOW.get()
    section, n = now.words.sections[name], now.said[name]
    key = frame_key("sentence", f"{now.key}-{name}" + (f"-{n}" if n else ""))
    now.said[name] += 1
    with _place_of(section, section.text):
        mount("sentence", key, pack({**message, "look": section.look}, {}), height=24, own_style=False)


def _place_of(section: Section, text: str) -> AbstractContextManager[Any]:
    """Beside the picture, or here."""
    return nullcontext() if section.is_here or _TABLE.search(text) else reading()


def _number(text: str) -> None:
    """The one number of an exhibit: its first word, large, and what it is."""
    value, _, what = text.partition(" ")
    st.metric(what, value)


_LOOKS: dict[str, Callable[[str], Any]] = {
    "text": st.markdown,
    "caption": st.caption,
    "info": st.info,
    "warning": st.warning,
    "error": st.error,
    "success": st.success,
    "number": _number,
}
_TABLE = re.compile(r"^\|", re.MULTILINE)


def chart(spec: Mapping[str, Any], *, alt: str, key: str | None = None, **how: Any) -> Any:
    """Draw a Vega-Lite chart, which Download then offers.

    Args:
        alt: what it shows, in words.
        how: handed to `st.vega_lite_chart`.
    """
    check_key(key or "")
    alt = alt.replace("*", "")  # it may be a sentence of the exhibit, with words in bold
    _NOW.get().figure = spec
    _NOW.get().sent.append(Chart(spec, alt, color_mode()))
    drawn = {**spec, "background": "transparent"}
    if isinstance(spec.get("height"), int) and "autosize" not in spec:
        how = {"height": spec["height"], **how}  # its place gets it: on a slide another one (presenter_charts.js)
    if "datasets" in spec:
        drawn["datasets"] = {name: _table(rows) for name, rows in spec["datasets"].items()}
    return st.vega_lite_chart(spec=drawn, width="stretch", alt=alt, key=key, **how)


def _table(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as Arrow has them. Streamlit would make them a DataFrame first, which costs most of a rerun with a chart."""
    import pyarrow as pa  # type: ignore[import-untyped]

    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return pa.table({name: pa.array([row.get(name) for row in rows], from_pandas=True) for name in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column of several kinds
        return rows
