"""Short links: an address of this server, kept under a few letters, for whoever types it or scans its code.

    keep("/heads?layer=1&rank=Induction")   # "k3v7qzt2ab", for /s/k3v7qzt2ab

They lie in the data folder, so that all processes of a server know them: `links/<letters>.<address mark>`. The same
address has the same letters, and they never come to stand for another one.
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

LETTERS = 10  # 32 to the 10th
MAX_CHARS = 8_000  # of an address; a longer one no browser sends
MAX_LINKS = 5_000  # of the server; then the oldest go of whichever address has the most
MAX_OF_ADDRESS = 500  # then its oldest go
KEPT_DAYS = 365  # without a use
_NAME = re.compile(rf"[a-z2-7]{{7}}|[a-z2-7]{{{LETTERS}}}")  # earlier versions gave seven letters
_PATH = re.compile(r"[a-z0-9_-]{0,40}(\?[\x21-\x7e]*)?", re.ASCII)


class LinkRefused(ValueError):
    """An address that is not kept; the message says why, in plain words."""


def keep(address: str, mark: str = "") -> str:
    """Return the letters that stand for a page of this server and what its address says.

    Args:
        address: path and query, "/heads?layer=1".
        mark: the address mark of whoever asks, see `core.ui.server.identity.address`.

    Raises:
        LinkRefused: for one that is too long, or no page's.
    """
    page = address.lstrip("/")
    if len(page) > MAX_CHARS:
        raise LinkRefused(f"this address has {len(page):,} characters; a short link stands for {MAX_CHARS:,} at most")
    if not is_page(page):
        raise LinkRefused("this is no address of a page here")
    for n in count():
        name = _letters(page, n)
        if (path := _place(name)) is None:
            write_atomic(_folder() / f"{name}.{mark}".rstrip("."), page.encode())
            tidy()
            return name
        if _read(path) == page:
            return name
    raise AssertionError


def find(name: str) -> str | None:
    """The page that these letters stand for, "heads?layer=1"; None if there is none."""
    path = _place(name) if _NAME.fullmatch(name) else None
    return None if path is None else _read(path)


def is_page(address: str) -> bool:
    """Whether this can be the address of a page here, "heads?layer=1": it leads nowhere else."""
    return len(address) <= MAX_CHARS and _PATH.fullmatch(address) is not None


def tidy(now: float | None = None) -> None:
    """Delete links that nobody has used for a year, and those beyond the limits."""
    least = (time.time() if now is None else now) - KEPT_DAYS * 24 * 3600
    kept = defaultdict(list)  # by address mark, the oldest first
    for used, path in sorted(_uses()):
        kept[path.suffix].append(path)
        if used < least:
            _drop_oldest(kept[path.suffix])
    for mark, paths in kept.items():
        while mark and len(paths) > MAX_OF_ADDRESS:  # without a mark: made at the machine itself
            _drop_oldest(paths)
    for _ in range(sum(map(len, kept.values())) - MAX_LINKS):
        _drop_oldest(max(kept.values(), key=len))


def _uses() -> Iterator[tuple[float, Path]]:
    for path in _folder().glob("[!.]*"):
        with suppress(OSError):  # another process makes room, too
            yield path.stat().st_mtime, path


def _drop_oldest(paths: list[Path]) -> None:
    paths.pop(0).unlink(missing_ok=True)


def _letters(page: str, n: int) -> str:
    """The letters of a page; the n-th ones, where another page has those before."""
    told = page.encode() if n == 0 else f"{n} {page}".encode()
    return base64.b32encode(hashlib.sha256(told).digest()).decode().lower()[:LETTERS]


def _place(name: str) -> Path | None:
    """The file of these letters."""
    return next((path for path in _folder().iterdir() if path.name.partition(".")[0] == name), None)


def _read(path: Path) -> str | None:
    try:
        page = path.read_text(encoding="ascii")
        if is_page(page):
            os.utime(path)  # it is in use
            return page
    except (OSError, UnicodeDecodeError):
        pass
    return None


def _folder() -> Path:
    folder = data_dir() / "links"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
