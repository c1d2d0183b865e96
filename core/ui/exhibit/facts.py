"""Facts of a sentence that depend on what is chosen: the server writes their places, the browser fills them in.

A template names them as it names any value: `{{ weight|of(".2f") }}`. See `assets/widgets/page/sentence.js`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from markdown_it import MarkdownIt

from core.ui.linked import Along, over

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@dataclass
class Facts:
    """The facts of one sentence, in the order of their places.

    Attributes:
        found: texts along choices.
    """

    found: list[Along] = field(default_factory=list)

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Note what a template that is filled inside asks for."""
        token = _NOW.set(self)
        try:
            yield
        finally:
            _NOW.reset(token)

    def place(self, fact: Along) -> str:
        """What stands in the sentence for it."""
        self.found.append(over(str, fact))
        return f"\ue000{len(self.found) - 1}\ue001"


_NOW: ContextVar[Facts] = ContextVar("facts")


def place_of(fact: Along) -> str:
    """The place of a fact in the sentence that is being filled. Raises LookupError where no browser fills it in."""
    return _NOW.get().place(fact)


def along(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter of one value, for one that depends on choices as well."""
    return lambda value, *args, **how: (
        over(lambda one: function(one, *args, **how), value)
        if isinstance(value, Along)
        else function(value, *args, **how)
    )


def to_html(text: str) -> str:
    """Markdown as a page has it."""
    html: str = _MARKDOWN.render(text)
    return html
