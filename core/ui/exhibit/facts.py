"""Facts of a sentence that depend on what is chosen: the server writes their places, the browser fills them in.

A template names them as it names any value: `{{ weight|of(".2f") }}`. See `assets/widgets/page/sentence.js`.
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
    """The facts of one sentence, in the order of their places."""

    found: list[Along | Computed] = field(default_factory=list)  # texts along choices, or computed from them

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Note what a template that is filled inside asks for."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    def place(self, fact: Along | Computed) -> str:
        """What stands in the sentence for it."""
        self.found.append(over(str, fact) if isinstance(fact, Along) else fact)
        return f"\ue000{len(self.found) - 1}\ue001"


_NOW: ContextVar[Facts] = ContextVar("facts")


def place_of(fact: Along | Computed) -> str:
    """The place of a fact in the sentence that is being filled. Raises LookupError where no browser fills it in."""
    return _NOW.get().place(fact)


def along(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """A filter of one value, for one that depends on choices as well; of a computed one the browser knows the name."""

    def fill(value: object, *args: object, **how: object) -> object:
        if isinstance(value, Computed):
            return replace(value, instead=fill(value.instead, *args, **how), shown=(name, *args, *how.values()))
        if isinstance(value, Along):
            return over(lambda one: function(one, *args, **how), value)
        return function(value, *args, **how)

    return fill


@lru_cache(1_024)  # most sentences are the same for all visitors
def to_html(text: str) -> str:
    """Markdown as a page has it."""
    html: str = _MARKDOWN.render(text)
    return html
