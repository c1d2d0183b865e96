"""What a learner has answered in a homework, kept from one visit to the next: one SQLite file in the data folder."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from core.data.files import data_dir
from core.lessons.homework.assignment import Assignment

KEPT_DAYS = 60  # after the deadline
MOST_OF_ONE = 500  # answers of a browser in one homework
_SCHEMA = """CREATE TABLE IF NOT EXISTS said (
    owner TEXT NOT NULL, code TEXT NOT NULL, place TEXT NOT NULL, due INTEGER NOT NULL, first TEXT NOT NULL,
    last TEXT NOT NULL, n_try INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (owner, code, place)) WITHOUT ROWID"""


@dataclass(frozen=True, kw_only=True)
class Said:
    """The answers to one question.

    Attributes:
        place: step and part of the lesson, "2.1".
        first, last: the first and the last answer, plain JSON values; None: it was shown without a guess.
        n_try: how many there were.
        at: of the first, Unix seconds.
    """

    place: str
    first: Any
    last: Any
    n_try: int
    at: float


def note(owner: str, given: Assignment, place: str, answer: Any) -> None:
    """Keep an answer; the first one stays."""
    now, told = time.time(), json.dumps(answer)
    with _file() as db:
        n = db.execute("SELECT COUNT(*) FROM said WHERE owner = ? AND code = ?", (owner, given.code)).fetchone()[0]
        if n < MOST_OF_ONE:
            db.execute(
                "INSERT INTO said VALUES (?, ?, ?, ?, ?, ?, 1, ?) "
                "ON CONFLICT DO UPDATE SET last = ?, n_try = n_try + 1",
                (owner, given.code, place, given.due, told, told, now, told),
            )
        db.execute("DELETE FROM said WHERE due < ?", (now - 86400 * KEPT_DAYS,))


def of(owner: str, given: Assignment) -> list[Said]:
    """All answers of a browser in a homework, in the order of the lesson."""
    with _file() as db:
        rows = db.execute(
            "SELECT place, first, last, n_try, at FROM said WHERE owner = ? AND code = ?", (owner, given.code)
        ).fetchall()
    found = [Said(place=p, first=json.loads(f), last=json.loads(la), n_try=n, at=at) for p, f, la, n, at in rows]
    return sorted(found, key=lambda one: [int(part) for part in one.place.split(".")])


@contextmanager
def _file() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(data_dir() / "homework.sqlite", timeout=15.0)
    try:
        with db:
            db.execute(_SCHEMA)
            yield db
    finally:
        db.close()
