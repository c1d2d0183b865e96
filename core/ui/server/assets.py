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
    """The file of this name, such as "inter.woff2" or "masks/reach.js", or None.

    The name is only ever compared with the names that stand in the folder, so no path can be built from it.
    """
    return next((path for path, known in _files(kind) if known == name), None)


def version(path: Path) -> str:
    """A short digest of the file's content."""
    return _digest(path, path.stat().st_mtime_ns)


def asset_url(kind: Kind, name: str) -> str:
    """The address of an asset with its version, which browsers may then keep for a year; no two have one file name.

    Raises:
        FileNotFoundError: if there is no such asset.
    """
    found = next(((path, known) for path, known in _files(kind) if path.name == name), None)
    if found is None:
        raise FileNotFoundError(f"assets/{kind} has no file {name!r}")
    return f"/{kind}/{found[1]}?v={version(found[0])}"


def _files(kind: Kind) -> list[tuple[Path, str]]:
    """The files of this kind, with their names below its folder."""
    folder = ROOT / "assets" / kind
    paths = [path for path in folder.rglob("*") if path.suffix in MEDIA_TYPES and path.is_file()]
    return [(path, path.relative_to(folder).as_posix()) for path in paths if not path.is_symlink()]


@lru_cache(maxsize=64)
def _digest(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
