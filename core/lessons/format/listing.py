"""What an exhibit is called and which controls it asks for, read from its file without running it."""

import ast
import importlib
from functools import cache
from pathlib import Path

from core.ui.exhibit.words import FOLDER, words_of
from core.ui.frame.room import Entry

ROOT = Path(__file__).resolve().parents[3]
KINDS = frozenset({"slider", "number", "select", "segmented", "several", "toggle", "text_input", "text_area"})


def about(entry: Entry) -> tuple[str, tuple[str, ...]]:
    """(title, names of controls). The names are those of the whole file, in which other exhibits may stand too;
    names that are put together while it runs are not among them."""
    name = entry.place.split(":")[1]
    *_, room, exhibit = entry.module.split(".")
    if (FOLDER / room / f"{exhibit}.md").exists():
        declared = importlib.import_module(entry.module).Inputs.controls()
        return words_of(room, exhibit).title, tuple(str(one.name) for _, one in declared if one.kind != "asked")
    tree = _tree(entry.module)
    title = next(
        (
            str(word.value.value)
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name == name
            for made in node.decorator_list
            if isinstance(made, ast.Call)
            for word in made.keywords
            if word.arg == "title" and isinstance(word.value, ast.Constant)
        ),
        name,
    )
    return title, tuple(dict.fromkeys(_asked(tree)))


def _asked(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "controls"):
            continue
        if node.func.attr == "seed":
            named = [word.value for word in node.keywords if word.arg == "name"]
            names += [str(one.value) for one in named if isinstance(one, ast.Constant)] or ["seed"]
        elif node.func.attr in KINDS and node.args and isinstance(node.args[0], ast.Constant):
            names.append(str(node.args[0].value))
    return names


@cache
def _tree(module: str) -> ast.Module:
    path = ROOT / Path(*module.split("."))
    return ast.parse(path.with_suffix(".py").read_text(encoding="utf-8"))
