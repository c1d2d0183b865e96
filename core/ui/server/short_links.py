"""Short links: an address of this server, stored under a few letters that people type or scan.

    keep("/heads?layer=1&rank=Induction")   # "k3v7qzt2ab", for /s/k3v7qzt2ab

They are stored in the data folder, `links/<letters>.<address mark>`, so that all processes of a server know them. Equal
addresses have equal letters, and letters are never reused for a different address.
"""

import base64
import hashlib
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from core.data.files import data_dir, write_atomic
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

LETTERS = 10  # 32 to the 10th
MAX_CHARS = 8_000  # of an address; browsers send no longer ones
MAX_LINKS = 5_000  # of the server; above that, the oldest links of the address with the most are deleted
MAX_OF_ADDRESS = 500  # above that, its oldest are deleted
KEPT_DAYS = 365  # a link is deleted after this time without use
_NAME = re.compile(rf"[a-z2-7]{{7}}|[a-z2-7]{{{LETTERS}}}")  # earlier versions used seven letters
_PATH = re.compile(r"[a-z0-9_-]{0,40}(\?[\x21-\x7e]*)?", re.ASCII)


class ShortLinkRefused(ValueError):
    """An address that cannot be shortened; the message explains why."""


def create_short_link(address: str, mark: str = "") -> str:
    """Store a page's address with its parameters and return the letters of its short link.

    Args:
        address: path and query, "/heads?layer=1".
        mark: the requester's address mark, see `core.ui.server.identity.client_ip`.

    Raises:
        ShortLinkRefused: if it is too long or is not the address of a page.
    """
    page = address.lstrip("/")
    if len(page) > MAX_CHARS:
        raise ShortLinkRefused(LABELS("too_long", n=len(page), most=MAX_CHARS))
    if not is_page_address(page):
        raise ShortLinkRefused(LABELS["not_a_page"])
    for n in count():
        name = _letters(page, n)
        if (path := _place(name)) is None:
            write_atomic(_folder() / f"{name}.{mark}".rstrip("."), page.encode())
            tidy_short_links()
            return name
        if _read(path) == page:
            return name
    raise AssertionError


def find_short_link(name: str) -> str | None:
    """Return the address for these letters, "heads?layer=1", or None."""
    path = _place(name) if _NAME.fullmatch(name) else None
    return None if path is None else _read(path)


def is_page_address(address: str) -> bool:
    """Return whether this can be the address of a page here, "heads?layer=1", so that it leads nowhere else."""
    return len(address) <= MAX_CHARS and _PATH.fullmatch(address) is not None


def tidy_short_links(now: float | None = None) -> None:
    """Delete links that nobody has used for a year, and those beyond the limits."""
    least = (time.time() if now is None else now) - KEPT_DAYS * 24 * 3600
    kept = defaultdict(list)  # by address mark, the oldest first
    for used, path in sorted(_uses()):
        kept[path.suffix].append(path)
        if used < least:
            _drop_oldest(kept[path.suffix])
    for mark, paths in kept.items():
        while mark and len(paths) > MAX_OF_ADDRESS:  # links without a mark were made on this machine
            _drop_oldest(paths)
    for _ in range(sum(map(len, kept.values())) - MAX_LINKS):
        _drop_oldest(max(kept.values(), key=len))


def _uses() -> Iterator[tuple[float, Path]]:
    for path in _folder().glob("[!.]*"):
        with suppress(OSError):  # another process may have deleted it
            yield path.stat().st_mtime, path


def _drop_oldest(paths: list[Path]) -> None:
    paths.pop(0).unlink(missing_ok=True)


def _letters(page: str, n: int) -> str:
    """Return the n-th candidate letters of a page, for pages whose earlier candidates are taken."""
    told = page.encode() if n == 0 else f"{n} {page}".encode()
    return base64.b32encode(hashlib.sha256(told).digest()).decode().lower()[:LETTERS]


def _place(name: str) -> Path | None:
    """Return the file of these letters, or None."""
    return next((path for path in _folder().iterdir() if path.name.partition(".")[0] == name), None)


def _read(path: Path) -> str | None:
    try:
        page = path.read_text(encoding="ascii")
        if is_page_address(page):
            os.utime(path)  # it is in use
            return page
    except (OSError, UnicodeDecodeError):
        pass
    return None


def _folder() -> Path:
    folder = data_dir() / "links"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
