"""Files of our own that the browser loads: widget scripts and fonts, at fixed addresses on this server."""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[3]
Kind = Literal["widgets", "fonts"]

MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


def find(kind: Kind, name: str) -> Path | None:
    """The file of this name, or None.

    The name is only ever compared with the names that stand in the folder, so no path can be built from it.
    """
    folder = ROOT / "assets" / kind
    if not folder.is_dir():
        return None
    for path in folder.iterdir():
        if path.name == name and path.suffix in MEDIA_TYPES and path.is_file() and not path.is_symlink():
            return path
    return None


def version(path: Path) -> str:
    """A short digest of the file's content."""
    return _digest(path, path.stat().st_mtime_ns)


def asset_url(kind: Kind, name: str) -> str:
    """The address of an asset with its version, which browsers may then keep for a year.

    Raises:
        FileNotFoundError: if there is no such asset.
    """
    path = find(kind, name)
    if path is None:
        raise FileNotFoundError(f"assets/{kind} has no file {name!r}")
    return f"/{kind}/{name}?v={version(path)}"


@lru_cache(maxsize=64)
def _digest(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
