"""A printed formula, computed: what stands on the screen is what was counted, never a second copy of it."""

import ast
import re
from collections.abc import Mapping


def in_numbers(formula: str, sizes: Mapping[str, int]) -> str:
    """The formula with each letter replaced by its size: "L · 4·D²" and L = 12, D = 768 give "12 · 4·768²"."""
    return re.sub(r"[A-Z]", lambda letter: f"{sizes[letter[0]]:,}", formula)


def value_of(formula: str, sizes: Mapping[str, int]) -> int:
    """The value of a formula such as "(2·L + 1) · 2·D": sums, products, squares and brackets of numbers and letters.

    Raises ValueError if it is no such formula, or a letter has no size.
    """
    if not re.fullmatch(r"[\dA-Z·+()² ]*", formula):
        raise ValueError(f"{formula!r} has other signs than letters, numbers, ·, +, ² and brackets")
    try:
        tree = ast.parse(formula.replace("·", "*").replace("²", "**2").strip(), mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{formula!r} is no formula: {error.msg}") from error
    return _value(tree, sizes)


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(int(number)):
            return number
        case ast.Name(letter) if letter in sizes:
            return sizes[letter]
        case ast.BinOp(left, ast.Add(), right):
            return _value(left, sizes) + _value(right, sizes)
        case ast.BinOp(left, ast.Mult(), right):
            return _value(left, sizes) * _value(right, sizes)
        case ast.BinOp(left, ast.Pow(), ast.Constant(2)):
            return _value(left, sizes) ** 2
    raise ValueError(f"{ast.unparse(node)!r} has no size; there are {', '.join(sizes)}")
