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

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice, map_choices, value_at_first_option
from core.browser.markdown_html import markdown_code_block
from core.browser.message_capture import Chart, MessageToWidget, capture_widget_messages
from core.browser.message_packing import pack_message
from core.data.localization.labels import Label
from core.exhibit import NOT_YET, SHOW, GuessOutcome, Inputs, Table
from core.ui.controls.browser_side_controls import for_each_option, select_by_choice
from core.ui.controls.values_with_control_names import with_values
from core.ui.exhibit.exhibit_text import ExhibitMarkdown, SectionTemplate, render_template
from core.ui.exhibit.pane_and_rail import exhibit_text_container
from core.ui.exhibit.text_placeholders import PlaceholderValues, markdown_to_html
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key, refuse_reserved_key
from core.ui.frame.layout import color_mode
from core.ui.widgets.mount import mount


@dataclass
class ExhibitDrawing:
    """The drawing of an exhibit, and everything that can be downloaded from it."""

    text: ExhibitMarkdown  # its file; a template may name `at`, and fields of the result or the inputs
    result: object = None
    inputs: Any = None
    result_at: Callable[..., object] | None = None  # the result with these inputs and defaults for the others
    script: Callable[[], str] | None = None  # makes the program that prints its numbers; None if there is none
    key: str = ""  # of the exhibit on its page
    text_values: dict[str, object] = field(
        default_factory=dict
    )  # further values for its text, see `add_template_values`
    # values for its text, one mapping or record for each value of some choices, see `add_template_values`
    by_choice: object = None
    figure: Mapping[str, object] | None = None  # the chart drawn last
    # how many times each sentence that depends on choices has been mounted so far
    n_mounted: Counter[str] = field(default_factory=Counter)
    # the messages of its pictures and sentences, in order, for a standalone page
    messages: list[MessageToWidget | Chart] = field(default_factory=list)
    needs_choices: bool = False  # whether the server redraws it when a choice is made in the browser
    is_partial: bool = False  # whether part of it cannot be exported as a standalone page
    compute: Callable[[Inputs], object] | None = None  # computes the result of these inputs

    def value_of(self, name: str) -> object:
        """Return a value by its name. Raises KeyError if a template names an unknown value."""
        if name == "at":
            return self.result_at
        if name in self.text_values:
            return self.text_values[name]
        outcome = getattr(self.result, "outcome", None)
        if name in ("guess_result", "outcome_text") and isinstance(outcome, GuessOutcome | None):
            if outcome is None or hasattr(self.result, name):
                return getattr(self.result, name, "")
            guesses = guess_options(self.inputs)
            return outcome.sentence(self.inputs.guess, guesses) if name == "guess_result" else outcome.in_words(guesses)
        for holder in (self.result, self.inputs):
            if not name.startswith("_") and hasattr(holder, name):
                return getattr(holder, name)
        raise KeyError(f"{self.text.title!r} names {name!r}, which neither its result nor its inputs have")

    def render(self, text: str, more: Mapping[str, object] | None = None, is_plain: bool = False) -> str:
        """Render a template of its text with the current values."""
        given = more or {}
        return render_template(text, lambda name: given[name] if name in given else self.value_of(name), is_plain)

    def table(self) -> Table | None:
        """Return the numbers of the picture, columns by name, or None if it has none."""
        return self.result.table() if hasattr(self.result, "table") else None

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Return the arrays of the result by name, for a file."""
        return _arrays_of(self.result)

    def formulas(self) -> list[str]:
        """Return the formula of its file and the result's formula with the learner's numbers, as LaTeX."""
        given = self.render(self.text.formula or "", is_plain=True), getattr(self.result, "formula", None)
        return [formula for formula in given if formula]

    @property
    def must_guess(self) -> bool:
        """True while a guess is open, so no number may reveal the outcome."""
        return getattr(self.inputs, "guess", None) == NOT_YET


def _arrays_of(value: object, name: str = "") -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a result: those of its `arrays()`, else all in its fields by path ("seen.weights").

    A run's arrays keep the names of its record.
    """
    if isinstance(value, np.ndarray):
        return {name: value}
    if hasattr(value, "_asdict"):  # a named tuple
        return _arrays_of(value._asdict(), name)
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
        found |= _arrays_of(part, f"{name}.{key}" if name else str(key))
    return found


def guess_options(inputs: Inputs | type[Inputs]) -> dict[str, str]:
    """Return the possible guesses of an exhibit: short name -> text."""
    options = (control.options.get("options") for _, control in inputs.controls() if control.kind == "segmented")
    guesses: Mapping[str, str] = next((one for one in options if isinstance(one, Mapping) and NOT_YET in one), {})
    return {name: text for name, text in guesses.items() if name not in (NOT_YET, SHOW)}


