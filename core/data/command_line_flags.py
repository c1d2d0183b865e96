"""Command-line flags: limits of their numbers, and messages that name the flag as it was typed.

The library's messages name its own arguments (`n_step=0 must be at least 1`). A user who typed `--steps 0` knows only
the flag, so a command checks its flags first, and translates the library's messages with `message_with_cli_flags`.
"""

import argparse
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn


class FlagRange(NamedTuple):
    """The range of a flag's number, both ends included unless it is open."""

    least: float | None  # least, most: its ends; None: no limit on that side
    most: float | None = None
    is_open: bool = False  # whether the ends themselves are excluded

    def allows(self, value: float) -> bool:
        """Return whether a number is within the limits; nan never is."""
        if value != value or (self.is_open and value in (self.least, self.most)):
            return False
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def __str__(self) -> str:
        least, most = (None if end is None else _format_number(end) for end in self[:2])
        if least is None and most is None:
            return "must be a number"
        if most is None:
            return f"must be {'more than' if self.is_open else 'at least'} {least}"
        if least is None:
            return f"must be {'less than' if self.is_open else 'at most'} {most}"
        return f"must lie between {least} and {most}" if self.is_open else f"must be from {least} to {most}"


class CLIFlag(NamedTuple):
    """A flag of a command, or an argument without a flag, whose name is in capitals."""

    name: str  # without its dashes
    help: str  # for --help
    limit: FlagRange | None = None  # of a number; a whole one, unless `is_whole` says otherwise
    sets: str = ""  # the argument of the library that it sets, as the library's messages name it
    is_whole: bool = True
    choices: Iterable[str] | None = None  # the allowed values, if it isn't a number
    more: Mapping[str, Any] = MappingProxyType({})  # further settings of argparse

    @property
    def attribute(self) -> str:
        """The flag's attribute in the parsed options."""
        return self.name.lower().replace("-", "_")


class FlagParser(argparse.ArgumentParser):
    """A parser made of declared flags, which reports a mistake in two lines: the usage, and what is wrong.

    Args:
        prog: the command, as it is typed.
        called: its arguments, without the options, which --help lists.
        hint: what to do about an argument too many.
        groups: title of a group in --help -> its flags; the flags of "" belong to no group.
    """

    def __init__(
        self,
        prog: str,
        called: str,
        hint: str = "",
        groups: Mapping[str, Sequence[CLIFlag]] | None = None,
        **more: Any,
    ) -> None:
        usage = f"{prog} {called} [options]"
        super().__init__(prog=prog, usage=usage, formatter_class=argparse.RawDescriptionHelpFormatter, **more)
        self._hint = hint
        self.flags = [flag for group in (groups or {}).values() for flag in group]
        for title, group in (groups or {}).items():
            where = self.add_argument_group(title) if title else self
            for flag in group:
                kind: dict[str, Any] = (
                    {} if flag.limit is None else {"type": parse_whole if flag.is_whole else parse_number}
                )
                kind |= {} if flag.choices is None else {"choices": tuple(flag.choices)}
                if flag.name.isupper():
                    where.add_argument(flag.attribute, metavar=flag.name, help=flag.help, **kind, **flag.more)
                else:
                    where.add_argument(f"--{flag.name}", help=flag.help, **kind, **flag.more)

    def check(self, options: argparse.Namespace) -> None:
        """Raise ValueError, with the flag as it was typed, if a number is out of its limits."""
        check_flag_ranges(options, {flag.name: flag.limit for flag in self.flags if flag.limit is not None})

    def in_flags(self, message: str) -> str:
        """Return a message of the library with flags in place of its arguments' names."""
        return message_with_cli_flags(message, {flag.sets: flag.name for flag in self.flags if flag.sets})

    def error(self, message: str) -> NoReturn:
        """Print the message and end with exit code 2."""
        unknown = re.fullmatch(r"unrecognized arguments: (.+)", message, flags=re.DOTALL)
        if unknown and self._hint and not unknown[1].startswith("-"):
            message += f". {self._hint}"
        super().error(f"{message} (--help lists all options)" if unknown else message)


def _format_number(value: float) -> str:
    """Format a number as a person would type it, long ones with commas: 10,000,000 and 1.5, and 1 for 1.0."""
    is_whole = isinstance(value, int) or (math.isfinite(value) and value.is_integer())
    return f"{int(value):,}" if is_whole else f"{value:,}"


def parse_whole(text: str) -> int:
    """Parse a whole number, as a type for argparse. Raises ArgumentTypeError."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text[:30]!r} isn't a whole number; give one such as 10") from None
    if abs(value) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text[:30]!r} is too large a number; give one such as 10")
    return value


def parse_number(text: str) -> float:
    """Parse a number that isn't nan, as a type for argparse. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise argparse.ArgumentTypeError(f"{text[:30]!r} isn't a number; give one such as 0.5")
    return value


def check_flag_ranges(options: argparse.Namespace, limits: Mapping[str, FlagRange]) -> None:
    """Raise ValueError, with the flag as it was typed, if a number is out of its limits.

    limits: flag without its dashes -> limit, `{"length-penalty": FlagRange(...)}`.
    """
    for flag, limit in limits.items():
        value = getattr(options, flag.replace("-", "_"))
        if value is not None and not limit.allows(value):
            raise ValueError(f"--{flag} {limit}, not {_format_number(value):.20}")


def message_with_cli_flags(message: str, flags: Mapping[str, str]) -> str:
    """Return a message of the library with flags in place of its arguments' names.

    flags: argument -> flag without its dashes, `{"n_step": "steps"}`.
    """
    for name, flag in flags.items():
        message = re.sub(rf"\b{re.escape(name)}=", f"--{flag} ", message)
        message = re.sub(rf"(?<![\w-]){re.escape(name)}\b(?!\()", f"--{flag}", message) if "_" in name else message
    return message
