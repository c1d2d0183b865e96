"""Titles and descriptions of pictures hold no Markdown: a screen reader once read "asterisk asterisk Control 3"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from core.ui.exhibit.exhibit_text import load_exhibit_markdown

ROOT = Path(__file__).resolve().parents[2]
SHOWN_AS_THEY_ARE = {"label", "alt", "takeaway", "title", "x", "y", "row_title", "column_title", "value_title"}
MARKS = re.compile(r"\*|`|\$|\]\(|\\")


def _named() -> Iterator[tuple[str, str, str]]:
    """Room, module, section of each `ui.section_text` that a picture shows as is, and of each section (plain)."""
    for path in sorted((ROOT / "core/rooms").glob("*/**/*.py")):
        room = path.relative_to(ROOT / "core/rooms").parts[0]
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for given in call.keywords if isinstance(call, ast.Call) else ():
                if given.arg not in SHOWN_AS_THEY_ARE:
                    continue
                for said in ast.walk(given.value):
                    if isinstance(said, ast.Call) and ast.unparse(said.func) == "ui.section_text":
                        yield from (
                            (room, path.stem, one.value) for one in said.args[:1] if isinstance(one, ast.Constant)
                        )
    for path in sorted((ROOT / "assets/rooms").glob("*/*.md")):
        is_exhibit = path.stem not in ("page", "labels")
        sections = load_exhibit_markdown(path.parent.name, path.stem).sections if is_exhibit else {}
        plain = {name for name, one in sections.items() if one.style == "plain"}
        yield from ((path.parent.name, path.stem, name) for name in plain - _written(path.parent.name, path.stem))


def _written(room: str, module: str) -> set[str]:
    """Sections that an exhibit hands to `ui.show_markdown`, which reads Markdown."""
    path = ROOT / "core/rooms" / room / f"{module}.py"
    calls = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.exists() else ()
    written = [one for one in calls if isinstance(one, ast.Call) and ast.unparse(one.func) == "ui.show_markdown"]
    return {str(one.value) for call in written for one in ast.walk(call) if isinstance(one, ast.Constant)}


def test_text_drawn_verbatim_has_no_markdown():
    named = list(_named())
    assert len(named) > 50
    marked = set()
    for room, module, name in named:
        files = {path.stem for path in (ROOT / "assets/rooms" / room).glob("*.md")} - {"page", "labels"}
        for file in {module} & files or files:
            section = load_exhibit_markdown(room, file).sections.get(name)
            told = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", section.text, flags=re.DOTALL) if section else ""
            if MARKS.search(told):
                marked.add(f"{room}/{file}.md ## {name}")
    assert not marked
