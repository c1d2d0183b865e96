"""The scripts of some widgets and all that they import, as modules inside of one HTML file.

Each module becomes an address of its own that holds its text (`data:`), and an import map says which name means which.
So nothing is translated: what runs in the file is what runs in the app.
"""

import re
import string
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from urllib.parse import quote

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "widgets"
_PLAIN = string.punctuation.replace("%", "").replace("#", "") + " "  # all else would be changed in an address
_IMPORT = re.compile(r"""^((?:import|export)\b[^"';]*?|\} from )"(\.{1,2}/[^"]+)";$""", re.MULTILINE)


def import_map(names: Iterable[str]) -> dict[str, str]:
    """Name of a module, "glassformer/shared/matrix.js" -> its address, for these widgets and all that they import.

    Raises FileNotFoundError if there is no such widget.
    """
    texts = {name_of(path): _module(path)[0] for path in modules(names)}
    return {
        name: f"data:text/javascript;charset=utf-8,{quote(text, safe=_PLAIN)}" for name, text in sorted(texts.items())
    }


def modules(names: Iterable[str]) -> list[Path]:
    """The files of these widgets and of all that they import.

    Raises FileNotFoundError if there is no such widget.
    """
    found: list[Path] = []
    waiting = [place_of(name) for name in names]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
            waiting += _module(path)[1]
    return found


def place_of(widget: str) -> Path:
    """The file of a widget, whose name is in no two folders."""
    path = next(FOLDER.rglob(f"{widget}.js"), None)
    if path is None:
        raise FileNotFoundError(f"there is no widget {widget!r}")
    return path


def name_of(path: Path) -> str:
    """The name under which a module is imported in the file."""
    return f"glassformer/{path.relative_to(FOLDER).as_posix()}"


@cache
def _module(path: Path) -> tuple[str, tuple[Path, ...]]:
    """A module's text with imports by name, and the files that it imports."""
    imported: list[Path] = []

    def named(match: re.Match[str]) -> str:
        imported.append((path.parent / match[2]).resolve())
        return f'{match[1]}"{name_of(imported[-1])}";'

    return _IMPORT.sub(named, path.read_text(encoding="utf-8")), tuple(imported)
