"""The store of sweeps: rows in the same file as the runs, and runs in the same queue as all others."""

import builtins
import json
import secrets
import sqlite3
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.data.localization.labels import module_labels
from core.jobs.admission import (
    MAX_SWEEP_RUNS,
    MAX_SWEEP_SECONDS,
    MAX_SWEEPS,
    AdmittedRun,
    check_address_quota,
    check_recipe_cost,
    check_run_quota,
    check_seed,
)
from core.jobs.database import address_usage, run_info_from_row
from core.jobs.runs import RunInfo, RunNotFound, clean_display_name
from core.jobs.store import RunStore
from core.jobs.sweeps.halving import halving_cost_fraction, halving_rungs

LABELS = module_labels(__name__)


@dataclass(frozen=True, kw_only=True)
class SweepInfo:
    """One sweep, as a row of the store."""

    id: str
    owner: str
    name: str
    rungs: tuple[tuple[int, int], ...]  # steps and number of runs of each, the full length last
    about: Mapping[str, Any]  # data of the page that created it, returned unchanged
    created: float  # Unix seconds


SweepState = Literal["going on", "paused", "over"]


def sweep_state(runs: Sequence[RunInfo]) -> SweepState:
    """Return the state of a sweep with these runs."""
    if any(run.active for run in runs):
        return "going on"
    return "paused" if any(run.state == "paused" for run in runs) else "over"


class SweepStore(RunStore):
    """The runs and sweeps of a data folder."""

    def begin_sweep(
        self,
        owner: str,
        name: str,
        given: Sequence[tuple[dict[str, object], int]],
        *,
        divisor: int,
        vocab_size: int,
        kind: str,
        about: Mapping[str, object],
    ) -> str:
        """Queue a sweep and return its id.

        Args:
            given: recipe and seed of each run, in the order in which they train.
            divisor: one of this many runs is promoted from each rung, which needs runs of equal length; 1: all train
                to the end.
            vocab_size: of all recipes' tokenizer.
            kind: the kind of page that requests it, by which it finds its sweeps again.
            about: data that the page gets back with the sweep.

        Raises ValueError: if one of the runs, or the sweep as a whole, is refused.
        """
        if not 2 <= len(given) <= MAX_SWEEP_RUNS:
            raise ValueError(LABELS("number_of_runs", most=MAX_SWEEP_RUNS, n=len(given)))
        admitted = [check_recipe_cost(recipe, vocab_size) for recipe, _ in given]
        levels = _checked_rungs(given[0][0], admitted, divisor)
        sweep_id, now = secrets.token_hex(8), time.time()
        rows = [
            _row_of(recipe, check_seed(seed), one, name, now + 1e-6 * n)
            for n, ((recipe, seed), one) in enumerate(zip(given, admitted, strict=True))
        ]
        with self._write() as db:
            n_sweep = db.execute("SELECT COUNT(*) FROM sweeps WHERE owner = ?", (owner,)).fetchone()[0]
            if n_sweep >= MAX_SWEEPS:
                raise ValueError(LABELS("too_many_sweeps", n_sweep=n_sweep, most=MAX_SWEEPS))
            check_run_quota(0, 0, 0, self.root)
            if address := self._sender():
                of_address = db.execute("SELECT COUNT(*) FROM sweeps WHERE address = ?", (address,)).fetchone()[0]
                check_address_quota(0, address_usage(db, address)[1], of_address)
            plan = json.dumps({"rungs": levels, "about": about})
            db.execute(
                "INSERT INTO sweeps (id, owner, name, kind, plan, created, address) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (sweep_id, owner, clean_display_name(name, LABELS["unnamed_sweep"]), kind, plan, now, address),
            )
            db.executemany(
                "INSERT INTO runs (id, recipe, seed, name, n_step, n_parameter, created, queued, owner, sweep, "
                "address, until, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')",
                [
                    (*row, owner, sweep_id, address, levels[0][0] if divisor > 1 else one.n_step)
                    for row, one in zip(rows, admitted, strict=True)
                ],
            )
        return sweep_id

    def sweep(self, sweep_id: str) -> SweepInfo:
        """Return a sweep, no matter who owns it. Raises RunNotFound."""
        with self._read() as db:
            return _sweep(db.execute("SELECT * FROM sweeps WHERE id = ?", (sweep_id,)).fetchone())

    def sweeps(self, owner: str, kind: str) -> builtins.list[SweepInfo]:
        """Return an owner's sweeps of a kind, newest first."""
        with self._read() as db:
            found = db.execute("SELECT * FROM sweeps WHERE owner = ? AND kind = ? ORDER BY created DESC", (owner, kind))
            return [_sweep(row) for row in found]

    def runs_of(self, sweep_id: str) -> builtins.list[RunInfo]:
        """Return the runs of a sweep, in its order."""
        with self._read() as db:
            found = db.execute("SELECT * FROM runs WHERE sweep = ? AND NOT deleting ORDER BY created", (sweep_id,))
            return [run_info_from_row(row) for row in found]

    def curves_of(self, sweep_id: str, *, wrong: bool = False) -> dict[str, builtins.list[tuple[int, float]]]:
        """Return the validation curves of a sweep's runs so far: id -> (step, nats per token), in order of steps.

        Args:
            wrong: return the fraction of a task's held-out questions that are answered wrong instead of the loss.
        """
        found = defaultdict(list)
        measure = "1 - right_share" if wrong else "val_loss"
        with self._read() as db:
            rows = db.execute(
                f"SELECT run_id, points.step, {measure} FROM points JOIN runs ON runs.id = run_id WHERE sweep = ? "
                f"AND {measure} NOTNULL ORDER BY points.step",
                (sweep_id,),
            )
            for run_id, step, loss in rows:
                found[run_id].append((step, loss))
        return dict(found)

    def pause_sweep(self, sweep_id: str, owner: str) -> None:
        """Pause a sweep: its runs free their slots, each after a checkpoint. Raises RunNotFound."""
        with self._write() as db:
            _own(db, sweep_id, owner)
            db.execute("UPDATE sweeps SET is_paused = 1 WHERE id = ?", (sweep_id,))
            db.execute("UPDATE runs SET request = 'pause' WHERE sweep = ? AND state = 'running'", (sweep_id,))
            db.execute("UPDATE runs SET state = 'paused' WHERE sweep = ? AND state = 'queued'", (sweep_id,))

    def resume_sweep(self, sweep_id: str, owner: str) -> None:
        """Resume a sweep where it was paused. Raises RunNotFound."""
        with self._write() as db:
            _own(db, sweep_id, owner)
            db.execute("UPDATE sweeps SET is_paused = 0 WHERE id = ?", (sweep_id,))
            db.execute("UPDATE runs SET request = NULL WHERE sweep = ? AND state = 'running'", (sweep_id,))
            db.execute(
                "UPDATE runs SET state = 'queued', lost = 0 WHERE sweep = ? AND state = 'paused' AND step < until",
                (sweep_id,),
            )

    def delete_sweep(self, sweep_id: str, owner: str) -> None:
        """Delete a sweep and its runs permanently. Raises RunNotFound."""
        with self._write() as db:
            _own(db, sweep_id, owner)
            db.execute("UPDATE runs SET deleting = 1, request = 'stop' WHERE sweep = ?", (sweep_id,))
            db.execute("DELETE FROM sweeps WHERE id = ?", (sweep_id,))
        self.tidy()


