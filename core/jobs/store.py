"""The store of runs: one SQLite file, and a folder for each run's arrays.

    <data folder>/runs/runs.sqlite           runs and their loss points
    <data folder>/runs/<id>/checkpoint/      latest checkpoint: config.json, model.safetensors, tokenizer.json, ...
    <data folder>/runs/<id>/frames/          one small file per frame, and one for its watched tensors
    <data folder>/runs/<id>/log.txt          the worker's output and tracebacks

Pages read it and add requests; workers and the supervisor write it. Each change of state is one transaction that checks
the state first, so that two tabs, servers or supervisors can't both win.
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
from core.data.localization.labels import module_labels
from core.jobs import admission
from core.jobs.database import Database, address_usage, fetch_run_row, is_run_id, queue_snapshot, run_info_from_row
from core.jobs.queue import next_run_to_start, queue_order
from core.jobs.runs import RequestRefused, RunInfo, clean_display_name, next_run_state
from core.jobs.sweeps.halving import promote_best_runs
from core.train.curve_point import CurvePoint
from core.train.watch.watched_tensor_patterns import parse_tensor_query

LABELS = module_labels(__name__)
MAX_LOST = 3  # a run whose workers vanish this often without any progress is not tried again


class RunStore(Database):
    """The runs of one data folder, or of `data_dir()/runs`.

    Args:
        examine: checks a recipe before it is queued; raises ValueError with a message for the user.
        sender: returns a mark of the address that a request comes from, whose runs count together; "" counts each
            owner alone.

    Raises RuntimeError: if a newer version of Glassformer has written the store.
    """

    def __init__(
        self,
        folder: Path | None = None,
        examine: Callable[[dict[str, Any]], admission.AdmittedRun] = admission.check_recipe_cost,
        sender: Callable[[], str] = str,
    ) -> None:
        self._sender = sender
        self._examine = examine
        super().__init__(Path(folder) if folder is not None else data_dir() / "runs")

    # For pages: reading

    def get(self, run_id: str) -> RunInfo:
        """Return a run, no matter who owns it (ids can't be guessed). Raises RunNotFound."""
        with self._read() as db:
            return run_info_from_row(fetch_run_row(db, run_id))

    def list(self, owner: str, experiment: str | None = None) -> builtins.list[RunInfo]:
        """Return an owner's runs of recipes, or of one experiment, newest first, without those of sweeps."""
        with self._read() as db:
            rows = db.execute(
                "SELECT * FROM runs WHERE owner = ? AND NOT deleting AND sweep IS NULL "
                "AND json_extract(recipe, '$.experiment') IS ? ORDER BY created DESC, id",
                (owner, experiment),
            )
            return [run_info_from_row(row) for row in rows]

    def points(self, run_id: str, since_step: int = -1) -> builtins.list[CurvePoint]:
        """Return the points of a run's curve after `since_step`, in order."""
        with self._read() as db:
            rows = db.execute(
                f"SELECT {', '.join(CurvePoint._fields)} FROM points WHERE run_id = ? AND step > ? ORDER BY step",
                (run_id, since_step),
            )
            return [CurvePoint(*row) for row in rows]

    def of_group(self, beginning: str) -> builtins.list[RunInfo]:
        """Return the runs of all owners whose names begin with this text, oldest first."""
        with self._read() as db:
            found = db.execute(
                "SELECT * FROM runs WHERE substr(owner, 1, length(?)) = ? AND NOT deleting ORDER BY created, id",
                (beginning, beginning),
            )
            return [run_info_from_row(row) for row in found]

    def val_losses(self, run_id: str) -> builtins.list[tuple[int, float]]:
        """Return the validation losses measured so far as (step, nats per token), in order."""
        with self._read() as db:
            rows = db.execute(
                "SELECT step, val_loss FROM points WHERE run_id = ? AND val_loss NOTNULL ORDER BY step", (run_id,)
            )
            return [tuple(row) for row in rows]

    def frames(self, run_id: str) -> builtins.list[bytes]:
        """Return all frames stored so far, in order of their steps."""
        return [path.read_bytes() for path in self.frame_paths(run_id)]

    def n_frame(self, run_id: str) -> int:
        """Return the number of stored frames; cheap enough to poll."""
        return len(self.frame_paths(run_id))

    def latest_frame(self, run_id: str) -> bytes | None:
        """Return the frame of the latest step, or None."""
        paths = self.frame_paths(run_id)
        return paths[-1].read_bytes() if paths else None

    def watched(self, run_id: str) -> builtins.list[bytes]:
        """Return the watched tensors stored so far, in order of the steps."""
        return [path.read_bytes() for path in self.watched_paths(run_id)]

    def n_watched(self, run_id: str) -> int:
        """Return the number of steps with stored watched tensors; cheap enough to poll."""
        return len(self.watched_paths(run_id))

    def queue_position(self, run_id: str) -> int | None:
        """Return the run's position in the queue, 1 for the next to start, or None if it isn't waiting."""
        with self._read() as db:
            places = [run.id for run in queue_order(*queue_snapshot(db))]
        return places.index(run_id) + 1 if run_id in places else None

    def cluster(self) -> dict[str, Any]:
        """Return the cluster's status: `n_slot`, and `refused`, the reasons why workers are. {} without a cluster."""
        try:
            return dict(json.loads((self.root / "cluster.json").read_bytes()))
        except (OSError, ValueError):
            return {}

    # For pages: asking

    def create(
        self, owner: str, recipe: dict[str, object], seed: int, name: str | None = None, *, watch: str = ""
    ) -> str:
        """Queue a run and return its id; `watch`: the tensors to store with its frames.

        Raises ValueError: if the recipe, the seed, a pattern or the owner's use of the disk is refused.
        """
        parse_tensor_query(watch)
        admitted = self._examine(recipe)
        seed = admission.check_seed(seed)
        run_id = secrets.token_hex(8)
        now = time.time()
        with self._write() as db:
            n_waiting, n_run, n_byte = db.execute(
                "SELECT TOTAL(state = 'queued'), COUNT(*), TOTAL(n_byte) FROM runs WHERE owner = ? AND sweep IS NULL",
                (owner,),
            ).fetchone()
            admission.check_run_quota(int(n_waiting), n_run, int(n_byte), self.root)
            if address := self._sender():
                admission.check_address_quota(*address_usage(db, address))
            name = clean_display_name(name or "", clean_display_name(admitted.title, LABELS["unnamed"]))
            size = (admitted.n_step, admitted.n_parameter)
            db.execute(
                "INSERT INTO runs (id, owner, name, recipe, seed, state, n_step, n_parameter, created, queued, watch, "
                "address) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)",
                (run_id, owner, name, json.dumps(recipe), seed, *size, now, now, watch, address),
            )
        return run_id

    def request(self, run_id: str, owner: str, action: str) -> RunInfo:
        """Request "pause", "resume" or "stop"; a running run obeys within a second.

        Raises RunNotFound, or RequestRefused if the run's state doesn't allow it.
        """
        now = time.time()
        with self._write() as db:
            row = fetch_run_row(db, run_id, owner)
            if row["sweep"]:
                raise RequestRefused(LABELS["belongs_to_sweep"])
            state, request = next_run_state(row["state"], row["request"], action, complete=row["step"] >= row["n_step"])
            db.execute("UPDATE runs SET state = ?, request = ? WHERE id = ?", (state, request, run_id))
            change = {"queued": "queued = ?, ended = NULL, message = '', lost = 0", "stopped": "ended = ?"}.get(state)
            if change and state != row["state"]:
                db.execute(f"UPDATE runs SET {change} WHERE id = ?", (now, run_id))
            return run_info_from_row(fetch_run_row(db, run_id))

    def rename(self, run_id: str, owner: str, name: str) -> RunInfo:
        """Rename a run; an empty name changes nothing. Raises RunNotFound."""
        with self._write() as db:
            row = fetch_run_row(db, run_id, owner)
            db.execute("UPDATE runs SET name = ? WHERE id = ?", (clean_display_name(name, row["name"]), run_id))
            return run_info_from_row(fetch_run_row(db, run_id))

    def watch(self, run_id: str, owner: str, query: str) -> None:
        """Store these tensors with a run's frames from its next frame on. Raises RunNotFound, ValueError."""
        parse_tensor_query(query)
        with self._write() as db:
            fetch_run_row(db, run_id, owner)
            db.execute("UPDATE runs SET watch = ? WHERE id = ?", (query, run_id))

    def delete(self, run_id: str, owner: str) -> None:
        """Delete a run permanently (a running one when its worker ends). Raises RunNotFound."""
        with self._write() as db:
            row = fetch_run_row(db, run_id, owner)
            db.execute("UPDATE runs SET deleting = 1, request = 'stop' WHERE id = ?", (run_id,))
        if row["state"] != "running":
            self.tidy()

    # For the supervisor

    def claim(self, n_free: int = 1) -> tuple[str, int] | None:
        """Claim the next queued run. Returns its id and the number of this attempt, or None if no run is waiting.

        Args:
            n_free: number of free slots; all but one of them may go to sweeps.

        The number is part of everything that the worker writes. A worker that was given up and wakes again finds that
        its number is no longer the run's, and ends.
        """
        with self._read() as db:  # an idle poll takes no write lock
            if next_run_to_start(*queue_snapshot(db), n_free) is None:
                return None
        now = time.time()
        with self._write() as db:
            run = next_run_to_start(*queue_snapshot(db), n_free)
            if run is None:
                return None
            attempt = db.execute("SELECT attempt FROM runs WHERE id = ?", (run.id,)).fetchone()[0] + 1
            db.execute(
                "UPDATE runs SET state = 'running', attempt = ?, request = NULL, pid = NULL, heartbeat = ?, "
                "message = '', has_diverged = 0, started = COALESCE(started, ?) WHERE id = ? AND state = 'queued'",
                (attempt, now, now, run.id),
            )
        return run.id, attempt

    def running(self) -> builtins.list[tuple[str, int, int | None, float, str | None]]:
        """Return the running runs: id, attempt, pid of the worker (None: not started yet), heartbeat, request."""
        with self._read() as db:
            rows = db.execute("SELECT id, attempt, pid, heartbeat, request FROM runs WHERE state = 'running'")
            return [tuple(row) for row in rows]

    def put_back(self, run_id: str, attempt: int, *, is_lost: bool = True) -> None:
        """Put a run whose worker vanished back into the queue, to continue from its last checkpoint.

        Args:
            is_lost: whether this counts towards `MAX_LOST`; False if the run can't be the cause.
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
                state, message = "failed", LABELS("cut_off", n=lost)
            db.execute(
                "UPDATE runs SET state = ?, request = NULL, pid = NULL, lost = ?, message = ?, attempt = attempt + 1 "
                "WHERE id = ?",
                (state, lost, message, run_id),
            )
            if row["sweep"]:
                promote_best_runs(db, row["sweep"])

    def tidy(self) -> None:
        """Remove runs that are marked for deletion and not running, and those that visitors left half a year ago."""
        least = time.time() - admission.KEPT_DAYS * 24 * 3600
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
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # the log still holds the deleted rows

    def tidy_folders(self) -> None:
        """Remove folders of runs that are no longer in the store, because of a crash between the two removals."""
        with self._read() as db:
            known = {row[0] for row in db.execute("SELECT id FROM runs")}
        for path in self.root.iterdir():
            if is_run_id(path.name) and path.name not in known:
                shutil.rmtree(path, ignore_errors=True)

    def note_cluster(self, n_slot: int, refused: Sequence[str]) -> None:
        """Store the cluster's status for pages."""
        now = {"n_slot": n_slot, "refused": list(refused)}
        if self.cluster() != now and (n_slot or refused or self.cluster()):
            write_atomic(self.root / "cluster.json", json.dumps(now).encode())

    # For the worker

    def begin(self, run_id: str, attempt: int, pid: int) -> RunInfo:
        """Record that a run's worker has started, and return the run. Raises Superseded."""
        with self._write() as db:
            self._touch(db, run_id, attempt, "pid = ?", pid)
            return run_info_from_row(fetch_run_row(db, run_id, deleting=True))

    def record(
        self, run_id: str, attempt: int, points: Sequence[CurvePoint], seconds: float, tokens_per_second: float | None
    ) -> Literal["pause", "stop"] | None:
        """Store points, show that the worker is alive, and return the pending request: "pause", "stop" or None.

        Existing points are overwritten, as a resumed run repeats the steps after its checkpoint. Raises Superseded.
        """
        with self._write() as db:
            change = "step = MAX(step, ?), seconds = ?, tokens_per_second = COALESCE(?, tokens_per_second)"
            step = points[-1].step if points else 0
            self._touch(db, run_id, attempt, change, step, seconds, tokens_per_second)
            db.executemany(
                f"INSERT OR REPLACE INTO points (run_id, {', '.join(CurvePoint._fields)}) "
                f"VALUES (?{', ?' * len(CurvePoint._fields)})",
                [(run_id, *point) for point in points],
            )
            request: Literal["pause", "stop"] | None = db.execute(
                "SELECT request FROM runs WHERE id = ?", (run_id,)
            ).fetchone()[0]
            return request

    def add_frame(self, run_id: str, attempt: int, step: int, data: bytes, sample: str) -> None:
        """Store one frame and the text that the model wrote at its step. Raises Superseded."""
        folder = self._home(run_id) / "frames"
        with self._write() as db:
            self._touch(db, run_id, attempt, "sample = ?", sample)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{step:09d}.frame", data)

    def to_watch(self, run_id: str) -> str:
        """Return the query for the tensors that a run should store from now on, "" if the run is gone."""
        with self._read() as db:
            row = db.execute("SELECT watch FROM runs WHERE id = ?", (run_id,)).fetchone()
        return str(row[0]) if row else ""

    def add_watched(self, run_id: str, attempt: int, step: int, data: bytes) -> None:
        """Store the tensors watched at the step of a frame. Raises Superseded."""
        folder = self._home(run_id) / "frames"
        with self._write() as db:
            self._touch(db, run_id, attempt, "step = step")
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(folder / f"{step:09d}.watched", data)

    def set_record(self, run_id: str, attempt: int, step: int, data: bytes) -> None:
        """Replace an experiment's record. Raises Superseded."""
        path = self.record_path(run_id)
        with self._write() as db:
            self._touch(db, run_id, attempt, "step = ?, n_byte = ?", step, len(data))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, data)

    def checkpointed(self, run_id: str, attempt: int) -> None:
        """Record that a checkpoint was written, so that the progress is safe. Raises Superseded."""
        n_byte = sum(path.stat().st_size for path in self._home(run_id).rglob("*") if path.is_file())
        with self._write() as db:
            self._touch(db, run_id, attempt, "lost = 0, n_byte = ?", n_byte)

    def leave(self, run_id: str, attempt: int, state: str, message: str = "", step: int | None = None) -> str | None:
        """Take a run out of its slot. Returns its new state, or None if it wasn't this worker's.

        Args:
            state: how it ended: "finished", "failed", "diverged", or "queued", "paused", "stopped" after a checkpoint.
            step: of that checkpoint; later points (of an earlier attempt that got further) are deleted.
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
                # The person's latest request counts, even if it came while the checkpoint was being written.
                state = {"stop": "stopped", "pause": "paused", None: "queued"}.get(row["request"], state)
            if row["deleting"]:
                state = "stopped"
            released = None if state == "queued" else now  # a run that continues later keeps its place in the queue
            state, has_diverged = ("failed", True) if state == "diverged" else (state, False)
            ended = now if state in ("finished", "failed", "stopped") else None
            db.execute(
                "UPDATE runs SET state = ?, request = NULL, pid = NULL, message = ?, released = COALESCE(?, released), "
                "ended = COALESCE(?, ended), step = COALESCE(?, step), has_diverged = ? WHERE id = ?",
                (state, message, released, ended, step, has_diverged, run_id),
            )
            if step is not None:
                db.execute("DELETE FROM points WHERE run_id = ? AND step > ?", (run_id, step))
            unneeded = promote_best_runs(db, row["sweep"]) if row["sweep"] else []
        for one in unneeded:
            shutil.rmtree(self.folder(one), ignore_errors=True)
        return state
