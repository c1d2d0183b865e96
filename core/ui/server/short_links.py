"""Short links: an address of this server, kept under a few letters, for whoever types it or scans its code.

    keep("/heads?layer=1&rank=Induction")   # "k3v9qzt", for /s/k3v9qzt

They lie in the data folder, so that all processes of a server know them. The same address has the same letters.
"""

import base64
import hashlib
import re
from pathlib import Path

from core.data.files import data_dir, write_atomic

LETTERS = 7  # 32 to the 7th: of as many links as are kept, no two are likely to be alike
MAX_CHARS = 8_000  # of an address; a longer one no browser sends
MAX_LINKS = 5_000  # then the oldest go
_NAME = re.compile(rf"[a-z2-7]{{{LETTERS}}}")
_PATH = re.compile(r"[a-z0-9_-]{0,40}(\?[\x21-\x7e]*)?", re.ASCII)


class LinkRefused(ValueError):
    """An address that is not kept; the message says why, in plain words."""


def keep(address: str) -> str:
    """The letters that stand for a page of this server and what its address says.

    Args:
        address: path and query, "/heads?layer=1".

    Raises:
        LinkRefused: for one that is too long, or no page's.
    """
    page = address.lstrip("/")
    if len(page) > MAX_CHARS:
        raise LinkRefused(f"this address has {len(page):,} characters; a short link stands for {MAX_CHARS:,} at most")
    if not is_page(page):
        raise LinkRefused("this is no address of a page here")
    name = base64.b32encode(hashlib.sha256(page.encode()).digest()).decode().lower()[:LETTERS]
    folder = _folder()
    write_atomic(folder / name, page.encode())
    kept = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in kept[: max(0, len(kept) - MAX_LINKS)]:
        old.unlink(missing_ok=True)
    return name


def find(name: str) -> str | None:
    """What these letters stand for, "heads?layer=1"; None if nothing does."""
    if _NAME.fullmatch(name) is None:
        return None
    try:
        page = (_folder() / name).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return page if is_page(page) else None


def is_page(address: str) -> bool:
    """Whether this can be the address of a page here, "heads?layer=1": it leads nowhere else."""
    return len(address) <= MAX_CHARS and _PATH.fullmatch(address) is not None


def _folder() -> Path:
    folder = data_dir() / "links"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
