"""The packages that the requirements pull in, by the metadata of what is installed, and the locks that pin them all."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import Any

from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
SYSTEMS = (
    ("linux", "Linux", "posix", "x86_64"),
    ("darwin", "Darwin", "posix", "arm64"),
    ("win32", "Windows", "nt", "AMD64"),
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass(frozen=True)
class Locked:
    """One entry of a lock: a version, where it applies, and the SHA-256 digests of its files."""

    version: str
    marker: Marker | None
    digests: tuple[str, ...]

    def applies(self, environment: dict[str, Any]) -> bool:
        """Return whether it is installed in this environment."""
        return self.marker is None or self.marker.evaluate(environment)


def environments() -> list[dict[str, Any]]:
    """Every system and Python that the app runs on, in the words of markers."""
    here = dict(default_environment())
    return [
        here
        | {"sys_platform": platform, "platform_system": system, "os_name": name, "platform_machine": machine}
        | {"python_version": python, "python_full_version": f"{python}.0", "implementation_version": f"{python}.0"}
        for (platform, system, name, machine), python in product(SYSTEMS, PYTHONS)
    ]


def required(file: str) -> list[Requirement]:
    """Return the requirements of a file such as "requirements.txt", including those of files that it includes."""
    found = []
    for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            found += required(line.removeprefix("-r "))
        elif line and not line.startswith("#"):
            found.append(Requirement(line))
    return found


def locked(text: str) -> dict[str, list[Locked]]:
    """The entries of a lock by package."""
    found: dict[str, list[Locked]] = {}
    for block in re.findall(r"^\w.*(?:\n +--hash.*)*", text, flags=re.MULTILINE):
        one = Requirement(block.partition("\\")[0].strip())
        version = str(one.specifier).removeprefix("==")
        digests = tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})\b", block))
        found.setdefault(canonicalize_name(one.name), []).append(Locked(version, one.marker, digests))
    return found


def pulled_in(requirements: Iterable[Requirement], environment: dict[str, Any]) -> Iterator[tuple[str, Requirement]]:
    """Each requirement in an environment with the package that asks for it ("" for the first ones).

    What a package asks for is read from its installed metadata, so nothing comes of one that isn't installed here.
    """
    waiting, seen = [("", one) for one in requirements], set()
    while waiting:
        asking, one = waiting.pop()
        yield asking, one
        name = canonicalize_name(one.name)
        for extra in {"", *one.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                inner = _asked_by(name)
                given = environment | {"extra": extra}
                waiting += [(name, each) for each in inner if each.marker is None or each.marker.evaluate(given)]


@cache
def _asked_by(name: str) -> list[Requirement]:
    try:
        return [Requirement(one) for one in metadata.requires(name) or ()]
    except metadata.PackageNotFoundError:
        return []


@cache
def _asked(file: str) -> list[tuple[str, Requirement, dict[str, Any]]]:
    """Return everything that a file pulls in on each system: the requiring package, the requirement, and the system."""
    return [(*each, one) for one in environments() for each in pulled_in(required(file), one)]


def gaps(file: str, lock: dict[str, list[Locked]]) -> set[str]:
    """The requirements that a lock doesn't meet in some environment, in words; none if the lock is whole."""
    found = set()
    for asking, one, environment in _asked(file):
        entries = [each for each in lock.get(canonicalize_name(one.name), ()) if each.applies(environment)]
        if len(entries) != 1 or not one.specifier.contains(entries[0].version, prereleases=True):
            have = ", ".join(each.version for each in entries) or "nothing"
            found.add(f"{asking or file} asks for {one.name}{one.specifier}, and the lock has {have}")
    return found
