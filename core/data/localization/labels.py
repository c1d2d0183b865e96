"""The texts on the screen by key, in the language of the server.

A section of a Markdown file lists them, one on a line; a long one continues on indented lines:

    ## Labels
    reads: The text reads
    reads.self: This text itself
    n_open: {n} cells are open
    n_open.one: One cell is open

An exhibit's labels are in the section "Labels" of its text, `assets/rooms/<room>/<exhibit>.md`; those of a room's
other modules are in `labels.md` next to it, those of the other packages in `assets/labels/<package>.md`, in a section
with the module's name.

The language is that of the server (`core.data.localization.locales`). The translation of `assets/a/b.md` is
`assets/locales/<locale>/a/b.md`; a label that it lacks is shown in English. "en-XA" is a pseudo-locale for tests: all
texts of ours are in brackets and a third longer, so that one without a key is easy to see.
"""

import ast
import json
import re
import string
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, overload

from core.data.localization.locales import LOCALE, PSEUDO_LOCALE, plural_category
from core.data.localization.numbers import format_number

Key = TypeVar("Key")
ASSETS = Path(__file__).resolve().parents[3] / "assets"
_SECTION = re.compile(r"^## +([\w.]+) *$", re.MULTILINE)
# A text in a table of scripts: `key: "text",` or `"a.b": 'text',`, on one line or two.
_SCRIPT_TEXT = re.compile(r"""(^ +(?:\w+|"[^"\n]+"):\s+)("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')(,?$)""", re.MULTILINE)
_LABEL = re.compile(r"([\w.%+-]+):(?: (.*))?")
# What a pseudo-translation leaves unchanged: template commands, placeholders, code, formulas, HTML, targets of links.
_PROTECTED = re.compile(
    r"(\{\{.*?\}\}|\{%.*?%\}|\{[^{}]*\}|`[^`]*`|\$[^$\n]*\$|<[^>\n]*>|(?<=\])\([^)\n]*\)|:material/\w+:)", re.DOTALL
)
_CELL_BORDER = re.compile(r"\|(?![^{]*\}\})")  # not the filter of {{ loss|of(".2f") }}


class _LocaleFormatter(string.Formatter):
    """`str.format`, with numbers as the language writes them."""

    def format_field(self, value: object, format_spec: str) -> str:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return format_number(value, format_spec) if is_number else format(value, format_spec)  # type: ignore[arg-type]


class Label(str):
    """A text with a name that is the same in every language, by which an address knows what it is the title of."""

    name: str

    def __new__(cls, text: str, name: str = "", /, **values: object) -> "Label":
        """Return a text with a name; the values that were filled in are part of it, a label by its own name."""
        made = super().__new__(cls, text)
        named = (f"{key}={value.name if isinstance(value, Label) else value}" for key, value in values.items())
        made.name = " ".join((name, *named))
        return made


class Labels(Mapping[str, str]):
    """The labels of one module, each a `Label`: `labels["reads"]`, or with values, `labels("n_open", n=3)`."""

    def __init__(self, texts: Mapping[str, str], place: str = "", module: str = "") -> None:
        self._texts = {key: Label(text, f"{module}:{key}") for key, text in texts.items()}
        self._place, self._module = place, module

    def __getitem__(self, key: str) -> str:
        if key not in self._texts:
            raise KeyError(f"{self._place} has no label {key!r}")
        return self._texts[key]

    def __contains__(self, key: object) -> bool:
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __call__(self, key: str, /, **values: object) -> str:
        """Return a label with its values filled in; with `n`, the label `key.one`, `key.few`, …, if there is one.

        Which numbers have which form depends on the language, see `plural_category`.
        """
        n = values.get("n")
        plural = f"{key}.{plural_category(n)}" if isinstance(n, int | float) else key
        text = _LocaleFormatter().vformat(self[plural if plural in self else key], (), values)
        return Label(text, f"{self._module}:{key}", **values)

    @staticmethod
    def capitalize(text: str) -> str:
        """Return a text as the beginning of a sentence: with a capital; the rest keeps those that it has."""
        made = f"{text[:1].upper()}{text[1:]}"
        return Label(made, text.name) if isinstance(text, Label) else made

    @overload
    def options(self, field: str) -> dict[str, str]: ...

    @overload
    def options(self, field: str, *keys: Key) -> dict[Key, str]: ...

    def options(self, field: str, *keys: object) -> Mapping[Any, str]:
        """Return the labels `field.key` by key: of these keys, or of all in the order of the file."""
        if keys:
            return {key: self[f"{field}.{key}"] for key in keys}
        start = f"{field}."
        return {key.removeprefix(start): text for key, text in self.items() if key.startswith(start)}