_NOW: ContextVar[ExhibitDrawing] = ContextVar("drawing")


@contextmanager
def exhibit_drawing_context(now: ExhibitDrawing) -> Iterator[None]:
    """Make `show_text_section` and `show_chart` inside belong to this exhibit."""
    token = _NOW.set(now)
    try:
        with capture_widget_messages(now.messages):
            yield
    finally:
        _NOW.reset(token)


def section_text(name: str, /, **more: object) -> str:
    """Return a section of the exhibit's file, "## name", rendered with the values of the result and the inputs.

    It is a `Label`: as a picture's title it has the same name in every language.

    Args:
        more: further values that it names.
    """
    now = _NOW.get()
    section = now.text.sections[name]
    return Label(now.render(section.text, more, section.style == "plain"), f"#{name}", **more)


def add_template_values(by_choice: object = None, /, **values: object) -> None:
    """Provide further values for the sections that the frame places, such as values that depend on choices.

    Args:
        by_choice: a mapping or record for each value of some choices (`ui.compute_for_all_choices`,
            `ui.for_each_option`, `ui.select_by_choice`). A section that names one of its values is rendered for each,
            and the browser shows the chosen one.
        values: by name; the browser fills in a value that depends on choices.
    """
    now = _NOW.get()
    now.text_values |= values
    now.by_choice = by_choice if by_choice is not None else now.by_choice


def compute_for_all_choices(*choices: Any) -> Any:
    """Return the exhibit's result at each value of some choices: `ui.compute_for_all_choices(inputs.position)`."""
    now = _NOW.get()
    compute, fields = now.compute, [choice.field for choice in choices]
    assert compute is not None, "only an exhibit that is being drawn has results"
    return for_each_option(
        lambda *values: compute(with_values(now.inputs, **dict(zip(fields, values, strict=True)))), *choices
    )


def show_conditional_sections() -> None:
    """Show the sections whose condition holds, in file order."""
    now = _NOW.get()
    for name, section in now.text.sections.items():
        if section.condition and depth.depth_at_least(section.depth):
            _place_section(name, section)


def _place_section(name: str, section: SectionTemplate) -> None:
    now = _NOW.get()
    names = dict.fromkeys((*section.text_names, *section.condition_names))
    record: Any = value_at_first_option(now.by_choice)
    read, has = (operator.getitem, operator.contains) if isinstance(record, Mapping) else (getattr, hasattr)
    own = [one for one in names if record is not None and one not in now.text_values and has(record, one)]
    if own:  # rendered for each value of the choices

        def text_at(record: Any) -> str:
            given = {one: read(record, one) for one in own}
            if not section.applies(lambda one: given[one] if one in given else now.value_of(one)):
                return ""
            return now.render(section.text, given)

        _mount_texts(name, now.by_choice, text_at)
        return
    values = {one: now.value_of(one) for one in section.condition_names}
    along_choices = {one: value for one, value in values.items() if isinstance(value, ByChoice)}
    if not along_choices and not section.applies(values.__getitem__):
        return  # the values that its text names may not exist
    linked = {one: value for one in names if isinstance(value := now.value_of(one), ByChoice | BrowserComputedValue)}
    if along_choices:

        def shown(*at: object) -> str:
            return name if section.applies((values | dict(zip(along_choices, at, strict=True))).__getitem__) else ""

        show_text_section(map_choices(shown, *along_choices.values()), **linked)
    else:
        show_text_section(name, **linked)


def show_text_section(name: Any, /, **more: object) -> None:
    """Show a section next to the picture in the style that its heading sets (text, caption, info), from its depth on.

    A section with a table, which is too wide for that place, is shown here, and so is one marked (here).

    Args:
        name: of the section, "" for none. The browser fills in a name or values that depend on choices of the page.
    """
    if isinstance(name, ByChoice) and not name.names:  # the server knows the chosen one
        name = name.values
    if not name:
        return
    if any(isinstance(value, ByChoice | BrowserComputedValue) for value in (name, *more.values())):
        _show_linked_text(name, more)
        return
    section = _NOW.get().text.sections[name]
    if depth.depth_at_least(section.depth) and (text := section_text(name, **more).strip()):
        with _place_of(section, text):
            show_markdown(text, section.style)


def show_markdown(text: str, style: str = "text", **how: object) -> None:
    """Show Markdown as text, caption or info. (Streamlit's own `markdown` would be missing in an exported page.)

    Args:
        look: see `_STYLES`.
        how: passed to Streamlit.
    """
    _NOW.get().messages.append(MessageToWidget("sentence", pack_message({"text": text, "look": style}, {}), False))
    _STYLES[style](text, **how)


