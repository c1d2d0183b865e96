"""The database of runs: one SQLite file, whose format is updated when it is opened.

Each call opens its own connection, so none is ever shared by two threads or carried into a child process.
"""

import json
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from core.data.localization.labels import module_labels
from core.jobs.queue import QueuedRun
from core.jobs.runs import RunInfo, RunNotFound
from core.train.curve_point import CurvePoint

LABELS = module_labels(__name__)

# The changes, in order, that bring a store from the version that wrote it to the newest.
SCHEMA_CHANGES: Sequence[Sequence[str]] = (
    (
        """CREATE TABLE runs (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, recipe TEXT NOT NULL, seed INTEGER NOT NULL,
        state TEXT NOT NULL, request TEXT, deleting INTEGER NOT NULL DEFAULT 0,
        attempt INTEGER NOT NULL DEFAULT 0, lost INTEGER NOT NULL DEFAULT 0, pid INTEGER, heartbeat REAL,
        step INTEGER NOT NULL DEFAULT 0, n_step INTEGER NOT NULL, n_parameter INTEGER NOT NULL,
        message TEXT NOT NULL DEFAULT '', sample TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL, queued REAL NOT NULL, started REAL, ended REAL, released REAL,
        seconds REAL NOT NULL DEFAULT 0, tokens_per_second REAL, n_byte INTEGER NOT NULL DEFAULT 0)""",
        "CREATE INDEX runs_state ON runs (state)",
        "CREATE INDEX runs_owner ON runs (owner)",
        """CREATE TABLE points (
        run_id TEXT NOT NULL, step INTEGER NOT NULL, loss REAL, val_loss REAL, grad_norm REAL, learning_rate REAL,
        PRIMARY KEY (run_id, step)) WITHOUT ROWID""",
    ),
    (
        """CREATE TABLE sweeps (
        id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, plan TEXT NOT NULL,
        created REAL NOT NULL,
        is_paused INTEGER NOT NULL DEFAULT 0)""",
        "ALTER TABLE runs ADD COLUMN sweep TEXT",
        "ALTER TABLE runs ADD COLUMN until INTEGER",
        "CREATE INDEX runs_sweep ON runs (sweep)",
    ),
    ("ALTER TABLE runs ADD COLUMN watch TEXT NOT NULL DEFAULT ''",),
    (),  # the columns of points follow the fields of a point, see `_missing_columns`
    (
        "ALTER TABLE runs ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE sweeps ADD COLUMN address TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX runs_address ON runs (address)",
    ),
    (
        "ALTER TABLE runs ADD COLUMN has_diverged INTEGER NOT NULL DEFAULT 0",
        "UPDATE runs SET has_diverged = 1 WHERE message LIKE 'Training diverged at step %'",  # as older runs say it
    ),
)
VERSION = len(SCHEMA_CHANGES)
RUN_INFO_FIELDS = tuple(RunInfo.__dataclass_fields__)


class RunReassigned(Exception):
    """This worker's run was given to another worker or deleted: it must end and write nothing more."""


