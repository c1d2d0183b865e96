"""The room that each exhibit comes from."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ELSEWHERE = {"families": "table"}  # rooms whose page has another name


def page_of(exhibit: str) -> str | None:
    """The page of an exhibit's room, as in the navigation table; None if it has none."""
    room = exhibit.partition(".")[0]
    return _pages().get(_ELSEWHERE.get(room, room.replace("-", "_")))


def pages_of(exhibits: Iterable[str]) -> tuple[str, ...]:
    """The pages of some exhibits' rooms, each once, in order."""
    return tuple(dict.fromkeys(page for one in exhibits if (page := page_of(one)) is not None))


@cache
def _pages() -> dict[str, str]:
    return {path.stem: path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "pages").glob("*/*.py"))}
