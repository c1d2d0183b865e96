"""Trains and saves without pause, is killed with -9 at random moments, and goes on from what lies on the disk.

A program of its own, because it forks: `python -m tests.safety.crash FOLDER KILLS FULL_DISKS` prints JSON.
"""

import json
import os
import random
import resource
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from core.jobs.store import RunStore
from core.models import pretrained
from core.train import checkpoint
from core.train.recipes import RECIPES
from core.train.run import TrainRun

N_STEP = 40
RECIPE = replace(RECIPES["bottle-and-cup"], n_step=N_STEP, n_warmup=5)


def train(folder: Path, seed: int) -> None:
    """Go on from the checkpoint, save after each step, and never return."""
    run = (
        TrainRun.resume(folder)
        if (folder / checkpoint.CHECKPOINT_FILE).exists()
        else TrainRun(RECIPE, seed, device="cpu")
    )
    while not run.done:
        run.advance(steps=1)
        run.save(folder)
    os._exit(0)


def result(run: TrainRun, points: list[Any]) -> tuple[list[Any], bytes]:
    """What two runs are compared by: every number of the curve, and all weights."""
    weights = b"".join(one.detach().numpy().tobytes() for _, one in sorted(run.model.named_parameters()))
    return points, weights


def kill(folder: Path, n_kill: int) -> dict[str, int]:
    """Kill so often; the counts."""
    rng, counts = random.Random(1), {"kills": 0, "unloadable": 0, "in_a_save": 0, "lost_steps": 0, "resumes": 0}
    seed, step, compared = 0, 0, 0
    while counts["kills"] < n_kill:
        home = folder / f"run-{seed}"
        home.mkdir(exist_ok=True)
        pid = os.fork()
        if pid == 0:
            with suppress(BaseException):
                train(home, seed)
            os._exit(1)
        # Until the process is at work, then somewhere within some steps and saves.
        written = (
            (home / checkpoint.CHECKPOINT_FILE).stat().st_mtime_ns
            if (home / checkpoint.CHECKPOINT_FILE).exists()
            else 0
        )
        end = time.monotonic() + 20
        while time.monotonic() < end and os.waitpid(pid, os.WNOHANG) == (0, 0):
            with suppress(FileNotFoundError):
                if (home / checkpoint.CHECKPOINT_FILE).stat().st_mtime_ns != written:
                    break
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.06))
        end = time.monotonic() + 1
        while counts["kills"] % 2 and time.monotonic() < end:  # every second time, in the middle of a save
            if any(one.startswith(".write-") for one in os.listdir(home)):
                break
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        counts["kills"] += 1
        left = list(home.glob(".write-*"))
        counts["in_a_save"] += bool(left)
        for one in left:
            one.unlink()
        try:
            checkpoint.read_checkpoint(home)
            if (home / "recipe.json").exists():
                pretrained.load(home)  # what a viewer reads
        except (checkpoint.CheckpointDamaged, pretrained.ImportRefused, FileNotFoundError):
            counts["unloadable"] += 1
            continue
        now = TrainRun.resume(home)
        counts["resumes"] += 1
        counts["lost_steps"] += max(0, step - now.step)
        step = now.step
        if now.done or counts["kills"] == n_kill:
            now.advance()
            quiet = TrainRun(RECIPE, seed, device="cpu")
            quiet.advance()
            same = now.history == quiet.history
            assert same and result(now, [])[1] == result(quiet, [])[1], f"seed {seed}: not equal bit for bit"
            compared += 1
            seed, step = seed + 1, 0
    return counts | {"runs_equal_bit_for_bit": compared}


def fill(folder: Path, n_time: int) -> dict[str, int]:
    """The disk is full in the middle of a write, so often: the file before stays, and the store, too."""
    rng, counts = random.Random(2), {"full_disks": 0, "unloadable": 0, "refused": 0}
    home, tensors = folder / "full", {"a": torch.ones(50_000)}
    checkpoint.write_checkpoint(home, tensors, {"step": 0})
    size = (home / checkpoint.CHECKPOINT_FILE).stat().st_size
    store = RunStore(folder / "runs")
    run_id = store.create("ann", RECIPE.to_dict(), 0)
    for n in range(1, n_time + 1):
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails, as it does on a full disk
            most = rng.randrange(size)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            try:
                checkpoint.write_checkpoint(home, {"a": tensors["a"] * n}, {"step": n})
            except OSError:
                with suppress(Exception):
                    store.rename(run_id, "ann", f"name {n}")
                os._exit(7)
            os._exit(0)
        rng.random()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        counts["full_disks"] += 1
        counts["refused"] += status == 7
        try:
            read, facts = checkpoint.read_checkpoint(home)
            assert facts["step"] == 0 and torch.equal(read["a"], tensors["a"])
        except checkpoint.CheckpointDamaged:
            counts["unloadable"] += 1
        assert list(home.iterdir()) == [home / checkpoint.CHECKPOINT_FILE], "half a file stays behind"
        assert RunStore(folder / "runs").get(run_id).seed == 0
    return counts


def main() -> None:
    torch.set_num_threads(1)
    folder = Path(sys.argv[1])
    print(json.dumps([kill(folder, int(sys.argv[2])), fill(folder, int(sys.argv[3]))]))


if __name__ == "__main__":
    main()