class Database:
    """The runs of a folder, with a transaction for each call and a folder for the files of each run.

    Raises RuntimeError: if a newer version of Glassformer has written it.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.root.mkdir(parents=True, exist_ok=True)
        self.path = self.root / "runs.sqlite"
        self._prepare()

    @contextmanager
    def held_open(self) -> Iterator[None]:
        """Keep one idle connection open, because closing the last connection cleans up the whole write-ahead log."""
        with self._read() as db:
            db.execute("SELECT 1 FROM runs LIMIT 1").fetchall()
            yield

    def folder(self, run_id: str) -> Path:
        """Return the folder of a run's latest checkpoint, which may not exist yet. Raises RunNotFound."""
        return self._home(run_id) / "checkpoint"

    def record_path(self, run_id: str) -> Path:
        """Return the file of an experiment's record, which exists from its first step on. Raises RunNotFound."""
        return self._home(run_id) / "record.safetensors"

    def log_path(self, run_id: str) -> Path:
        """Return the file for the worker's output and tracebacks; create its folder if necessary."""
        home = self._home(run_id)
        home.mkdir(parents=True, exist_ok=True)
        return home / "log.txt"

    def frame_paths(self, run_id: str) -> list[Path]:
        """Return the files of a run's frames, in order of their steps."""
        return sorted((self._home(run_id) / "frames").glob("*.frame"))

    def watched_paths(self, run_id: str) -> list[Path]:
        """Return the files of a run's watched tensors, in order of the steps."""
        return sorted((self._home(run_id) / "frames").glob("*.watched"))

    def _home(self, run_id: str) -> Path:
        if not is_run_id(run_id):  # ids come from URLs, so nothing else may become a path
            raise RunNotFound
        return self.root / run_id

    def _touch(self, db: sqlite3.Connection, run_id: str, attempt: int, change: str, *values: object) -> None:
        done = db.execute(
            f"UPDATE runs SET heartbeat = ?, {change} WHERE id = ? AND attempt = ? AND state = 'running'",
            (time.time(), *values, run_id, attempt),
        )
        if done.rowcount != 1:
            raise RunReassigned(run_id)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=15.0, isolation_level=None)
        try:
            db.row_factory = sqlite3.Row
            yield db
        finally:
            db.close()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._read() as db:
            # Enough with a write-ahead log: a power cut may lose the last commits, never the file.
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")  # else free pages still hold the code of a class that has ended
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def _prepare(self) -> None:
        with self._read() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                _use_write_ahead_log(db)
            missing = _missing_columns(db)
        if version < VERSION or (version == VERSION and missing):
            with self._write() as db:
                done = db.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
                for statement in (one for schema in SCHEMA_CHANGES[done:] for one in schema):
                    db.execute(statement)
                for name in _missing_columns(db):
                    db.execute(f"ALTER TABLE points ADD COLUMN {name} REAL")
                db.execute(f"PRAGMA user_version = {VERSION}")
        elif version > VERSION:
            raise RuntimeError(LABELS("newer_version", folder=self.root, version=version, known=VERSION))


def _use_write_ahead_log(db: sqlite3.Connection) -> None:
    """Switch the file to write-ahead logging for good, retrying if another process does so at the same time."""
    for attempt in range(100):
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if attempt == 99:
                raise
            time.sleep(0.05)


def _missing_columns(db: sqlite3.Connection) -> list[str]:
    """Return the fields of a point for which the file has no column yet, because an older program made it."""
    known = {row["name"] for row in db.execute("PRAGMA table_info(points)")}
    return [name for name in CurvePoint._fields if name not in known]


def is_run_id(text: str) -> bool:
    return isinstance(text, str) and re.fullmatch("[0-9a-f]{16}", text) is not None


def fetch_run_row(db: sqlite3.Connection, run_id: str, owner: str | None = None, deleting: bool = False) -> sqlite3.Row:
    row = db.execute("SELECT * FROM runs WHERE id = ?", (run_id if is_run_id(run_id) else "",)).fetchone()
    if row is None or (row["deleting"] and not deleting) or (owner is not None and row["owner"] != owner):
        raise RunNotFound
    return row


def run_info_from_row(row: sqlite3.Row) -> RunInfo:
    """Convert a row to a `RunInfo`, as pages use it."""
    return RunInfo(
        **{name: row[name] for name in RUN_INFO_FIELDS}
        | {"recipe": json.loads(row["recipe"]), "has_diverged": bool(row["has_diverged"])}
    )


def queue_snapshot(db: sqlite3.Connection) -> tuple[list[QueuedRun], dict[str, int], dict[str, float]]:
    """Return the queued runs, the number of running ones of each owner and address, and when each last left a slot."""
    waiting = db.execute(
        "SELECT id, owner, queued, sweep NOTNULL, address FROM runs WHERE state = 'queued' AND NOT deleting"
    ).fetchall()
    busy: dict[str, int] = {}
    left: dict[str, float] = {}
    for group in ("owner", "address"):
        going = f"SELECT {group}, COUNT(*) FROM runs WHERE state = 'running' AND {group} != '' GROUP BY {group}"
        ended = f"SELECT {group}, MAX(released) FROM runs WHERE released NOTNULL AND {group} != '' GROUP BY {group}"
        busy |= dict(db.execute(going).fetchall())
        left |= dict(db.execute(ended).fetchall())
    return [QueuedRun(*row) for row in waiting], busy, left


def address_usage(db: sqlite3.Connection, address: str) -> tuple[int, int]:
    """Return how many runs of an address are waiting, not counting sweeps, and how many bytes all its runs take."""
    n_waiting, n_byte = db.execute(
        "SELECT TOTAL(state = 'queued' AND sweep IS NULL), TOTAL(n_byte) FROM runs WHERE address = ?", (address,)
    ).fetchone()
    return int(n_waiting), int(n_byte)
