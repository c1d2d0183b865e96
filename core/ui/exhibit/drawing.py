"""The exhibit that is being drawn: its text sections by name, and the chart that its Download offers."""

import dataclasses
import operator
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
from core.browser.linked import Along, Computed, first, over
from core.browser.message import pack
from core.browser.text import code_block
from core.exhibit import NOT_YET, SHOW, Inputs, Outcome, Table
from core.ui.controls.choices import along, each
from core.ui.controls.references import with_values
from core.ui.exhibit.facts import Facts, to_html
from core.ui.exhibit.rail import reading
from core.ui.exhibit.words import Section, Words, fill
from core.ui.frame import depth
from core.ui.frame.element_keys import check_key, frame_key
from core.ui.frame.layout import color_mode
from core.ui.widgets.mount import mount


@dataclass
class Drawing:
    """The drawing of an exhibit, and everything that can be downloaded from it."""

    words: Words  # its file; a template may name `at`, and fields of the result or the inputs
    result: object = None
    inputs: Any = None
    at: Callable[..., object] | None = None  # the result with these inputs and defaults for the others
    script: Callable[[], str] | None = None  # makes the program that prints its numbers; None if there is none
    key: str = ""  # of the exhibit on its page
    facts: dict[str, object] = field(default_factory=dict)  # further values for its text, see `facts`
    # values for its text, one mapping or record for each value of some choices, see `facts`
    by_choice: object = None
    figure: Mapping[str, object] | None = None  # the chart drawn last
    # how many times each sentence that depends on choices has been mounted so far
    said: Counter[str] = field(default_factory=Counter)
    # the messages of its pictures and sentences, in order, for a standalone page
    sent: list[Sent | Chart] = field(default_factory=list)
    needs_choices: bool = False  # whether the server redraws it when a choice is made in the browser
    is_partial: bool = False  # whether part of it cannot be exported as a standalone page
    compute: Callable[[Inputs], object] | None = None  # computes the result of these inputs

    def value_of(self, name: str) -> object:
        """Return a value by its name. Raises KeyError if a template names an unknown value."""
        if name == "at":
            return self.at
        if name in self.facts:
            return self.facts[name]
        outcome = getattr(self.result, "outcome", None)
        if name in ("guess_result", "outcome_text") and isinstance(outcome, Outcome | None):
            if outcome is None or hasattr(self.result, name):
                return getattr(self.result, name, "")
            guesses = guesses_of(self.inputs)
            return outcome.sentence(self.inputs.guess, guesses) if name == "guess_result" else outcome.in_words(guesses)
        for holder in (self.result, self.inputs):
            if not name.startswith("_") and hasattr(holder, name):
                return getattr(holder, name)
        raise KeyError(f"{self.words.title!r} names {name!r}, which neither its result nor its inputs have")

    def fill(self, text: str, more: Mapping[str, object] | None = None, is_plain: bool = False) -> str:
        """Render a template of its text with the current values."""
        given = more or {}
        return fill(text, lambda name: given[name] if name in given else self.value_of(name), is_plain)

    def table(self) -> Table | None:
        """Return the numbers of the picture, columns by name, or None if it has none."""
        return self.result.table() if hasattr(self.result, "table") else None

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the arrays of the result by name, for a file."""
        return arrays_of(self.result)

    def formulas(self) -> list[str]:
        """Return the formula of its file and the result's formula with the learner's numbers, as LaTeX."""
        given = self.fill(self.words.formula or "", is_plain=True), getattr(self.result, "formula", None)
        return [formula for formula in given if formula]

    @property
    def must_guess(self) -> bool:
        """True while a guess is open, so no number may reveal the outcome."""
        return getattr(self.inputs, "guess", None) == NOT_YET


def arrays_of(value: object, name: str = "") -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a result: those of its `arrays()`, else all in its fields by path ("seen.weights").

    A run's arrays keep the names of its record.
    """
    if isinstance(value, np.ndarray):
        return {name: value}
    if hasattr(value, "_asdict"):  # a named tuple
        return arrays_of(value._asdict(), name)
    if isinstance(value, tuple) and value and all(isinstance(one, int | float) for one in value):
        return {name: np.array(value)}
    if hasattr(value, "arrays"):
        return dict(value.arrays())
    if isinstance(value, Mapping):
        parts = dict(value)
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        parts = value._asdict()
    elif isinstance(value, list | tuple):
        parts = dict(enumerate(value, 1))
    elif dataclasses.is_dataclass(value) and not isinstance(value, Inputs):
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    else:
        return {}
    found: dict[str, NDArray[np.generic]] = {}
    for key, part in parts.items():
        found |= arrays_of(part, f"{name}.{key}" if name else str(key))
    return found


