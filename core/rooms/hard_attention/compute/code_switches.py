"""A piece of code with switches, as it runs with some of them on: which lines are in force, and which they replace.

A switch is an `if self.repairs.<name>:` with the repaired lines below it and, after `else:`, the lines as written. The
lines come from the source of the running program.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

SWITCHES = "repairs"


@dataclass(frozen=True)
class Line:
    mark: str  # " " always in force; "!" as written and in force; "-" as written and replaced; "+" the repair
    text: str  # without the indentation of the switch
    switch: str = ""  # to which it belongs, or ""


def resolved(code: Callable[..., Any], on: Collection[str]) -> list[Line]:
    """The source of a function or class, each switch replaced by the branch that runs.

    Args:
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
    for number, text in enumerate(lines, 1):
        if number in skipped:
            continue
        node = switches.get(number)
        if node is None:
            found.append(Line(" ", text))
            continue
        name = _name(node)
        old, new = (
            [line[4:] for line in lines[body[0].lineno - 1 : body[-1].end_lineno]] if body else []
            for body in (node.orelse, node.body)
        )
        found += [Line("-" if name in on else "!", line, name) for line in old]
        found += [Line("+", line, name) for line in new if name in on]
        skipped |= {*range(number, (node.end_lineno or number) + 1)}
    return found


def as_text(lines: list[Line]) -> str:
    """One line of text for each, its mark in front."""
    return "\n".join(f"{line.mark} {line.text}".rstrip() for line in lines)


def _name(node: ast.If) -> str:
    asked, switch = ast.unparse(node.test), f"self.{SWITCHES}."
    return asked.removeprefix(switch) if asked.startswith(switch) else ""


def _docstring(node: ast.AST) -> range:
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or ast.get_docstring(node) is None:
        return range(0)
    first = node.body[0]
    return range(first.lineno, (first.end_lineno or first.lineno) + 1)
