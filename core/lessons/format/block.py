"""The values of a fenced block of a lesson's file, taken out one by one."""

import re
from collections.abc import Callable, Mapping
from typing import Any

_CONTROL = re.compile(r"[a-z][a-z0-9_.]{0,63}")


class Block:
    """The values of a block, taken out one by one; what nobody takes is a problem.

    `line` is that of the block in the file, `lines` that of each name; `report` is called with a problem's line and
    words.
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
