"""The tables of SECURITY.md agree with the code: each limit has the stated value, and each role the stated rights."""

import importlib
import re
from pathlib import Path

from core.classroom import message_handlers, screens

PAGE = (Path(__file__).resolve().parents[2] / ".github" / "SECURITY.md").read_text(encoding="utf-8")
LIMIT = re.compile(r"`(core(?:\.\w+)+)\.([A-Z][A-Z_0-9]+)` ([\d,.]*\d)")


def rows(title: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def test_every_limit_of_the_page_is_the_one_in_the_code() -> None:
    """A number on the page that nobody keeps, or that was changed in the code alone."""
    told = [limit for row in rows("What is counted") for cell in row for limit in LIMIT.findall(cell)]
    assert len(told) > 40
    wrong = {}
    for module, name, number in told:
        value = getattr(importlib.import_module(module), name)
        if float(value) != float(number.replace(",", "")):
            wrong[f"{module}.{name}"] = (number, value)
    assert wrong == {}


def test_every_resource_says_for_whom_it_is_counted_and_names_a_limit() -> None:
    """A row without a limit in the code is a promise that nothing keeps."""
    table = rows("What is counted")
    assert [row[0] for row in table if len(row) != 5 or not row[1] or not LIMIT.search(row[2])] == []


def test_the_roles_may_do_what_the_page_says_and_nothing_else() -> None:
    roles = {row[0]: row[3] for row in rows("Who may do what")}
    assert list(roles) == ["desk", "projector", "learner", "anonymous"]
    assert roles["projector"].startswith("`show`") and {"end", "show", "reveal"} <= message_handlers._TEACHER.keys()
    # Each word of a learner is one that the page names; each of the teacher's stays the desk's.
    learners = {"answer": "answer", "hand": "raise a hand", "at": "where it is", "consent": "agree", "enter": "race"}
    assert {word for word, told in learners.items() if told in roles["learner"]} == learners.keys()
    assert message_handlers._LEARNER.keys() - learners.keys() == {"plan", "attack"}, "of a race, too"
    assert not message_handlers._LEARNER.keys() & (message_handlers._TEACHER.keys() | screens._SLOW.keys())
