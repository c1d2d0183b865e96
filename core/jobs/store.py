"""The store of runs: one SQLite file, and a folder for each run's arrays.

    <data folder>/runs/runs.sqlite           runs and their loss points
    <data folder>/runs/<id>/checkpoint/      latest checkpoint: config.json, model.safetensors, tokenizer.json, ...
    <data folder>/runs/<id>/frames/          one small file per frame, and one of what is watched
    <data folder>/runs/<id>/log.txt          what the worker printed, traces of faults

Pages read it and put requests into it; workers and the supervisor write it. Every change of state is one
transaction that looks at the state first, so two of anything (tabs, servers, supervisors) cannot both win.
"""

import builtins
import json
import secrets
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from core.data.files import data_dir, write_atomic
from core.jobs.admission import KEPT_DAYS, Admission, admit, check_address, check_room, check_seed
from core.jobs.database import Database, held_by_address, is_id, row_of, run_of, standing
from core.jobs.line import first_to_start, line
from core.jobs.runs import RequestRefused, RunInfo, clean_name, decide
from core.jobs.sweeps.halving import go_on
from core.train.point import Point
from core.train.watch.query import parse

MAX_LOST = 3  # a run whose workers vanish this often without getting anywhere is not tried again


class Store(Database):
    """The runs of one data folder, or of `data_dir()/runs`.

    `examine` checks a recipe before it is queued, and raises ValueError in plain words. `sender` gives the mark of the
    address that a request comes from, whose runs count together; "" counts each owner alone. Raises RuntimeError when
    a newer version of Glassformer has written the store.
    """

    def __init__(
        self,
        folder: Path | None = None,
        examine: Callable[[dict[str, Any]], Admission] = admit,
        sender: Callable[[], str] = str,
    ) -> None:
        self._sender = sender
        self._examine = examine
        super().__init__(Path(folder) if folder is not None else data_dir() / "runs")

    # For pages: reading

    def get(self, run_id: str) -> RunInfo:
        """One run, whoever's it is (ids cannot be guessed). Raises RunNotFound."""
        with self._read() as db:
            return run_of(row_of(db, run_id))

    def list(self, owner: str, experiment: str | None = None) -> builtins.list[RunInfo]:
        """An owner's runs of a recipe, or those of one experiment; newest first. Those of sweeps are listed there."""
        with self._read() as db:
            rows = db.execute(
                "SELECT * FROM runs WHERE owner = ? AND NOT deleting AND sweep IS NULL "
                "AND json_extract(recipe, '$.experiment') IS ? ORDER BY created DESC, id",
                (owner, experiment),
            )
            return [run_of(row) for row in rows]

    def points(self, run_id: str, since_step: int = -1) -> builtins.list[Point]:
        """Points of the curve after `since_step`, in order."""
        with self._read() as db:
            rows = db.execute(
                f"SELECT {', '.join(Point._fields)} FROM points WHERE run_id = ? AND step > ? ORDER BY step",
                (run_id, since_step),
            )
            return [Point(*row) for row in rows]

    def of_group(self, beginning: str) -> builtins.list[RunInfo]:
        """The runs of all owners whose names begin so, oldest first."""
        with self._read() as db:
            found = db.execute(
                "SELECT * FROM runs WHERE substr(owner, 1, length(?)) = ? AND NOT deleting ORDER BY created, id",
                (beginning, beginning),
            )
            return [run_of(row) for row in found]

    def val_losses(self, run_id: str) -> builtins.list[tuple[int, float]]:
        """What was measured on the validation part so far: (step, nats per token), in order."""
        with self._read() as db:
            rows = db.execute(
                "SELECT step, val_loss FROM points WHERE run_id = ? AND val_loss NOTNULL ORDER BY step", (run_id,)
            )
            return [tuple(row) for row in rows]

    def frames(self, run_id: str) -> builtins.list[bytes]:
        """All frames stored so far, in order of their steps."""
        return [path.read_bytes() for path in self.frame_paths(run_id)]

    def n_frame(self, run_id: str) -> int:
        """How many frames are stored: cheap enough to poll."""
        return len(self.frame_paths(run_id))

    def latest_frame(self, run_id: str) -> bytes | None:
        """The frame of the latest step, or None."""
        paths = self.frame_paths(run_id)
        return paths[-1].read_bytes() if paths else None

    def watched(self, run_id: str) -> builtins.list[bytes]:
        """What was watched so far, in order of the steps."""
        return [path.read_bytes() for path in self.watched_paths(run_id)]

    def n_watched(self, run_id: str) -> int:
        """At how many steps: cheap enough to poll."""
        return len(self.watched_paths(run_id))

    def queue_position(self, run_id: str) -> int | None:
        """The place in line, 1 for the next to start; None when the run does not wait."""
        with self._read() as db:
            places = [run.id for run in line(*standing(db))]
        return places.index(run_id) + 1 if run_id in places else None

    def cluster(self) -> dict[str, Any]:
        """How the cluster stands, where there is one: n_slot, and refused: why workers are, in words."""
        try:
            return dict(json.loads((self.root / "cluster.json").read_bytes()))
        except (OSError, ValueError):
            return {}

    # For pages: asking

    def create(
        self, owner: str, recipe: dict[str, object], seed: int, name: str | None = None, *, watch: str = ""
    ) -> str:
        """Queues a run and returns its id; `watch`: tensors to keep with its frames.

        Raises ValueError: plain words, when the recipe, the seed, a pattern or the owner's use of the disk is refused.
        """
        parse(watch)
        admission = self._examine(recipe)
        seed = check_seed(seed)
        run_id = secrets.token_hex(8)
        now = time.time()
        with self._write() as db:
            n_waiting, n_run, n_byte = db.execute(
                "SELECT TOTAL(state = 'queued'), COUNT(*), TOTAL(n_byte) FROM runs WHERE owner = ? AND sweep IS NULL",
                (owner,),
            ).fetchone()
            check_room(int(n_waiting), n_run, int(n_byte), self.root)
            if address := self._sender():
                check_address(*held_by_address(db, address))
            name = clean_name(name or "", clean_name(admission.title, "Run"))
            size = (admission.n_step, admission.n_parameter)
            db.execute(
                "INSERT INTO runs (id, owner, name, recipe, seed, state, n_step, n_parameter, created, queued, watch, "
                "address) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)",
                (run_id, owner, name, json.dumps(recipe), seed, *size, now, now, watch, address),
            )
        return run_id

    def request(self, run_id: str, owner: str, action: str) -> RunInfo:
        """Asks for "pause", "resume" or "stop"; a running run obeys within a second.

        Raises RunNotFound, or, where the run is in no state for it, RequestRefused in plain words.
        """
        now = time.time()
        with self._write() as db:
            row = row_of(db, run_id, owner)
            if row["sweep"]:
                raise RequestRefused("This run belongs to a sweep, and waits or goes on with it.")
            state, request = decide(row["state"], row["request"], action, complete=row["step"] >= row["n_step"])
            db.execute("UPDATE runs SET state = ?, request = ? WHERE id = ?", (state, request, run_id))
            change = {"queued": "queued = ?, ended = NULL, message = '', lost = 0", "stopped": "ended = ?"}.get(state)
            if change and state != row["state"]:
                db.execute(f"UPDATE runs SET {change} WHERE id = ?", (now, run_id))
            return run_of(row_of(db, run_id))

    def rename(self, run_id: str, owner: str, name: str) -> RunInfo:
        """Gives a run another name; an empty one leaves it as it is. Raises RunNotFound."""
        with self._write() as db:
            row = row_of(db, run_id, owner)
            db.execute("UPDATE runs SET name = ? WHERE id = ?", (clean_name(name, row["name"]), run_id))
            return run_of(row_of(db, run_id))

    def watch(self, run_id: str, owner: str, query: str) -> None:
        """From its next frame on a run keeps these tensors. Raises RunNotFound, and ValueError in plain words."""
        parse(query)
        with self._write() as db:
            row_of(db, run_id, owner)
            db.execute("UPDATE runs SET watch = ? WHERE id = ?", (query, run_id))

    def delete(self, run_id: str, owner: str) -> None:
        """Deletes a run for good. A running one vanishes from lists at once and is gone when its worker has ended.

        Raises RunNotFound: no such run of this owner.
        """
        with self._write() as db:
            row = row_of(db, run_id, owner)
            db.execute("UPDATE runs SET deleting = 1, request = 'stop' WHERE id = ?", (run_id,))
        if row["state"] != "running":
            self.tidy()

    # For the supervisor

    def claim(self, n_free: int = 1) -> tuple[str, int] | None:
        """Takes the next run in line: its id and the number of this attempt, or None when nobody waits.

        Args:
            n_free: slots that are free; all but one of them may go to sweeps.

        The number goes into everything that the worker writes: a worker that was given up for dead and wakes again
        finds that its number is no longer the run's, and ends.
        """
        with self._read() as db:  # an idle poll takes no write lock
            if first_to_start(*standing(db), n_free) is None:
                return None
        now = time.time()
        with self._write() as db:
            run = first_to_start(*standing(db), n_free)
            if run is None:
                return None
            attempt = db.execute("SELECT attempt FROM runs WHERE id = ?", (run.id,)).fetchone()[0] + 1
            db.execute(
                "UPDATE runs SET state = 'running', attempt = ?, request = NULL, pid = NULL, heartbeat = ?, "
                "message = '', started = COALESCE(started, ?) WHERE id = ? AND state = 'queued'",
                (attempt, now, now, run.id),
            )
        return run.id, attempt

    def running(self) -> builtins.list[tuple[str, int, int | None, float, str | None]]:
        """Runs marked as running: id, attempt, pid of the worker (None: not up yet), heartbeat, what was asked."""
        with self._read() as db:
            rows = db.execute(
                "SELECT id, attempt, pid, heartbeat, request FROM runs WHERE state = 'running'"
            ).fetchall()
        return [tuple(row) for row in rows]

    def put_back(self, run_id: str, attempt: int, *, is_lost: bool = True) -> None:
        """Put a run whose worker vanished back in line, to go on from its last checkpoint.

        Args:
            is_lost: whether this counts towards `MAX_LOST`. It doesn't if the run can't be the reason.
        """
        with self._write() as db:
            row = db.execute(
                "SELECT request, lost, sweep FROM runs WHERE id = ? AND attempt = ? AND state = 'running'",
                (run_id, attempt),
            ).fetchone()
            if row is None:
                return
            lost = row["lost"] + is_lost
            state = {"stop": "stopped", "pause": "paused"}.get(row["request"] or "", "queued")
            message = ""
            if state == "queued" and is_lost and lost >= MAX_LOST:
                state = "failed"
                message = f"The training was cut off {lost} times without getting anywhere, so it isn't tried again."
            db.execute(
                "UPDATE runs SET state = ?, request = NULL, pid = NULL, lost = ?, message = ?, attempt = attempt + 1 "
                "WHERE id = ?",
                (state, lost, message, run_id),
            )
            if row["sweep"]:
                go_on(db, row["sweep"])

    def tidy(self) -> None:
        """Removes what is marked for deletion and no longer running, and what visitors left half a year ago."""
        least = time.time() - KEPT_DAYS * 24 * 3600
        with self._write() as db:
            db.execute(
                "UPDATE runs SET deleting = 1 WHERE address != '' AND state NOT IN ('queued', 'running') "
                "AND COALESCE(ended, queued) < ?",
                (least,),
            )
            db.execute(
                "DELETE FROM sweeps WHERE address != '' AND created < ? "
                "AND NOT EXISTS (SELECT 1 FROM runs WHERE sweep = sweeps.id AND NOT deleting)",
                (least,),
            )
            rows = db.execute("SELECT id FROM runs WHERE deleting AND state != 'running'").fetchall()
            db.executemany("DELETE FROM points WHERE run_id = ?", rows)
            db.executemany("DELETE FROM runs WHERE id = ?", rows)
        for (run_id,) in rows:
            shutil.rmtree(self._home(run_id), ignore_errors=True)
        if rows:
            with self._read() as db:
                db.execute("PRAGMA busy_timeout = 1000")  # ms
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log still held what was deleted

    def tidy_folders(self) -> None:
        """Removes folders of runs that are in the store no more (a crash came between the two removals)."""
        with self._read() as db:
            known = {row[0] for row in db.execute("SELECT id FROM runs")}
        for path in self.root.iterdir():
            if is_id(path.name) and path.name not in known:
                shutil.rmtree(path, ignore_errors=True)

    def note_cluster(self, n_slot: int, refused: Sequence[str]) -> None:
        """Notes how the cluster stands, for pages."""
        now = {"n_slot": n_slot, "refused": list(refused)}
        if self.cluster() != now and (n_slot or refused or self.cluster()):
            write_atomic(self.root / "cluster.json", json.dumps(now).encode())

    # For the worker

    def begin(self, run_id: str, attempt: int, pid: int) -> RunInfo:
        """The worker is up. Raises Superseded."""
        with self._write() as db:
            self._touch(db, run_id, attempt, "pid = ?", pid)
            return run_of(row_of(db, run_id, deleting=True))

    def record(
        self, run_id: str, attempt: int, points: Sequence[Point], seconds: float, tokens_per_second: float | None
    ) -> Literal["pause", "stop"] | None:
        """Stores points, shows that the worker lives, and returns what was asked meanwhile: "pause", "stop", None.

        A point that is there already is overwritten: a resumed run repeats the steps after its checkpoint. Raises
        Superseded: the run is not this worker's any more.
        """
        with self._write() as db:
            change = "step = MAX(step, ?), seconds = ?, tokens_per_second = COALESCE(?, tokens_per_second)"
            step = points[-1].step if points else 0
            self._touch(db, run_id, attempt, change, step, seconds, tokens_per_second)
            db.executemany(
                f"INSERT OR REPLACE INTO points (run_id, {', '.join(Point._fields)}) "
                f"VALUES (?{', ?' * len(Point._fields)})",
                [(run_id, *point) for point in points],
            )
            request: Literal["pause", "stop"] | None = db.execute(
                "SELECT request FROM runs WHERE id = ?", (run_id,)
            ).fetchone()[0]
            return request

    def add_frame(self, run_id: str, attempt: int, step: int, data: bytes, sample: str) -> None:
        """Stores one frame and the text that the model wrote at it. Raises Superseded."""
        folder = self._home(run_id) / "frames"
        with self._write() as db:
            self._touch(db, run_id, attempt, "sample = ?", sample)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{step:09d}.frame", data)

    def to_watch(self, run_id: str) -> str:
        """The tensors that a run is asked to keep from now on; none of one that is gone."""
        with self._read() as db:
            row = db.execute("SELECT watch FROM runs WHERE id = ?", (run_id,)).fetchone()
        return str(row[0]) if row else ""

    def add_watched(self, run_id: str, attempt: int, step: int, data: bytes) -> None:
        """Stores what was watched at the step of a frame. Raises Superseded."""
        folder = self._home(run_id) / "frames"
        with self._write() as db:
            self._touch(db, run_id, attempt, "step = step")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{step:09d}.watched", data)

    def set_record(self, run_id: str, attempt: int, step: int, data: bytes) -> None:
        """Puts an experiment's record in place of the one before. Raises Superseded."""
        path = self.record_path(run_id)
        with self._write() as db:
            self._touch(db, run_id, attempt, "step = ?, n_byte = ?", step, len(data))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)

    def checkpointed(self, run_id: str, attempt: int) -> None:
        """A checkpoint was written: progress is safe. Raises Superseded."""
        n_byte = sum(path.stat().st_size for path in self._home(run_id).rglob("*") if path.is_file())
        with self._write() as db:
            self._touch(db, run_id, attempt, "lost = 0, n_byte = ?", n_byte)

    def leave(self, run_id: str, attempt: int, state: str, message: str = "", step: int | None = None) -> str | None:
        """The run leaves its slot. Returns the state that it is in then, or None when it was not this worker's.

        Args:
            state: how it ended: "finished", "failed", or "queued", "paused", "stopped" after a checkpoint.
            step: of that checkpoint; points beyond it (of an earlier attempt that got further) go.
        """
        now = time.time()
        with self._write() as db:
            row = db.execute(
                "SELECT request, deleting, sweep, until FROM runs WHERE id = ? AND attempt = ? AND state = 'running'",
                (run_id, attempt),
            ).fetchone()
            if row is None:
                return None
            is_at_rung = row["sweep"] and state == "paused" and (step or 0) >= row["until"]
            if state in ("queued", "paused", "stopped") and not is_at_rung:
                # The last word of the person counts, even if it came while the checkpoint was being written.
                state = {"stop": "stopped", "pause": "paused", None: "queued"}.get(row["request"], state)
            if row["deleting"]:
                state = "stopped"
            released = None if state == "queued" else now  # who goes on later keeps the place in line
            ended = now if state in ("finished", "failed", "stopped") else None
            db.execute(
                "UPDATE runs SET state = ?, request = NULL, pid = NULL, message = ?, released = COALESCE(?, released), "
                "ended = COALESCE(?, ended), step = COALESCE(?, step) WHERE id = ?",
                (state, message, released, ended, step, run_id),
            )
            if step is not None:
                db.execute("DELETE FROM points WHERE run_id = ? AND step > ?", (run_id, step))
            unneeded = go_on(db, row["sweep"]) if row["sweep"] else []
        for one in unneeded:
            shutil.rmtree(self.folder(one), ignore_errors=True)
        return state
