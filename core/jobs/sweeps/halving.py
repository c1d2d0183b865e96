"""Successive halving: all runs of a sweep train a little, and on each rung the best are promoted to the next one.

No process drives a sweep. Whenever one of its runs leaves its slot, the same transaction decides which runs are
promoted. A sweep's state is therefore only in the store, whatever is killed, and a seed gives the same sweep on one
machine as on a hundred.

Source: Jamieson and Talwalkar 2016, "Non-stochastic best arm identification and hyperparameter optimization".
"""

import json
import math
import sqlite3
import time
from collections.abc import Iterable, Sequence

MAX_SWEEP_MODELS = 5  # models of the best runs that are stored; of all others only the curves are
MAX_SWEEP_MODEL_BYTES = 100_000_000  # of a sweep; a run whose checkpoint didn't fit restarts from step 0 when promoted
MAX_RUNGS = 5
_SCORE = """(SELECT val_loss FROM points WHERE run_id = runs.id AND val_loss NOTNULL AND step <= runs.until
             ORDER BY step DESC LIMIT 1)"""


def halving_rungs(n_step: int, eval_every: int, n_run: int, divisor: int) -> list[tuple[int, int]]:
    """Return the steps and the number of runs of each rung, the full length last.

    Args:
        n_step: of a full run.
        eval_every: steps between two validations; each rung ends at one.
        divisor: one of this many runs is promoted; 1: all train to the end.

    Example:
        `halving_rungs(640, 40, 32, 4)` is `[(40, 32), (160, 8), (640, 2)]`.
    """
    found = {n_step: 0}
    while divisor > 1 and len(found) < MAX_RUNGS and n_run >= divisor ** len(found):
        steps = round(n_step / divisor ** len(found) / eval_every) * eval_every
        if not 0 < steps < min(found):
            break
        found[steps] = 0
    steps = sorted(found)
    return [(step, math.ceil(n_run / divisor**level)) for level, step in enumerate(steps)]


def halving_cost_fraction(levels: Sequence[tuple[int, int]]) -> float:
    """Return the steps of all runs together, as a fraction of the steps if all trained to the end."""
    before = [0, *(steps for steps, _ in levels)]
    done = sum((steps - start) * n_run for start, (steps, n_run) in zip(before, levels, strict=False))
    return done / (levels[-1][0] * levels[0][1])


def promote_best_runs(db: sqlite3.Connection, sweep_id: str) -> list[str]:
    """Promote the best runs of a rung, if the run that has just left its slot was the rung's last one.

    Returns the ids of the runs whose checkpoints are no longer needed.
    """
    sweep = db.execute("SELECT plan, is_paused FROM sweeps WHERE id = ?", (sweep_id,)).fetchone()
    if sweep is None:  # deleted meanwhile
        return []
    levels: list[list[int]] = json.loads(sweep["plan"])["rungs"]
    runs = db.execute(
        f"SELECT id, state, step, until, n_byte, {_SCORE} AS score FROM runs WHERE sweep = ? AND NOT deleting "
        "ORDER BY created",
        (sweep_id,),
    ).fetchall()
    there = _ranked(run for run in runs if run["state"] == "paused" and run["step"] >= run["until"])
    under_way = any(run["state"] in ("queued", "running") or _is_on_its_way(run) for run in runs)
    finished = _ranked(run for run in runs if run["state"] == "finished")
    needed = finished[:MAX_SWEEP_MODELS]
    if there:
        steps = [level[0] for level in levels]
        next_step, n_next = levels[steps.index(there[0]["until"]) + 1]
        if not under_way:
            _promote(db, there[:n_next], there[n_next:], next_step, "paused" if sweep["is_paused"] else "queued")
        needed = there[:n_next]
    return _drop(db, runs, needed)


def _ranked(runs: Iterable[sqlite3.Row]) -> list[sqlite3.Row]:
    """Sort runs, the best first; equal ones stay in the order of the sweep."""
    return sorted(runs, key=lambda run: math.inf if run["score"] is None else run["score"])


def _is_on_its_way(run: sqlite3.Row) -> bool:
    return run["state"] == "paused" and run["step"] < run["until"]


def _promote(db: sqlite3.Connection, best: list[sqlite3.Row], out: list[sqlite3.Row], until: int, state: str) -> None:
    now = time.time()
    db.executemany(
        "UPDATE runs SET state = ?, until = ?, queued = ? WHERE id = ?",
        [(state, until, now + 1e-6 * n, run["id"]) for n, run in enumerate(best)],
    )
    db.executemany("UPDATE runs SET state = 'stopped', ended = ? WHERE id = ?", [(now, run["id"]) for run in out])


def _drop(db: sqlite3.Connection, runs: list[sqlite3.Row], needed: list[sqlite3.Row]) -> list[str]:
    """Mark the checkpoints of idle runs that are not needed or don't fit as deleted, and return the runs' ids."""
    room, kept = MAX_SWEEP_MODEL_BYTES, set()
    for run in needed:
        room -= run["n_byte"]
        if room >= 0:
            kept.add(run["id"])
    moving = {run["id"] for run in runs if run["state"] in ("queued", "running") or _is_on_its_way(run)}
    gone = [run["id"] for run in runs if run["n_byte"] and run["id"] not in kept | moving]
    db.executemany("UPDATE runs SET n_byte = 0 WHERE id = ?", [(one,) for one in gone])
    return gone
