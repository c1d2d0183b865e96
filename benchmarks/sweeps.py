"""The cost of a large sweep for the store and the page; its runs themselves take no time here.

    python -m benchmarks.sweeps [--runs 500]

Figures are milliseconds to queue all runs, to claim a run, to finish one including the promotion to the next rung, and
to read the whole sweep as the page does, with the bytes that this sends.
"""

import argparse
import random
import tempfile
import time
import zlib
from pathlib import Path
from statistics import median

from core.jobs.sweeps.sweep_store import SweepStore
from core.rooms.sweeps import outcome, selected_sweep
from core.rooms.sweeps.space import SweepRequest, queue_sweep
from core.train.curve_point import CurvePoint
from core.ui.training.choices_to_recipe import TrainingChoices


def main() -> None:
    """Start a sweep, let every run end with a random loss, and print the cost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=500)
    asked = SweepRequest(
        base=TrainingChoices(n_layer=2, n_head=4, d_model=64, context_length=32, n_step=320, batch_size=16),
        values={
            "learning_rate": (0.001, 0.01, 0.1),
            "d_model": (16, 32, 64, 128),
            "batch_size": (4, 8, 16, 32),
            "optimizer": ("fast", "adamw"),
        },
        n_run=parser.parse_args().runs,
        divisor=4,
    )
    draw, claims, leaves = random.Random(0), list[float](), list[float]()
    with tempfile.TemporaryDirectory() as folder:
        sweeps = SweepStore(Path(folder))
        start = time.perf_counter()
        sweep_id = queue_sweep(sweeps, "somebody", asked, "A text", vocab_size=104)
        print(f"{len(asked.points)} runs queued: {1000 * (time.perf_counter() - start):.0f}")
        while True:
            start = time.perf_counter()
            claimed = sweeps.claim()
            claims.append(time.perf_counter() - start)
            if claimed is None:
                break
            until = sweeps.begin(*claimed, pid=1).until or 0
            every = range(20, until + 1, 20)
            sweeps.record(*claimed, [CurvePoint(step, 3.0, draw.random(), 1.0, 0.1) for step in every], 1.0, None)
            start = time.perf_counter()
            sweeps.leave(*claimed, "finished" if until == asked.base.n_step else "paused", step=until)
            leaves.append(time.perf_counter() - start)
        print(f"to claim one: {1000 * median(claims):.1f}; to leave: {1000 * median(leaves):.1f}")
        selected_sweep.run_store = lambda: sweeps
        start = time.perf_counter()
        message = outcome._message(outcome.compute(outcome.Inputs(sweep_id=sweep_id)))
        took = time.perf_counter() - start
        print(f"one look: {1000 * took:.0f}, {len(zlib.compress(str(message).encode())):,} bytes")


if __name__ == "__main__":
    main()
