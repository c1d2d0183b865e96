"""A printed formula, computed: what stands on the screen is what was counted, never a second copy of it."""

import re
from collections.abc import Mapping

_PIECE = re.compile(r"\d+|[A-Z]|[·+()²]")


def in_numbers(formula: str, sizes: Mapping[str, int]) -> str:
    """The formula with each letter replaced by its size: "L · 4·D²" and L = 12, D = 768 give "12 · 4·768²"."""
    return re.sub(r"[A-Z]", lambda letter: f"{sizes[letter[0]]:,}", formula)


def value_of(formula: str, sizes: Mapping[str, int]) -> int:
    """The formula's value: sums, products, squares and brackets of whole numbers and letters.

    Args:
        formula: such as "(2·L + 1) · 2·D".
        sizes: what each letter stands for.

    Raises:
        ValueError: if it is no such formula, or a letter has no size.
    """
    rest = _PIECE.findall(formula)
    if "".join(rest) != formula.replace(" ", ""):
        raise ValueError(f"{formula!r} has other signs than letters, numbers, ·, +, ² and brackets")
    value = _sum(rest, sizes)
    if rest:
        raise ValueError(f"{formula!r} does not end where it should, but before {rest[0]!r}")
    return value


def _sum(rest: list[str], sizes: Mapping[str, int]) -> int:
    value = _product(rest, sizes)
    while rest[:1] == ["+"]:
        del rest[0]
        value += _product(rest, sizes)
    return value


def _product(rest: list[str], sizes: Mapping[str, int]) -> int:
    value = _factor(rest, sizes)
    while rest[:1] == ["·"]:
        del rest[0]
        value *= _factor(rest, sizes)
    return value


def _factor(rest: list[str], sizes: Mapping[str, int]) -> int:
    if not rest:
        raise ValueError("the formula ends too early")
    piece = rest.pop(0)
    if piece == "(":
        value = _sum(rest, sizes)
        if rest[:1] != [")"]:
            raise ValueError("a bracket is not closed")
        del rest[0]
    elif piece.isdigit():
        value = int(piece)
    elif piece in sizes:
        value = sizes[piece]
    else:
        raise ValueError(f"{piece!r} has no size; there are {', '.join(sizes)}")
    if rest[:1] == ["²"]:
        del rest[0]
        value *= value
    return value