def _checked_rungs(recipe: dict[str, object], admitted: Sequence[AdmittedRun], divisor: int) -> list[tuple[int, int]]:
    """Return the rungs of a sweep. Raises ValueError if its runs don't match or take too long."""
    from core.train.recipes import Recipe

    n_step = max(one.n_step for one in admitted)
    if divisor > 1 and n_step != min(one.n_step for one in admitted):
        raise ValueError(LABELS["equal_steps"])
    levels = halving_rungs(n_step, Recipe.from_dict(recipe).eval_every, len(admitted), divisor)
    if (seconds := halving_cost_fraction(levels) * sum(one.seconds for one in admitted)) > MAX_SWEEP_SECONDS:
        raise ValueError(LABELS("too_long", hours=seconds / 3600, most=MAX_SWEEP_SECONDS // 3600))
    return levels


def _row_of(recipe: dict[str, object], seed: int, one: AdmittedRun, name: str, now: float) -> tuple[object, ...]:
    title = clean_display_name(one.title, clean_display_name(name, LABELS["unnamed_run"]))
    return secrets.token_hex(8), json.dumps(recipe), seed, title, one.n_step, one.n_parameter, now, now


def _own(db: sqlite3.Connection, sweep_id: str, owner: str) -> None:
    if db.execute("SELECT 1 FROM sweeps WHERE id = ? AND owner = ?", (sweep_id, owner)).fetchone() is None:
        raise RunNotFound


def _sweep(row: sqlite3.Row | None) -> SweepInfo:
    if row is None:
        raise RunNotFound
    plan = json.loads(row["plan"])
    levels = tuple((int(steps), int(n_run)) for steps, n_run in plan["rungs"])
    facts = {name: row[name] for name in ("id", "owner", "name", "created")}
    return SweepInfo(**facts, rungs=levels, about=plan["about"])
