"""The code of the README as a reader sees it: its blocks, the commands in blocks and sentences, its notebooks."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROGRAMS = {"python", "pip", "pytest", "streamlit", "dask", "openssl", "bash", "playwright", "apt-get"}
MEASURED = "What was measured"  # its commands are measurements: they take hours and other people's programs


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its code, and the heading above it."""

    language: str
    code: str
    section: str


@dataclass(frozen=True)
class Command:
    """A command line of the README: the line unchanged, without its comment, and the heading above it."""

    text: str
    section: str


def sections() -> dict[str, str]:
    """The text under each heading of the second level."""
    parts = re.split(r"^## (.+)\n", README, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], [parts[0], *parts[2::2]], strict=True))


def blocks(language: str | None = None) -> list[Block]:
    """Return all fenced blocks, or those of a language."""
    found = [
        Block(kind, code, section)
        for section, text in sections().items()
        for kind, code in re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    ]
    return [one for one in found if language in (None, one.language)]


def _without_comment(line: str) -> str:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    list(lexer)  # raises ValueError for a line that no shell could read
    return re.sub(r"\s+#\s.*$", "", line).strip()


def block_commands() -> list[Command]:
    """The lines of all blocks for a shell."""
    lines = [(line, block.section) for block in blocks("bash") for line in block.code.splitlines()]
    return [Command(_without_comment(line), section) for line, section in lines if line.strip()]


def sentence_commands() -> list[Command]:
    """Return the commands in sentences: code that begins with a program and has an argument."""
    found = []
    for section, text in sections().items():
        if section != MEASURED:
            prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
            spans = [" ".join(one.split()) for one in re.findall(r"`([^`]+)`", prose)]
            found += [Command(one, section) for one in spans if one.split()[0] in PROGRAMS and " " in one]
    return found


def commands() -> list[Command]:
    """Everything that the README says to type."""
    return list(dict.fromkeys([*block_commands(), *sentence_commands()]))


def typed(start: str) -> str:
    """Return the one command of the README that begins with these words, unchanged.

    Raises:
        LookupError: if there is none, or more than one.
    """
    found = {one.text for one in commands() if one.text.startswith(start)}
    if len(found) != 1:
        raise LookupError(f"{len(found)} commands of the README begin with {start!r}: {sorted(found)}")
    return found.pop()


def notebooks() -> list[str]:
    """The notebooks that the README links to, as paths from the top folder."""
    return sorted(set(re.findall(r"\]\((\S+\.ipynb)\)", README)))


# The test that types each command, by the words that the command begins with: `tests/repo/readme/test_<name>.py`.
TYPED_BY = {
    "python -m venv .venv && source .venv/bin/activate": "start",
    "pip install -r requirements.txt && streamlit run app.py": "start",
    "pip install -r requirements-dev.txt && pytest": "start",
    "pytest tests/rooms/masks": "start",
    "python -m core.train my.txt": "commands",
    "python -m core.generate": "commands",
    "python -m core.train python-topics": "commands",
    "python -m core.train my-run": "commands",
    "python -m core.train stories-bert": "commands",
    "python -m core.train stories --out assets/models/stories --overwrite": "commands",
    "python -m core.export my-model": "commands",
    "python -m core.export heads.one-head": "commands",
    "python -m core.export lessons/induction": "commands",
    "python -m core.export lessons --out course": "commands",
    "python -m core.train.experiment induction": "commands",
    "python -m core.train.experiment digits": "commands",
    "python -m core.rooms.sweeps.recorded_example": "commands",
    "python -m core.lessons check": "commands",
    "python -m benchmarks.screenshots": "commands",
    "pip install .": "notebooks",
    "python -m core.ui.server --processes 4": "servers",
    "pip install -r requirements.txt distributed": "cluster",
    "dask scheduler --host 127.0.0.1": "cluster",
    "python -m core.jobs.cluster tcp": "cluster",
    "GLASSFORMER_CLUSTER=tcp": "cluster",
    "openssl req -x509": "cluster",
    "openssl req -newkey": "cluster",
    "openssl x509": "cluster",
    "export DASK": "cluster",
    "for x in SCHEDULER": "cluster",
    "dask scheduler --host tls": "cluster",
    "python -m core.jobs.cluster tls": "cluster",
    "GLASSFORMER_CLUSTER=tls": "cluster",
}
# What no test types: it's what runs the tests, or it installs a program for the whole machine.
NOT_TYPED = ("bash .ci/", 'pytest -m "not full"', "apt-get install", "playwright install")