def show_metric(label: str, value: str | float, change: str | float | None = None, **how: Any) -> None:
    """Show a large number with its label; `how` is passed to Streamlit."""
    _NOW.get().messages.append(
        MessageToWidget("sentence", pack_message({"text": f"{label}: **{value}**", "look": "text"}, {}), False)
    )
    st.metric(label, value, change, **how)


def show_code_block(text: str, language: str | None = None) -> None:
    """Show lines of code or of a model's output."""
    _NOW.get().messages.append(
        MessageToWidget("sentence", pack_message({"text": markdown_code_block(text), "look": "text"}, {}), False)
    )
    st.code(text, language=language, wrap_lines=True)


def _show_linked_text(name: object, more: Mapping[str, object]) -> None:
    """Show a section whose name or values depend on choices."""
    now, facts = _NOW.get(), PlaceholderValues()
    names = [*dict.fromkeys(name.values)] if isinstance(name, ByChoice) else [*getattr(name, "section_names", [name])]
    sections = [now.text.sections[one] for one in names if one]
    if not sections or not all(depth.depth_at_least(section.depth) for section in sections):
        return
    with facts.collect():
        html = {one: markdown_to_html(section_text(one, **more)) if one else "" for one in names}
    _mount_sentence(names[0] or names[-1], {"html": html, "section": name, "facts": facts.values})


def show_text_by_choice(name: str, each: object, *names: str) -> None:
    """Show a section rendered for each combination of some choices; the browser shows the chosen one.

    Args:
        each: the values that it names, for each combination: nested lists, or values indexed by choices already. It
            may depend on further choices. Equal texts are sent once, and a mapping that occurs repeatedly is rendered
            once.
    """
    if depth.depth_at_least(_NOW.get().text.sections[name].depth):
        each = select_by_choice(each, *names) if names else each
        _mount_texts(name, each, lambda values: section_text(name, **values))


def _mount_texts(name: str, each: object, render: Callable[[Any], str]) -> None:
    """Render a section for each combination of some choices; send equal texts once and render equal values once."""
    facts, texts, known = PlaceholderValues(), dict[str, int](), dict[int, tuple[object, str]]()

    def place(values: object) -> str:
        if id(values) not in known:  # stored, so that no other object gets its id
            known[id(values)] = values, str(texts.setdefault(render(values), len(texts)))
        return known[id(values)][1]

    with facts.collect():
        chosen = map_choices(place, each)
    section, only = _NOW.get().text.sections[name], next(iter(texts))
    if len(texts) > 1 or facts.values:
        html = {i: markdown_to_html(text) for text, i in texts.items()}
        _mount_sentence(name, {"html": html, "section": chosen, "facts": facts.values})
    elif only.strip():  # it depends on no choice after all
        with _place_of(section, only):
            show_markdown(only, section.style)


def _mount_sentence(name: str, message: Mapping[str, object]) -> None:
    now = _NOW.get()
    section, n = now.text.sections[name], now.n_mounted[name]
    key = page_element_key("sentence", f"{now.key}-{name}" + (f"-{n}" if n else ""))
    now.n_mounted[name] += 1
    with _place_of(section, section.text):
        mount("sentence", key, pack_message({**message, "look": section.style}, {}), height=24, own_style=False)


def _place_of(section: SectionTemplate, text: str) -> AbstractContextManager[object]:
    """Return the container of a section: the rail next to the picture, or here."""
    return nullcontext() if section.is_inline or _TABLE.search(text) else exhibit_text_container()


def _number(text: str) -> None:
    """Show the main number of an exhibit: the first word of the text, large, with the rest as its label."""
    value, _, what = text.partition(" ")
    st.metric(what, value)


_STYLES: dict[str, Callable[[str], object]] = {
    "text": st.markdown,
    "caption": st.caption,
    "info": st.info,
    "warning": st.warning,
    "error": st.error,
    "success": st.success,
    "number": _number,
}
_TABLE = re.compile(r"^\|", re.MULTILINE)


def show_chart(spec: Mapping[str, Any], *, alt: str = "") -> None:
    """Draw a Vega-Lite chart, which Download then offers.

    Args:
        spec: its "name" becomes the element's key; without a name, its number within the exhibit does.
        alt: a description of the chart; "": the spec's "description".
    """
    now = _NOW.get()
    now.n_mounted["chart"] += 1
    key = spec.get("name") or f"{now.key}-chart-{now.n_mounted['chart']}"
    refuse_reserved_key(key)
    alt = (alt or spec.get("description", "")).replace("*", "")  # it may contain words in bold
    now.figure = spec
    now.messages.append(Chart(spec, alt, color_mode()))
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
