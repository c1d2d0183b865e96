"""Bundles the scripts of some widgets and everything they import into a single script for an HTML file.

Each module becomes a function that runs once, after the modules that it imports; only its imports and exports are
rewritten. So the page's content security policy can allow a single script by its hash, and no addresses.
"""

import re
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from core.data.localization.labels import localized_path

WIDGETS_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "widgets"
_IMPORT = re.compile(r'^import (?:([^"\';]*?) from )?"(\.{1,2}/[^"]+)";$', re.MULTILINE)
_PASSED_ON = re.compile(r'^export \{([\w\s,$]*)\} from "(\.{1,2}/[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) ([\w$]+)", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_ENDS_SCRIPT = re.compile(r"<(?:!--|/?script)", re.IGNORECASE)


def bundle_script(runtime: str, widgets: Iterable[str]) -> str:
    """Return the script: all modules, then a call of the runtime's `start` with each widget's function by name.

    Raises:
        FileNotFoundError: if there is no such widget.
        ValueError: if a module uses syntax that isn't supported here, or two modules import each other.
    """
    names = list(dict.fromkeys(widgets))
    order = TopologicalSorter(
        {path: _module(path)[1] for path in widget_files_with_imports([runtime, *names])}
    ).static_order()
    parts = [f"const {_variable(path)} = (() => {{\n{_module(path)[0]}\n}})();" for path in order]
    mounts = ", ".join(f"{one}: {_variable(_find_widget_file(one))}.default" for one in names)
    whole = "\n".join([*parts, f"{_variable(_find_widget_file(runtime))}.start({{ {mounts} }});"])
    if found := _ENDS_SCRIPT.search(whole):
        raise ValueError(f"a module has {found[0]!r} in it, which would end the script of a page")
    return whole


def widget_files_with_imports(names: Iterable[str]) -> list[Path]:
    """Return the files of these widgets and of everything they import.

    Raises FileNotFoundError if there is no such widget.
    """
    found: list[Path] = []
    waiting = [_find_widget_file(name) for name in names]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
            waiting += _module(path)[1]
    return found


def _find_widget_file(widget: str) -> Path:
    """Return the file of a widget; widget names are unique across folders."""
    path = next(WIDGETS_FOLDER.rglob(f"{widget}.js"), None)
    if path is None:
        raise FileNotFoundError(f"there is no widget {widget!r}")
    return path


@cache
def _module(path: Path) -> tuple[str, tuple[Path, ...]]:
    """Convert a module to the body of a function that returns its exports; also return the files that it imports."""
    imported: list[Path] = []
    exported: list[str] = []

    def variable(address: str) -> str:
        imported.append((path.parent / address).resolve())
        return _variable(imported[-1])

    def take(found: re.Match[str]) -> str:
        what, module = found[1], variable(found[2])
        return "\n".join(f"const {name} = {value};" for name, value in _taken(what or "", module))

    def pass_on(found: re.Match[str]) -> str:
        module = variable(found[2])
        exported.extend(f"{one.strip()}: {module}.{one.strip()}" for one in found[1].split(",") if one.strip())
        return ""

    def name(found: re.Match[str]) -> str:
        exported.append(found[2])
        return f"{found[1]} {found[2]}"

    text = localized_path(path).read_text(encoding="utf-8")
    for pattern, write in ((_IMPORT, take), (_PASSED_ON, pass_on), (_EXPORT, name)):
        text = pattern.sub(write, text)
    text, n_default = _DEFAULT.subn("const default$ = ", text)
    if unknown := _UNKNOWN.search(text):
        raise ValueError(f"{path.name}: this import or export isn't known here: {unknown[0]}")
    exported += ["default: default$"] * n_default
    return f"{text}return {{ {', '.join(exported)} }};", tuple(imported)


def _taken(what: str, module: str) -> list[tuple[str, str]]:
    """Return the names that `import what from …` defines, and values: `name, * as all, { one, two as other }`."""
    braces = re.search(r"\{([^}]*)\}", what)
    taken = []
    for one in re.sub(r"\{[^}]*\}", "", what).split(","):
        if one.strip():
            all_of = re.fullmatch(r"\* as ([\w$]+)", one.strip())
            taken.append((all_of[1], module) if all_of else (one.strip(), f"{module}.default"))
    for one in braces[1].split(",") if braces else ():
        if one.strip():
            theirs, _, ours = one.partition(" as ")
            taken.append(((ours or theirs).strip(), f"{module}.{theirs.strip()}"))
    return taken


def _variable(path: Path) -> str:
    """Return the name of the constant that holds a module's exports, such as `$drawing_elements`."""
    return "$" + re.sub(r"\W", "_", path.relative_to(WIDGETS_FOLDER).with_suffix("").as_posix())