def guesses_of(inputs: Inputs | type[Inputs]) -> dict[str, str]:
    """Return the possible guesses of an exhibit: short name -> text."""
    options = (control.options.get("options") for _, control in inputs.controls() if control.kind == "segmented")
    guesses: Mapping[str, str] = next((one for one in options if isinstance(one, Mapping) and NOT_YET in one), {})
    return {name: text for name, text in guesses.items() if name not in (NOT_YET, SHOW)}


_NOW: ContextVar[Drawing] = ContextVar("drawing")


@contextmanager
def drawing(now: Drawing) -> Iterator[None]:
    """Make `say` and `chart` inside belong to this exhibit."""
    token = _NOW.set(now)
    try:
        with capture(now.sent):
            yield
    finally:
        _NOW.reset(token)


def words(name: str, /, **more: object) -> str:
    """Return a section of the exhibit's file, "## name", rendered with the values of the result and the inputs.

    Args:
        more: further values that it names.
    """
    now = _NOW.get()
    section = now.words.sections[name]
    return now.fill(section.text, more, section.look == "plain")


def facts(by_choice: object = None, /, **values: object) -> None:
    """Provide further values for the sections that the frame places, such as values that depend on choices.

    Args:
        by_choice: a mapping or record for each value of some choices (`ui.results`, `ui.each`, `ui.along`). A section
            that names one of its values is rendered for each, and the browser shows the chosen one.
        values: by name; the browser fills in a value that depends on choices.
    """
    now = _NOW.get()
    now.facts |= values
    now.by_choice = by_choice if by_choice is not None else now.by_choice


def results(*choices: Any) -> Any:
    """Return the exhibit's result at each value of some choices: `ui.results(inputs.position)`."""
    now = _NOW.get()
    compute, fields = now.compute, [choice.field for choice in choices]
    assert compute is not None, "only an exhibit that is being drawn has results"
    return each(lambda *values: compute(with_values(now.inputs, **dict(zip(fields, values, strict=True)))), *choices)


def place_sections() -> None:
    """Show the sections whose condition holds, in file order."""
    now = _NOW.get()
    for name, section in now.words.sections.items():
        if section.condition and depth.at_least(section.depth):
            _place_section(name, section)


def _place_section(name: str, section: Section) -> None:
    now = _NOW.get()
    names = dict.fromkeys((*section.text_names, *section.condition_names))
    record: Any = first(now.by_choice)
    read, has = (operator.getitem, operator.contains) if isinstance(record, Mapping) else (getattr, hasattr)
    own = [one for one in names if record is not None and one not in now.facts and has(record, one)]
    if own:  # rendered for each value of the choices

        def text_at(record: Any) -> str:
            given = {one: read(record, one) for one in own}
            if not section.applies(lambda one: given[one] if one in given else now.value_of(one)):
                return ""
            return now.fill(section.text, given)

        _mount_texts(name, now.by_choice, text_at)
        return
    values = {one: now.value_of(one) for one in section.condition_names}
    along_choices = {one: value for one, value in values.items() if isinstance(value, Along)}
    if not along_choices and not section.applies(values.__getitem__):
        return  # the values that its text names may not exist
    linked = {one: value for one in names if isinstance(value := now.value_of(one), Along | Computed)}
    if along_choices:

        def shown(*at: object) -> str:
            return name if section.applies((values | dict(zip(along_choices, at, strict=True))).__getitem__) else ""

        say(over(shown, *along_choices.values()), **linked)
    else:
        say(name, **linked)


def say(name: Any, /, **more: object) -> None:
    """Show a section next to the picture in the style that its heading sets (text, caption, info), from its depth on.

    A section with a table, which is too wide for that place, is shown here, and so is one marked (here).

    Args:
        name: of the section, "" for none. The browser fills in a name or values that depend on choices of the page.
    """
    if isinstance(name, Along) and not name.names:  # the server knows the chosen one
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


def write(text: str, look: str = "text", **how: object) -> None:
    """Show Markdown as text, caption or info. (Streamlit's own `markdown` would be missing in an exported page.)

    Args:
        look: see `_LOOKS`.
        how: passed to Streamlit.
    """
    _NOW.get().sent.append(Sent("sentence", pack({"text": text, "look": look}, {}), False))
    _LOOKS[look](text, **how)


def metric(label: str, value: str | float, change: str | float | None = None, **how: Any) -> None:
    """Show a large number with its label; `how` is passed to Streamlit."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": f"{label}: **{value}**", "look": "text"}, {}), False))
    st.metric(label, value, change, **how)


def code(text: str, language: str | None = None) -> None:
    """Show lines of code or of a model's output."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": code_block(text), "look": "text"}, {}), False))
    st.code(text, language=language, wrap_lines=True)