@cache
def module_labels(module: str) -> Labels:
    """Return the labels of a module: `LABELS = module_labels(__name__)`."""
    path, section = _place(module)
    texts: dict[str, str] = {}
    for one in dict.fromkeys((path, localized_path(path))):
        texts |= _read_labels(one).get(section, {}) if one.exists() else {}
    if LOCALE == PSEUDO_LOCALE:
        texts = {key: pseudo_translate(text) for key, text in texts.items()}
    return Labels(texts, f"“{section}” in {path.name}", module.removeprefix("glassformer.").removeprefix("core."))


def localized_path(path: Path) -> Path:
    """Return the path of a file's translation, or its own path without one.

    The table of a folder's scripts, `labels.js`, is translated as a whole. The pseudo-locale's is written to a
    temporary folder.
    """
    if LOCALE == PSEUDO_LOCALE and path.name == "labels.js":
        return _pseudo_script(path)
    if not path.is_relative_to(ASSETS):  # of a room from another package
        translated = path.parent / "locales" / LOCALE / path.name
    else:
        translated = ASSETS / "locales" / LOCALE / path.relative_to(ASSETS)
    return translated if translated.exists() else path


def pseudo_translate(text: str) -> str:
    """Return a text in brackets and a third longer, with its placeholders, code, formulas and links unchanged."""
    parts = _PROTECTED.split(text)
    n_letter = sum(sum(map(str.isalpha, part)) for part in parts[::2])
    return f"⟦{text}{'~' * -(-n_letter // 3)}⟧" if n_letter else text


def pseudo_markdown(text: str) -> str:
    """Return the pseudo-translation of a text of several paragraphs, list items and table rows."""
    blocks = re.split(r"(\n\s*\n|\n(?=\||[-*] |\d+\. |\{%)|(?<=%\})\n)", text)
    return "".join(
        "|".join(map(_pseudo_cell, _CELL_BORDER.split(block))) if block.startswith("|") else _pseudo_cell(block)
        for block in blocks
    )


def _pseudo_cell(text: str) -> str:
    """Translate a paragraph without the mark of a list or the spaces around it."""
    found = re.fullmatch(r"(\s*(?:[-*] |\d+\. |#+ )?)(.*?)(\s*)", text, re.DOTALL)
    assert found is not None
    return found[1] + pseudo_translate(found[2]) + found[3]


@cache
def _pseudo_script(path: Path) -> Path:
    """Write the pseudo-translation of a table of scripts' texts, and return its path."""

    def translate(found: re.Match[str]) -> str:
        return found[1] + json.dumps(pseudo_translate(ast.literal_eval(found[2])), ensure_ascii=False) + found[3]

    made = Path(tempfile.mkdtemp(dir=_pseudo_folder().name)) / path.name
    made.write_text(_SCRIPT_TEXT.sub(translate, path.read_text(encoding="utf-8")), encoding="utf-8")
    return made


@cache
def _pseudo_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder for translated scripts, which is deleted when the program ends."""
    return tempfile.TemporaryDirectory(prefix="glassformer-")


def _place(module: str) -> tuple[Path, str]:
    """Return the file with a module's labels, and their section."""
    package, *inside = module.removeprefix("glassformer.").split(".")  # the wheel's name
    if package == "core" and (inside[:1] != ["rooms"] or len(inside) == 1):
        file = inside[0] if inside else package
        return ASSETS / "labels" / f"{file}.md", ".".join(inside[1:]) or file
    if package == "core":
        folder, inside = ASSETS / "rooms" / inside[1], inside[2:]
    else:
        spec = None if package == "__main__" else find_spec(package)
        folder = Path(spec.origin if spec is not None and spec.origin is not None else package).parent / "assets"
    own = folder / f"{inside[-1]}.md" if len(inside) == 1 else None
    is_exhibit = own is not None and own.exists()
    return (own, "Labels") if own and is_exhibit else (folder / "labels.md", ".".join(inside) or "room")


@cache
def _read_labels(path: Path) -> dict[str, dict[str, str]]:
    """Read the labels of each section of a file whose name is a module's, or "Labels"."""
    _, *rest = _SECTION.split(path.read_text(encoding="utf-8"))
    is_shared = path.parent.name == "labels" or path.name == "labels.md"
    sections = dict(zip(rest[::2], rest[1::2], strict=True))
    return {
        name: _parse_labels(re.split(r"^## ", body, flags=re.MULTILINE)[0], path)
        for name, body in sections.items()
        if is_shared or name == "Labels"
    }


def _parse_labels(body: str, path: Path) -> dict[str, str]:
    """Parse the lines of a section. Raises ValueError if one isn't `key: text`, or a key occurs twice."""
    found: dict[str, str] = {}
    key = ""
    for line in body.strip().split("\n"):
        if line.startswith(" ") and key:
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line.strip():
            match = _LABEL.fullmatch(line)
            if match is None or match[1] in found:
                raise ValueError(f"{path.name}: {line[:60]!r} is not “key: text”, or the key occurs twice")
            key, found[key] = match[1], (match[2] or "").strip()
    return found
