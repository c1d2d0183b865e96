"""All trainings of the exhibit of budgets, and the losses that ship.

python -m core.rooms.sizes.compute.isoflop_runs      some minutes; writes assets/rooms/sizes/isoflop.json
"""

import json
from functools import cache
from pathlib import Path

from core.data.files import write_atomic
from core.jobs.sweeps.recording import record
from core.jobs.sweeps.store import Sweep, Sweeps
from core.rooms.sizes.compute.isoflop import Run, plan
from core.rooms.sizes.experiments import scaling

KIND = "isoflop"
NAME = "One budget, many sizes"
FILE = Path(__file__).resolve().parents[4] / "assets" / "rooms" / "sizes" / "isoflop.json"
Losses = tuple[float | None, ...]  # of each run of the plan, at its end


@cache
def runs() -> list[Run]:
    """All that are trained, in their order."""
    return plan(scaling.text().tokenizer.vocab_size)


@cache
def recorded() -> Losses:
    """The losses that ship."""
    return tuple(json.loads(FILE.read_bytes()))


def begin(sweeps: Sweeps, owner: str) -> str:
    """Queue all runs; the sweep's id. Raises ValueError in plain words."""
    given = [(run.recipe(), 0) for run in runs()]
    vocab_size = scaling.text().tokenizer.vocab_size
    return sweeps.begin_sweep(owner, NAME, given, divisor=1, vocab_size=vocab_size, kind=KIND, about={})


def losses_of(sweeps: Sweeps, sweep: Sweep) -> Losses:
    """As far as they are known."""
    curves = sweeps.curves_of(sweep.id)
    return tuple(curves[run.id][-1][1] if run.state == "finished" else None for run in sweeps.runs_of(sweep.id))


if __name__ == "__main__":
    curves = record(lambda sweeps: begin(sweeps, ""))["curves"]
    write_atomic(FILE, json.dumps([curve[-1][1] for curve in curves]).encode())
