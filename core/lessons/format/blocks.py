"""From the values of a fenced block to a part of a lesson."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from core.lessons.format.lesson import Check, Code, Do, Part, Piece, Predict, Prose
from core.lessons.page.forms import form_of, options_of, right_of
from core.ui.frame.depth import DEPTHS

_CONTROL = re.compile(r"[a-z][a-z0-9_.]{0,63}")
_EXHIBIT = re.compile(r"[a-z0-9-]+\.[a-z0-9-]+")


class Block:
    """The values of a block, taken out one by one; what nobody takes is a problem.

    Args:
        lines: the line of each name in the file.
        line: that of the block.
        report: called with each problem's line and words.
    """

    def __init__(
        self, values: Mapping[Any, Any], lines: Mapping[str, int], line: int, report: Callable[[int, str], None]
    ) -> None:
        self.values = {str(name): value for name, value in values.items()}
        self.lines, self.line, self._report = lines, line, report

    def problem(self, message: str, name: str = "") -> None:
        """Report a problem, in the line of this name if it has one."""
        self._report(self.lines.get(name, self.line), message)

    def words(self, name: str, default: str | None = None) -> str:
        """Take out a text."""
        value = self.values.pop(name, default)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.problem(f"{name} is missing: a text." if value is None else f"{name} isn't a text.", name)
            return ""
        if default is None and not value.strip():
            self.problem(f"{name} is empty.", name)
        return value.strip()

    def mapping(self, name: str) -> dict[str, Any]:
        """Take out names with values; none if it is not there."""
        value = self.values.pop(name, None)
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.problem(f"{name} is of the form {{name: value}}.", name)
            return {}
        return {str(key): one for key, one in value.items()}

    def control_names(self, name: str) -> tuple[str, ...]:
        """Take out a list of names of controls."""
        value = self.values.pop(name, None)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(f"{name} is a list: [one, two].", name)
            return ()
        return tuple(one for one in map(str, value) if self.is_control(one, name))

    def is_control(self, one: str, name: str) -> bool:
        """Whether this can be the name of a control; if not, that is a problem."""
        if _CONTROL.fullmatch(one) is None:
            self.problem(f"{one!r} isn't the name of a control: lower-case letters, digits, dots, underscores.", name)
            return False
        return True

    def close(self, kind: str) -> None:
        """Report what is left."""
        for name in self.values:
            self.problem(f"A block {kind!r} has no field {name!r}.", name)


def _exhibit(block: Block, name: str) -> Piece:
    if _EXHIBIT.fullmatch(name) is None:
        block.problem("Name the exhibit: ```exhibit masks.draw-your-own")
    values = {key: value for key, value in block.mapping("set").items() if block.is_control(key, "set")}
    lock, hide = block.control_names("lock"), block.control_names("hide")
    return Piece(name=name, values=values, lock=lock, hide=hide, line=block.line)


def _predict(block: Block, _rest: str) -> Predict:
    answer = block.words("answer", "") or None
    right = block.values.pop("right", None)
    if (answer is None) == (right is None):
        block.problem("A prediction has either answer: (computed) or right: (written down by the author).")
    form = form_of(block)
    return Predict(
        ask=block.words("ask"),
        form=form,
        answer=answer,
        given=block.mapping("with"),
        right=None if right is None else right_of(block, form, right),
        because=block.words("because", ""),
        line=block.line,
    )


def _check(block: Block, _rest: str) -> Check:
    options, right = options_of(block), block.words("right")
    if right not in options:
        block.problem(f"right: {right!r} is none of the options: {', '.join(options)}.", "right")
    why = {name: str(text) for name, text in block.mapping("why").items()}
    for name in why:
        if name not in options:
            block.problem(f"why: {name!r} is none of the options.", "why")
    because = block.words("because", "")
    return Check(ask=block.words("ask"), options=options, right=right, why=why, because=because, line=block.line)


def _do(block: Block, _rest: str) -> Do:
    return Do(say=block.words("say"), when=block.words("when"), line=block.line)


def _code(block: Block, place: str) -> Code:
    if re.fullmatch(r"core(\.\w+)+:\w+(\.\w+)?", place, re.ASCII) is None:
        block.problem("Name the code: ```code core.nn.masks:causal")
    return Code(place=place, line=block.line)


def deeper(block: Block, depth: str, text: str) -> Prose:
    """A block whose body is Markdown, and not YAML."""
    for known in DEPTHS:
        if depth == known:
            return Prose(text=text.strip(), depth=known)
    block.problem(f"deeper needs one of {', '.join(DEPTHS)}.")
    return Prose(text=text)


BLOCKS: Mapping[str, Callable[[Block, str], Part]] = {
    "exhibit": _exhibit,
    "predict": _predict,
    "check": _check,
    "do": _do,
    "code": _code,
}
