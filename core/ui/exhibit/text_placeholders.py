"""Values in a text that depend on choices: the server writes placeholders, the browser fills them in.

A template names them like any other value: `{{ weight|of(".2f") }}`. See `assets/widgets/page/sentence.js`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache

from markdown_it import MarkdownIt

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice, map_choices

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass
class PlaceholderValues:
    """The choice-dependent values of one text, in the order of their placeholders."""

    values: list[ByChoice | BrowserComputedValue] = field(
        default_factory=list
    )  # texts indexed by choices, or computed in the browser

    @contextmanager
    def collect(self) -> Iterator[None]:
        """Collect the choice-dependent values of a template that is rendered inside."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    def add_slot(self, fact: ByChoice | BrowserComputedValue) -> str:
        """Return the placeholder of a value and store the value."""
        self.values.append(map_choices(str, fact) if isinstance(fact, ByChoice) else fact)
        return f"\ue000{len(self.values) - 1}\ue001"


_NOW: ContextVar[PlaceholderValues] = ContextVar("facts")


def placeholder_in_text(fact: ByChoice | BrowserComputedValue) -> str:
    """Return a value's placeholder in the text being rendered. Raises LookupError if no browser fills it in."""
    return _NOW.get().add_slot(fact)


def choice_aware_template_filter(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """Extend a template filter to values that depend on choices; for a computed one, the browser knows it by name."""

    def fill(value: object, *args: object, **how: object) -> object:
        if isinstance(value, BrowserComputedValue):
            return replace(
                value, server_value=fill(value.server_value, *args, **how), filter_call=(name, *args, *how.values())
            )
        if isinstance(value, ByChoice):
            return map_choices(lambda one: function(one, *args, **how), value)
        return function(value, *args, **how)

    return fill


@lru_cache(1_024)  # most sentences are the same for all visitors
def markdown_to_html(text: str) -> str:
    """Convert Markdown to HTML."""
    html: str = _MARKDOWN.render(text)
    return html
