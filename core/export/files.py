"""The files of exported pages: how they are written, and how one of ours is known again."""

from pathlib import Path

from core.browser.page import MADE_WITH
from core.data.files import write_atomic


def is_page(path: Path) -> bool:
    """True if a file is a page that was exported here."""
    try:
        return MADE_WITH.encode() in path.read_bytes()
    except OSError:
        return False


def write_page(path: Path, page: str) -> None:
    """Write a page, whole or not at all, for everyone to read, as a static host must. Raises OSError."""
    write_atomic(path, page.encode("utf-8"))
    path.chmod(0o644)
