"""Our own files for the browser: widget scripts and fonts, at fixed addresses on this server."""

import hashlib
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from core.data.localization.labels import localized_path

ROOT = Path(__file__).resolve().parents[3]
AssetKind = Literal["widgets", "fonts"]

MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".woff2": "font/woff2",
    ".svg": "image/svg+xml",
}


def find_asset(kind: AssetKind, name: str) -> Path | None:
    """Return the file of this name, such as "inter.woff2" or "masks/reach.js", or None.

    The name is only compared with the names in the folder, so it can never form a path.
    """
    path = _files(ROOT / "assets" / kind).get(name)
    if path is None or not path.is_file() or path.is_symlink():
        return None
    return localized_path(path) if path.name == "labels.js" else path


def asset_version(path: Path) -> str:
    """Return a short digest of the file's content."""
    return _digest(path, path.stat().st_mtime_ns)


def asset_url(kind: AssetKind, name: str) -> str:
    """Return the address of an asset with its version, which browsers may cache for a year; file names are unique.

    Raises:
        FileNotFoundError: if there is no such asset.
    """
    known = next((known for known, path in _files(ROOT / "assets" / kind).items() if path.name == name), None)
    path = None if known is None else find_asset(kind, known)
    if path is None:
        raise FileNotFoundError(f"assets/{kind} has no file {name!r}")
    return f"/{kind}/{known}?v={asset_version(path)}"


@cache  # a page uses about a hundred of them
def _files(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their names in an address."""
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.suffix in MEDIA_TYPES}


@lru_cache(maxsize=256)
def _digest(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
