"""What stands around every page: the tools of the sidebar, and what is done before and after the page is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.ui import asked, depth, errors, keys, remember, sharing


def place() -> None:
    """Depth, the link for others and the keys, at the top of the sidebar."""
    depth.choose()
    sharing.place()
    keys.place()


@contextmanager
def around() -> Iterator[None]:
    """Draw a page inside.

    A fault of the page shows plain words; its controls are noted; the note of a link stands above it; at its end the
    browser gets what it is to remember, and the dialog for a link opens if somebody asked for it.
    """
    asked.begin()
    with errors.page_guard(), remember.written(), sharing.shared():
        yield
