"""The exhibit that is being drawn: its sentences by name, and the chart that its Download offers."""

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
    """What is being drawn, and what there is to take away."""

    words: Words  # its file. A template may name `at`, and what the result or else the inputs have.
    result: object = None
    inputs: Any = None
    at: Callable[..., object] | None = None  # the result with other inputs, all that are not named as at the beginning
    script: Callable[[], str] | None = None  # makes the program that prints its numbers; None: it has none
    key: str = ""  # of the exhibit where it stands
    facts: dict[str, object] = field(default_factory=dict)  # further values for its prose, see `facts`
    # values for its prose, one mapping or record for each value of some choices, see `facts`
    by_choice: object = None
    figure: Mapping[str, object] | None = None  # the chart drawn last
    # how often each sentence that follows choices stands there so far
    said: Counter[str] = field(default_factory=Counter)
    # what its pictures and sentences were made of, in their order, for a page of its own
    sent: list[Sent | Chart] = field(default_factory=list)
    needs_choices: bool = False  # whether the server draws it anew where the browser chooses something to look at
    is_partial: bool = False  # whether something in it has no place in a page of its own
    compute: Callable[[Inputs], object] | None = None  # the result of these inputs

    def value_of(self, name: str) -> object:
        """A value by its name. Raises KeyError if a template names an unknown value."""
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
        """A template of its words with the numbers in it."""
        given = more or {}
        return fill(text, lambda name: given[name] if name in given else self.value_of(name), is_plain)

    def table(self) -> Table | None:
        """The numbers behind the picture, columns by name; None: it has none."""
        return self.result.table() if hasattr(self.result, "table") else None

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """The arrays of the result by name, for a file."""
        return arrays_of(self.result)

    def formulas(self) -> list[str]:
        """LaTeX: the formula of its file, and its result's with the learner's numbers."""
        given = self.fill(self.words.formula or "", is_plain=True), getattr(self.result, "formula", None)
        return [formula for formula in given if formula]

    @property
    def must_guess(self) -> bool:
        """Whether a guess is open, so that no number may tell what came."""
        return getattr(self.inputs, "guess", None) == NOT_YET


def arrays_of(value: object, name: str = "") -> dict[str, NDArray[np.generic]]:
    """The arrays of a result: those that it names, `arrays()`, else all in its fields, by their place ("seen.weights").

    A run's arrays keep the names of its record.
    """
    if isinstance(value, np.ndarray):
        return {name: value}
    if hasattr(value, "_asdict"):  # of a named tuple
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
    """What can be guessed in an exhibit: short name -> words."""
    options = (control.options.get("options") for _, control in inputs.controls() if control.kind == "segmented")
    guesses: Mapping[str, str] = next((one for one in options if isinstance(one, Mapping) and NOT_YET in one), {})
    return {name: text for name, text in guesses.items() if name not in (NOT_YET, SHOW)}


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


def words(name: str, /, **more: object) -> str:
    """A sentence of the exhibit's file, "## name", with the result's and the inputs' values in it.

    Args:
        more: further values that it names.
    """
    now = _NOW.get()
    section = now.words.sections[name]
    return now.fill(section.text, more, section.look == "plain")


def facts(by_choice: object = None, /, **values: object) -> None:
    """Hand further values to the sections that the frame places: those of a page's choices, say.

    Args:
        by_choice: a mapping or record for each value of some choices (`ui.results`, `ui.each`, `ui.along`): a section
            that names one of its values is rendered for each, and the browser shows the one that is chosen.
        values: by name; each may depend on choices, then the browser fills it in.
    """
    now = _NOW.get()
    now.facts |= values
    now.by_choice = by_choice if by_choice is not None else now.by_choice


def results(*choices: Any) -> Any:
    """The exhibit's result at each value of some choices: `ui.results(inputs.position)`."""
    now = _NOW.get()
    compute, fields = now.compute, [choice.field for choice in choices]
    assert compute is not None, "only an exhibit that is being drawn has results"
    return each(lambda *values: compute(with_values(now.inputs, **dict(zip(fields, values, strict=True)))), *choices)


def place_sections() -> None:
    """Write the sections whose condition holds, in the order of the file."""
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
        return  # what its text names need not be there
    linked = {one: value for one in names if isinstance(value := now.value_of(one), Along | Computed)}
    if along_choices:

        def shown(*at: object) -> str:
            return name if section.applies((values | dict(zip(along_choices, at, strict=True))).__getitem__) else ""

        say(over(shown, *along_choices.values()), **linked)
    else:
        say(name, **linked)


