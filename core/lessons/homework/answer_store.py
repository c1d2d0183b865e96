"""A learner's answers in homework, stored between visits in one SQLite file in the data folder.

The first answer to a question counts, whatever deadline its link had: an answer under one deadline is an answer under
all of them.
"""

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from core.data.files import data_dir
from core.data.localization.labels import module_labels
from core.jobs.admission import FREE_FLOOR_BYTES
from core.lessons.homework.assignment import DAYS_AFTER, Assignment

LABELS = module_labels(__name__)

KEPT_DAYS = 60  # after the deadline
MAX_OF_LEARNER = 1_000  # answers in all lessons
MAX_OF_ADDRESS = 50_000  # a school may share one
MAX_BYTES = 200_000_000  # of the file
_VERSION = 2
_SCHEMA = """CREATE TABLE IF NOT EXISTS answers (
    owner TEXT NOT NULL, lesson TEXT NOT NULL, place TEXT NOT NULL, due INTEGER NOT NULL, first TEXT NOT NULL,
    last TEXT NOT NULL, n_try INTEGER NOT NULL, at REAL NOT NULL, address TEXT NOT NULL,
    PRIMARY KEY (owner, lesson, place)) WITHOUT ROWID"""
_INDEXES = (
    "CREATE INDEX IF NOT EXISTS by_address ON answers (address)",
    "CREATE INDEX IF NOT EXISTS by_due ON answers (due)",
)
# Version 1 stored answers separately for each deadline, including deadlines that a learner made up.
_FROM_VERSION_1 = """INSERT INTO answers
    SELECT owner, substr(code, 1, instr(code, '.') - 1), place, min(due, :latest), first, last, n_try, at, ''
    FROM said WHERE true ORDER BY at
    ON CONFLICT DO UPDATE SET last = excluded.last, n_try = n_try + excluded.n_try, due = max(due, excluded.due)"""


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """The answers to one question."""

    place: str  # step and part of the lesson, "2.1"
    first: object  # plain JSON; None: the answer was shown without a guess
    last: object  # the last answer, in the same form
    n_try: int  # number of answers
    at: float  # of the first, Unix seconds


class AnswerNotStored(Exception):
    """An answer wasn't stored; the message says why and what to do, and is fit to be shown."""


def store_answer(owner: str, given: Assignment, place: str, answer: object, address: str = "") -> None:
    """Store an answer; the first one to a question is kept in addition.

    Args:
        owner: a digest of the learner's cookie.
        place: step and part of the lesson, "2.1".
        answer: a plain JSON value; None: the answer was shown without a guess.
        address: the mark of the visitor's address, whose answers are counted together; "": no such limit.

    Raises:
        AnswerNotStored: if there is no room for one more, or the file can't be written.
    """
    now, told = time.time(), json.dumps(answer)
    try:
        with _file() as db:
            db.execute("BEGIN IMMEDIATE")
            db.execute("DELETE FROM answers WHERE due < ?", (now - 86400 * KEPT_DAYS,))
            changed = db.execute(
                "UPDATE answers SET last = ?, n_try = n_try + 1, due = max(due, ?) "
                "WHERE owner = ? AND lesson = ? AND place = ?",
                (told, given.due, owner, given.lesson, place),
            )
            if not changed.rowcount:
                _check_room(db, owner, address)
                row = (owner, given.lesson, place, given.due, told, told, now, address)
                db.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)", row)
    except sqlite3.Error as error:
        raise AnswerNotStored(LABELS("not_written", error=error)) from error


def stored_answers(owner: str, given: Assignment) -> list[StoredAnswer]:
    """Return all answers of a browser in a lesson, in the order of the lesson."""
    with _file() as db:
        rows = db.execute(
            "SELECT place, first, last, n_try, at FROM answers WHERE owner = ? AND lesson = ?", (owner, given.lesson)
        ).fetchall()
    found = [
        StoredAnswer(place=p, first=json.loads(f), last=json.loads(la), n_try=n, at=at) for p, f, la, n, at in rows
    ]
    return sorted(found, key=lambda one: [int(part) for part in one.place.split(".")])


def _check_room(db: sqlite3.Connection, owner: str, address: str) -> None:
    """Raise AnswerNotStored if there is no room for one more answer."""
    of_learner = db.execute("SELECT COUNT(*) FROM answers WHERE owner = ?", (owner,)).fetchone()[0]
    of_address = db.execute("SELECT COUNT(*) FROM answers WHERE address = ?", (address,)).fetchone()[0]
    n_page, n_free, n_byte = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in
                              ("page_count", "freelist_count", "page_size"))  # fmt: skip
    if of_learner >= MAX_OF_LEARNER:
        raise AnswerNotStored(LABELS("browser_full", most=MAX_OF_LEARNER))
    if (address and of_address >= MAX_OF_ADDRESS) or (n_page - n_free) * n_byte > MAX_BYTES:
        raise AnswerNotStored(LABELS["server_full"])
    if shutil.disk_usage(data_dir()).free < FREE_FLOOR_BYTES:
        raise AnswerNotStored(LABELS["disk_full"])


@contextmanager
def _file() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(data_dir() / "homework.sqlite", timeout=15.0)
    try:
        with db:
            if db.execute("PRAGMA user_version").fetchone()[0] < _VERSION:
                _prepare(db)
            yield db
    finally:
        db.close()


def _prepare(db: sqlite3.Connection) -> None:
    """Create the table, with the rows of an older one if there is one."""
    db.execute("BEGIN IMMEDIATE")
    for one in (_SCHEMA, *_INDEXES):
        db.execute(one)
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'said'").fetchone():
        db.execute(_FROM_VERSION_1, {"latest": time.time() + 86400 * DAYS_AFTER})
        db.execute("DROP TABLE said")
    db.execute(f"PRAGMA user_version = {_VERSION}")
    db.commit()
