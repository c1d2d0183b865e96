"""The file of a class: one SQLite file, `classes/<code>.sqlite` in the data folder, which is deleted when it ends.

Classes therefore can't mix. Every process of a server reads and writes the file; one that dies midway leaves it in the
state before or after its change.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from core.classroom.state import ClassBusy, ClassDamaged, ClassEnded
from core.data.files import data_dir
from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

LOCK_SECONDS = 0.25  # that a write waits for another before it is retried
SCHEMA = """
CREATE TABLE class (
    begun REAL NOT NULL, desk TEXT NOT NULL, projector TEXT NOT NULL, owner TEXT NOT NULL, came TEXT NOT NULL,
    state TEXT NOT NULL);
CREATE TABLE learners (
    id TEXT PRIMARY KEY, owner TEXT UNIQUE, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, joined REAL NOT NULL,
    seen REAL NOT NULL, active REAL NOT NULL, place TEXT NOT NULL DEFAULT '{}', hand REAL,
    is_out INTEGER NOT NULL DEFAULT 0, came TEXT NOT NULL DEFAULT '');
CREATE TABLE questions (n INTEGER PRIMARY KEY, asked REAL NOT NULL, question TEXT NOT NULL);
CREATE TABLE answers (
    question INTEGER NOT NULL, round INTEGER NOT NULL, learner TEXT NOT NULL, value TEXT NOT NULL, at REAL NOT NULL,
    is_late INTEGER NOT NULL, PRIMARY KEY (question, round, learner)) WITHOUT ROWID;
CREATE TABLE races (n INTEGER PRIMARY KEY, race TEXT NOT NULL);
CREATE TABLE entries (
    race INTEGER NOT NULL, racer TEXT NOT NULL, settings TEXT NOT NULL, run TEXT NOT NULL, bits_per_nat REAL NOT NULL,
    PRIMARY KEY (race, racer)) WITHOUT ROWID;
CREATE TABLE attacks (
    race INTEGER NOT NULL, racer TEXT NOT NULL, attack TEXT NOT NULL, PRIMARY KEY (race, racer)) WITHOUT ROWID;
CREATE TABLE board (key TEXT NOT NULL, address TEXT NOT NULL, page BLOB NOT NULL);
PRAGMA user_version = 2;
"""


def class_file_path(code: str) -> Path:
    """Return the path of the file of the class with this code."""
    return data_dir() / "classes" / f"{code}.sqlite"


class ClassFile:
    """The file of a class, usable from any thread; `_reading` and `_writing` are its transactions.

    Every method raises ClassEnded once the class has ended, ClassBusy if another process or thread writes for too
    long, and ClassDamaged if the file can't be read.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        self.path = class_file_path(code)
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._watching: sqlite3.Connection | None = None

    def touch(self) -> None:
        """Update the file's time to record that a screen shows the class, for `registry.delete_old_classes`."""
        with suppress(OSError):
            os.utime(self.path)

    def version(self) -> int | None:
        """Return a number that differs after each change and is cheap to get, or None if the class has ended."""
        with self._lock, self._plainly():
            if not self.path.is_file():
                return None
            if self._watching is None:
                self._watching = self._connect()
            return int(self._watching.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Close the connections to the file."""
        with self._lock:
            for db in filter(None, (self._db, self._watching)):
                db.close()
            self._db = self._watching = None

    def _connect(self) -> sqlite3.Connection:
        # `rw`: a class that ended a moment ago must not come back as an empty file.
        db = sqlite3.connect(
            f"{self.path.resolve().as_uri()}?mode=rw",
            uri=True, timeout=LOCK_SECONDS, isolation_level=None, check_same_thread=False,
        )  # fmt: skip
        db.row_factory = sqlite3.Row
        db.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last answers, a killed process none
        db.execute("PRAGMA secure_delete = ON")
        return db

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN")

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._plainly():
            if not self.path.is_file():
                raise ClassEnded()
            if self._db is None:
                self._db = self._connect()
            self._db.execute(begin)
            try:
                if self._db.execute("SELECT count(*) FROM class").fetchone()[0] == 0:
                    raise ClassEnded()
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # after some errors SQLite has already rolled back
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _plainly(self) -> Iterator[None]:
        """Translate SQLite's errors into those of a class, with messages fit to be shown."""
        try:
            yield
        except sqlite3.Error as error:
            if not self.path.is_file():
                raise ClassEnded() from error
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                raise ClassBusy(LABELS["busy"], LOCK_SECONDS) from error
            if _is_damage(error):
                raise ClassDamaged(LABELS["damaged"]) from error
            raise


def _is_damage(error: sqlite3.Error) -> bool:
    is_unreadable = getattr(error, "sqlite_errorname", "").startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT"))
    return is_unreadable or "no such table" in str(error) or "no such column" in str(error)
