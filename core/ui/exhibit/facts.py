"""Values in a text that depend on choices: the server writes placeholders, the browser fills them in.

A template names them like any other value: `{{ weight|of(".2f") }}`. See `assets/widgets/page/sentence.js`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache

from markdown_it import MarkdownIt

from core.browser.linked import Along, Computed, over

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass
class Facts:
    """The choice-dependent values of one text, in the order of their placeholders."""

    found: list[Along | Computed] = field(default_factory=list)  # texts indexed by choices, or computed in the browser

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Collect the choice-dependent values of a template that is rendered inside."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    def place(self, fact: Along | Computed) -> str:
        """Return the placeholder of a value and store the value."""
        self.found.append(over(str, fact) if isinstance(fact, Along) else fact)
        return f"\ue000{len(self.found) - 1}\ue001"


_NOW: ContextVar[Facts] = ContextVar("facts")


def place_of(fact: Along | Computed) -> str:
    """Return a value's placeholder in the text being rendered. Raises LookupError if no browser fills it in."""
    return _NOW.get().place(fact)


def along(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """Extend a template filter to values that depend on choices; for a computed one, the browser knows it by name."""

    def fill(value: object, *args: object, **how: object) -> object:
        if isinstance(value, Computed):
            return replace(value, instead=fill(value.instead, *args, **how), shown=(name, *args, *how.values()))
        if isinstance(value, Along):
            return over(lambda one: function(one, *args, **how), value)
        return function(value, *args, **how)

    return fill


@lru_cache(1_024)  # most sentences are the same for all visitors
def to_html(text: str) -> str:
    """Convert Markdown to HTML."""
    html: str = _MARKDOWN.render(text)
    return html
