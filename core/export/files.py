"""The files of exported pages: writing them, and recognizing our own."""

from pathlib import Path

from core.browser.page import MADE_WITH
from core.data.files import write_atomic


def is_exported_page(path: Path) -> bool:
    """True if a file is a page that was exported here."""
    try:
        return MADE_WITH.encode() in path.read_bytes()
    except OSError:
        return False


def write_page(path: Path, page: str) -> None:
    """Write a page atomically, readable by everyone, as a static host needs it. Raises OSError."""
    write_atomic(path, page.encode("utf-8"))
    path.chmod(0o644)
