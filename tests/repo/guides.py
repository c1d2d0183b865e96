"""The guides of CONTRIBUTING, followed in a copy of the repository: their files written, their commands typed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.repo.readme.clone import copy_house

ROOT = Path(__file__).resolve().parents[2]
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
PAGE, EXPERIMENT = "A new page in fifteen minutes", "A new live experiment in half an hour"
MODEL, LESSON = "A new kind of model in half an hour", "A new lesson in fifteen minutes"
PACKAGE = "A room from another package"
GUIDES = {"page": (PAGE,), "experiment": (PAGE, EXPERIMENT), "model": (MODEL,), "lesson": (LESSON,)}
ALL = (PAGE, EXPERIMENT, MODEL, LESSON)


def section_of(title: str) -> str:
    """Return the lines under a heading of CONTRIBUTING; a heading inside a block, as in a lesson, is not its end."""
    lines, fence = [], ""
    for line in CONTRIBUTING.split(f"\n## {title}\n")[1].splitlines(keepends=True):
        mark = re.match(r" *(```+)", line)
        if mark and not fence:
            fence = mark[1]
        elif line.strip() == fence:
            fence = ""
        elif line.startswith("## ") and not fence:
            break
        lines.append(line)
    return "".join(lines)


def blocks_of(title: str, *kinds: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a section, in order: language and code."""
    found = re.findall(r"^ *(```+)(\w+)\n(.*?\n) *\1$", section_of(title), flags=re.DOTALL | re.MULTILINE)
    return [(kind, textwrap.dedent(code)) for _, kind, code in found if kind in kinds]


def commands_of(title: str) -> list[str]:
    """Return the command lines of a section's blocks, without their comments."""
    lines = [line for _, code in blocks_of(title, "bash") for line in code.splitlines()]
    return [re.sub(r"\s+#\s.*$", "", line) for line in lines if line.strip()]


def file_of(block: str) -> tuple[str, str]:
    """Return the path that a block names in its first line, and the rest of the block."""
    first, rest = block.split("\n", 1)
    return first.strip("#<!-> "), rest


def follow(house: Path, *sections: str) -> list[str]:
    """Copy the repository and write the files of these sections; return the paths of the new ones."""
    copy_house(house)
    new = []
    for section in sections:
        blocks = blocks_of(section, "python", "markdown", "diff")
        assert blocks, f"the section {section!r} has no file"
        for kind, block in blocks:
            name, code = file_of(block)
            if kind == "diff":
                code = _patched((house / name).read_text(encoding="utf-8"), code, name)
            else:
                new.append(name)
            (house / name).parent.mkdir(exist_ok=True)
            (house / name).write_text(code, encoding="utf-8")
    subprocess.run(["git", "add", "-A"], cwd=house, check=True)
    return new


def _patched(text: str, diff: str, name: str) -> str:
    for old, new in re.findall(r"^-(.*)\n((?:\+.*\n)+)", diff, flags=re.MULTILINE):
        assert text.count(old) == 1, f"{name} does not contain {old!r} once"
        text = text.replace(old, new.removeprefix("+").rstrip("\n").replace("\n+", "\n"))
    return text


def type_in(house: Path, command: str) -> None:
    """Run a command line in the copy, with the programs that run the tests; fail with what it printed."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": programs, "GLASSFORMER_DATA": str(house.parent / "data")}
    run = subprocess.run(
        ["bash", "-c", command], cwd=house, env=environment, capture_output=True, text=True, timeout=3000
    )
    assert run.returncode == 0, f"{command}\n{run.stdout[-3000:]}{run.stderr[-1000:]}"


def check(house: Path, new: list[str]) -> None:
    """Run the checks of `.ci/run` that aren't tests, mypy on the new files of core."""
    for command in ("ruff check .", "ruff format --check .", "lint-imports"):
        type_in(house, command)
    modules = [name for name in new if name.startswith("core/") and name.endswith(".py")]
    if modules:
        if (ROOT / ".mypy_cache").is_dir():  # else it would read all of torch first, for a minute
            shutil.copytree(ROOT / ".mypy_cache", house / ".mypy_cache", dirs_exist_ok=True)
        type_in(house, f"mypy {shlex.join(modules)}")
