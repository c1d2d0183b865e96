"""What stands around every page: the tools of the sidebar, and what is done before and after the page is drawn."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.ui.controls import persist, sharing, visits
from core.ui.frame import depth, errors, keys


def place() -> None:
    """Depth, the link for others and the keys, at the top of the sidebar."""
    depth.choose()
    sharing.place()
    keys.place()


@contextmanager
def around(page: str) -> Iterator[None]:
    """Draw a page inside.

    A fault of the page shows plain words; it comes back as it was left; the note of a link stands above it; at its end
    the browser gets what it is to remember, and the dialog for a link opens if somebody asked for it.

    Args:
        page: its name in the address.
    """
    with errors.page_guard(), visits.visit(page), persist.written(), sharing.shared():
        yield
