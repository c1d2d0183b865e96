"""A piece of code with switches, as it runs with some of them on: which lines are in force, and which they replace.

A switch is an `if self.repairs.<name>:` with the repaired lines below it and, after `else:`, the lines as written. The
lines come from the source of the running program.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

SWITCHES = "repairs"


@dataclass(frozen=True)
class Line:
    """One line of the code.

    Attributes:
        mark: " " always in force; "!" as written and in force; "-" as written and replaced; "+" the repair.
        text: without the indentation of the switch.
        switch: to which it belongs, or "".
    """

    mark: str
    text: str
    switch: str = ""


def resolved(code: Callable[..., Any], on: Collection[str]) -> list[Line]:
    """The source of a function or class, each switch replaced by the branch that runs.

    Args:
        code: docstrings are left out.
        on: names of the switches that are on; the others are off.

    Raises:
        ValueError: if `on` names a switch that the code does not have.
    """
    source = textwrap.dedent(inspect.getsource(code))
    tree, lines = ast.parse(source), source.splitlines()
    switches = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.If) and _name(node)}
    if unknown := set(on) - {_name(node) for node in switches.values()}:
        raise ValueError(f"{sorted(unknown)} are no switches of {code.__qualname__}")
    skipped = {number for node in ast.walk(tree) for number in _docstring(node)}
    found: list[Line] = []
    number = 1
    while number <= len(lines):
        if number in switches:
            node = switches[number]
            found += _branches(node, lines, on)
            number = (node.end_lineno or node.lineno) + 1
            continue
        if number not in skipped:
            found.append(Line(" ", lines[number - 1]))
        number += 1
    return found


def as_text(lines: list[Line]) -> str:
    """One line of text for each, its mark in front."""
    return "\n".join(f"{line.mark} {line.text}".rstrip() for line in lines)


def _branches(node: ast.If, lines: list[str], on: Collection[str]) -> Iterator[Line]:
    name = _name(node)
    is_on = name in on
    for text in _dedented(node.orelse, lines):
        yield Line("-" if is_on else "!", text, name)
    if is_on:
        for text in _dedented(node.body, lines):
            yield Line("+", text, name)


def _dedented(body: list[ast.stmt], lines: list[str]) -> list[str]:
    if not body:
        return []
    return [line[4:] for line in lines[body[0].lineno - 1 : body[-1].end_lineno]]


def _name(node: ast.If) -> str:
    """The switch that an `if` asks, or ""."""
    test = node.test
    is_switch = (
        isinstance(test, ast.Attribute) and isinstance(test.value, ast.Attribute) and test.value.attr == SWITCHES
    )
    return test.attr if is_switch and isinstance(test, ast.Attribute) else ""


def _docstring(node: ast.AST) -> range:
    """The lines of a function's or class's docstring."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(node) is None:
        return range(0)
    first = node.body[0]
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)