def say(name: Any, /, **more: object) -> None:
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


def write(text: str, look: str = "text", **how: object) -> None:
    """Write Markdown: as a text, a caption, an info. (Streamlit's own `markdown` would be missing in a page to keep.)

    Args:
        look: see `_LOOKS`.
        how: handed to Streamlit.
    """
    _NOW.get().sent.append(Sent("sentence", pack({"text": text, "look": look}, {}), False))
    _LOOKS[look](text, **how)


def metric(label: str, value: str | float, change: str | float | None = None, **how: Any) -> None:
    """A large number, and what it is; `how` is handed to Streamlit."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": f"{label}: **{value}**", "look": "text"}, {}), False))
    st.metric(label, value, change, **how)


def code(text: str, language: str | None = None) -> None:
    """Lines of code, or of what a model wrote."""
    _NOW.get().sent.append(Sent("sentence", pack({"text": code_block(text), "look": "text"}, {}), False))
    st.code(text, language=language, wrap_lines=True)


def _say_linked(name: object, more: Mapping[str, object]) -> None:
    """A sentence that follows what is chosen."""
    now, facts = _NOW.get(), Facts()
    names = [*dict.fromkeys(name.values)] if isinstance(name, Along) else [*getattr(name, "among", [name])]
    sections = [now.words.sections[one] for one in names if one]
    if not sections or not all(depth.at_least(section.depth) for section in sections):
        return
    with facts.gathered():
        html = {one: to_html(words(one, **more)) if one else "" for one in names}
    _mount_sentence(names[0] or names[-1], {"html": html, "section": name, "facts": facts.found})


def say_each(name: str, each: object, *names: str) -> None:
    """A sentence with the values of each place of some choices in it: the browser shows the one that is chosen.

    Args:
        each: what it names, for each place; as it comes, or along choices already. It may depend on further ones. What
            comes out alike is sent once, and where the same mapping stands at many places it is written once.
    """
    if depth.at_least(_NOW.get().words.sections[name].depth):
        each = along(each, *names) if names else each
        _mount_texts(name, each, lambda values: words(name, **values))


def _mount_texts(name: str, each: object, render: Callable[[Any], str]) -> None:
    """A sentence rendered at each place of some choices: equal texts are sent once, equal values rendered once."""
    facts, texts, known = Facts(), dict[str, int](), dict[int, tuple[object, str]]()

    def place(values: object) -> str:
        if id(values) not in known:  # it is kept, so that no other one gets its id
            known[id(values)] = values, str(texts.setdefault(render(values), len(texts)))
        return known[id(values)][1]

    with facts.gathered():
        chosen = over(place, each)
    section, only = _NOW.get().words.sections[name], next(iter(texts))
    if len(texts) > 1 or facts.found:
        html = {i: to_html(text) for text, i in texts.items()}
        _mount_sentence(name, {"html": html, "section": chosen, "facts": facts.found})
    elif only.strip():  # it follows no choice after all
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
    """Beside the picture, or here."""
    return nullcontext() if section.is_here or _TABLE.search(text) else reading()


def _number(text: str) -> None:
    """The one number of an exhibit: its first word, large, and what it is."""
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
        spec: its "name" becomes the key of its place; without one, its number within the exhibit does.
        alt: the chart in words; "": its "description".
    """
    now = _NOW.get()
    now.said["chart"] += 1
    key = spec.get("name") or f"{now.key}-chart-{now.said['chart']}"
    check_key(key)
    alt = (alt or spec.get("description", "")).replace("*", "")  # it may be a sentence with words in bold
    now.figure = spec
    now.sent.append(Chart(spec, alt, color_mode()))
    drawn = {name: part for name, part in spec.items() if name not in ("name", "description")}
    drawn["background"] = "transparent"
    drawn["datasets"] = {name: _table(rows) for name, rows in spec["datasets"].items()}
    how = {}
    if "autosize" not in spec:
        how["height"] = spec["height"]  # its place gets it: on a slide another one (presenter_charts.js)
    st.vega_lite_chart(spec=drawn, width="stretch", alt=alt, key=key, **how)


def _table(rows: Sequence[Mapping[str, object]]) -> object:
    """Rows as Arrow has them. Streamlit would make them a DataFrame first, which costs most of a rerun with a chart."""
    import pyarrow as pa  # type: ignore[import-untyped]

    names = dict.fromkeys(name for row in rows for name in row)
    try:
        return pa.table({name: pa.array([row.get(name) for row in rows], from_pandas=True) for name in names})
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column of several kinds
        return rows