def _say_linked(name: object, more: Mapping[str, object]) -> None:
    """Show a section whose name or values depend on choices."""
    now, facts = _NOW.get(), Facts()
    names = [*dict.fromkeys(name.values)] if isinstance(name, Along) else [*getattr(name, "among", [name])]
    sections = [now.words.sections[one] for one in names if one]
    if not sections or not all(depth.at_least(section.depth) for section in sections):
        return
    with facts.gathered():
        html = {one: to_html(words(one, **more)) if one else "" for one in names}
    _mount_sentence(names[0] or names[-1], {"html": html, "section": name, "facts": facts.found})


def say_each(name: str, each: object, *names: str) -> None:
    """Show a section rendered for each combination of some choices; the browser shows the chosen one.

    Args:
        each: the values that it names, for each combination: nested lists, or values indexed by choices already. It
            may depend on further choices. Equal texts are sent once, and a mapping that occurs repeatedly is rendered
            once.
    """
    if depth.at_least(_NOW.get().words.sections[name].depth):
        each = along(each, *names) if names else each
        _mount_texts(name, each, lambda values: words(name, **values))


def _mount_texts(name: str, each: object, render: Callable[[Any], str]) -> None:
    """Render a section for each combination of some choices; send equal texts once and render equal values once."""
    facts, texts, known = Facts(), dict[str, int](), dict[int, tuple[object, str]]()

    def place(values: object) -> str:
        if id(values) not in known:  # stored, so that no other object gets its id
            known[id(values)] = values, str(texts.setdefault(render(values), len(texts)))
        return known[id(values)][1]

    with facts.gathered():
        chosen = over(place, each)
    section, only = _NOW.get().words.sections[name], next(iter(texts))
    if len(texts) > 1 or facts.found:
        html = {i: to_html(text) for text, i in texts.items()}
        _mount_sentence(name, {"html": html, "section": chosen, "facts": facts.found})
    elif only.strip():  # it depends on no choice after all
        with _place_of(section, only):
            write(only, section.look)


def _mount_sentence(name: str, message: Mapping[str, object]) -> None:
    now = _NOW.get()
    section, n = now.words.sections[name], now.said[name]
    key = frame_key("sentence", f"{now.key}-{name}" + (f"-{n}" if n else ""))
    now.said[name] += 1
    with _place_of(section, section.text):
        mount("sentence", key, pack({**message, "look": section.look}, {}), height=24, own_style=False)


def _place_of(section: Section, text: str) -> AbstractContextManager[object]:
    """Return the container of a section: the rail next to the picture, or here."""
    return nullcontext() if section.is_here or _TABLE.search(text) else reading()


def _number(text: str) -> None:
    """Show the main number of an exhibit: the first word of the text, large, with the rest as its label."""
    value, _, what = text.partition(" ")
    st.metric(what, value)


_LOOKS: dict[str, Callable[[str], object]] = {
    "text": st.markdown,
    "caption": st.caption,
    "info": st.info,
    "warning": st.warning,
    "error": st.error,
    "success": st.success,
    "number": _number,
}
_TABLE = re.compile(r"^\|", re.MULTILINE)


def chart(spec: Mapping[str, Any], *, alt: str = "") -> None:
    """Draw a Vega-Lite chart, which Download then offers.

    Args:
        spec: its "name" becomes the element's key; without a name, its number within the exhibit does.
        alt: a description of the chart; "": the spec's "description".
    """
    now = _NOW.get()
    now.said["chart"] += 1
    key = spec.get("name") or f"{now.key}-chart-{now.said['chart']}"
    check_key(key)
    alt = (alt or spec.get("description", "")).replace("*", "")  # it may contain words in bold
    now.figure = spec
    now.sent.append(Chart(spec, alt, color_mode()))
    drawn = {name: part for name, part in spec.items() if name not in ("name", "description")}
    drawn["background"] = "transparent"
    drawn["datasets"] = {name: _table(rows) for name, rows in spec["datasets"].items()}
    how = {}
    if "autosize" not in spec:
        how["height"] = spec["height"]  # set on the container; on a slide it differs (presenter_charts.js)
    st.vega_lite_chart(spec=drawn, width="stretch", alt=alt, key=key, **how)


def _table(rows: Sequence[Mapping[str, object]]) -> object:
    """Convert rows to an Arrow table. Streamlit would make a DataFrame first, most of the cost of a chart's rerun."""
    import pyarrow as pa  # type: ignore[import-untyped]

    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return pa.table({name: pa.array([row.get(name) for row in rows], from_pandas=True) for name in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column of mixed types
        return rows
