"""Names in prose, checked without computing anything: a misspelled one is found here and not when a page is drawn."""

import ast
import importlib
import inspect
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path
from types import ModuleType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from jinja2 import meta, nodes

from core.exhibit import Inputs
from core.rooms import all_exhibits
from core.ui.exhibit.exhibit_text import _ENVIRONMENT, ExhibitMarkdown, load_exhibit_markdown

FRAME = {"at", "guess_result", "outcome_text"}  # what the frame derives
BY_FRAME = {"button", "train", "wait"}  # sections that the frame asks for
NAMES = sorted(all_exhibits())


def parts_of(kind: Any) -> set[str]:
    """Return the fields, properties and methods of a result or of inputs; for a union, of each member."""
    names: set[str] = set()
    for one in get_args(kind) or (kind,):
        names |= {name for name in dir(one) if not name.startswith("_")} | set(getattr(one, "__dataclass_fields__", ()))
    return names


@cache
def handed_over(folder: Path) -> tuple[frozenset[str], frozenset[str]]:
    """A room's keywords of `ui.show_text_section`, `ui.add_template_values` and the like, and all its strings."""
    keywords, strings = set[str](), set[str]()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg:
                keywords.add(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                keywords.add(node.target.id)  # a field of a record that is handed over
    return frozenset(keywords), frozenset(strings)


def is_made_of(name: str, strings: Set[str]) -> bool:
    """Return whether code builds the name from parts: f"title-{kind}" or f"{kind}_p"."""
    cuts = [i + 1 for i, letter in enumerate(name) if letter in "-_"]
    return any(name[:i] in strings or name[i - 1 :] in strings for i in cuts)


def templates(words: ExhibitMarkdown) -> Iterator[tuple[str, str]]:
    yield "title", words.title
    yield "look for", words.look_for
    yield "formula", words.formula or ""
    for one in words.try_chips:
        yield "Try", one.action + one.expectation
    for name, section in words.sections.items():
        yield name, section.text
        if section.condition:
            yield f"{name} if", f"{{{{ {section.condition} }}}}"


def exhibit_of(name: str) -> tuple[ModuleType, ExhibitMarkdown, Path]:
    module = importlib.import_module(all_exhibits()[name].module)
    *_, room, file = module.__name__.split(".")
    return module, load_exhibit_markdown(room, file), Path(inspect.getfile(module)).parent


@pytest.mark.parametrize("name", NAMES)
def test_every_name_in_prose_is_known(name: str) -> None:
    module, words, folder = exhibit_of(name)
    result = get_type_hints(module.compute).get("return")
    known = parts_of(result) | parts_of(module.Inputs) | FRAME
    known |= frozenset.union(*handed_over(folder)) | set(_ENVIRONMENT.globals)
    for place, text in templates(words):
        unknown = meta.find_undeclared_variables(_ENVIRONMENT.parse(text)) - known
        unknown = {one for one in unknown if not is_made_of(one, known)}
        assert not unknown, f"{name}, {place}: {sorted(unknown)}"


@pytest.mark.parametrize("name", NAMES)
def test_every_field_of_a_field_in_prose_is_known(name: str) -> None:
    """`outcome.answer`, `shape.context`: where the type of the first name is a record."""
    module, words, _ = exhibit_of(name)
    result = get_type_hints(module.compute).get("return")
    kinds = {key: one for one in get_args(result) or (result,) for key, one in get_type_hints(one).items()}
    for place, text in templates(words):
        for node in _ENVIRONMENT.parse(text).find_all(nodes.Getattr):
            kind = kinds.get(node.node.name) if isinstance(node.node, nodes.Name) else None
            kinds_of = get_args(kind) if get_origin(kind) in (UnionType, Union) else (kind,)
            records = [one for one in kinds_of if hasattr(one, "__dataclass_fields__")]
            if records and not issubclass(records[0], Inputs):
                assert any(node.attr in parts_of(one) for one in records), f"{name}, {place}: {node.attr}"


@pytest.mark.parametrize("name", NAMES)
def test_every_section_is_shown_somewhere(name: str) -> None:
    _, words, folder = exhibit_of(name)
    strings = handed_over(folder)[1]
    lost = {one for one, section in words.sections.items() if not section.condition} - strings - BY_FRAME
    lost = {one for one in lost if not is_made_of(one, strings)}
    assert not lost, f"{name}: nothing shows {sorted(lost)}"
