"""Sweeps: the same runs are promoted in whatever order runs end, and pausing at rungs changes no number."""

import math
import random
import sqlite3
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from core.jobs import admission, database
from core.jobs.reporter import StoreReporter
from core.jobs.runs import JobSpec, RequestRefused, RunNotFound
from core.jobs.store import MAX_LOST, RunStore
from core.jobs.sweeps import halving
from core.jobs.sweeps.halving import halving_cost_fraction, halving_rungs
from core.jobs.sweeps.sweep_store import SweepInfo, SweepStore, sweep_state
from core.jobs.worker import STATE_AFTER, run_job
from core.train.curve_point import CurvePoint
from core.train.recipes import Recipe
from core.train.run import TrainRun
from core.ui.training.choices_to_recipe import TrainingChoices, recipe_from_choice

N_STEP = 160
TINY = TrainingChoices(
    corpus="bottle-and-cup", tokenizer="word", n_layer=1, n_head=2, d_model=16, context_length=16, n_step=N_STEP
)
RECIPE = recipe_from_choice(TINY, "Bottle")


@pytest.fixture
def sweeps(tmp_path: Path) -> SweepStore:
    return SweepStore(tmp_path / "runs")


def begin(sweeps: SweepStore, n_run: int, divisor: int = 1, owner: str = "ann", **about: Any) -> str:
    given = [(RECIPE | {"learning_rate": 0.001 * (n + 1)}, n) for n in range(n_run)]
    return sweeps.begin_sweep(owner, "Rates", given, divisor=divisor, vocab_size=30, kind="rates", about=about)


def claim(sweeps: SweepStore, n_free: int = 100) -> tuple[str, int]:
    claimed = sweeps.claim(n_free)
    assert claimed is not None
    sweeps.begin(*claimed, pid=1)
    return claimed


def end(sweeps: SweepStore, run_id: str, attempt: int, loss: float) -> str | None:
    """Train a claimed run to where it halts, as a worker would; with a loss that is no number it fails."""
    until = sweeps.get(run_id).until or 0
    if math.isnan(loss):
        return sweeps.leave(run_id, attempt, "failed", "It diverged.")
    sweeps.record(run_id, attempt, [CurvePoint(until, loss, loss, 0.5, 0.001)], 1.0, None)
    return sweeps.leave(run_id, attempt, "finished" if until == N_STEP else "paused", step=until)


@given(st.integers(10, 5000), st.integers(2, 500), st.integers(1, 5))
def test_rungs_rise_to_the_whole_training_and_are_where_is_measured(n_step: int, n_run: int, divisor: int) -> None:
    every = Recipe(name="a", title="a", corpus="", n_step=n_step).eval_every
    levels = halving_rungs(n_step, every, n_run, divisor)
    steps, runs = zip(*levels, strict=True)
    assert steps[-1] == n_step and runs[0] == n_run
    assert all(step % every == 0 for step in steps[:-1]) and list(steps) == sorted(set(steps))
    assert all(more > fewer >= more / divisor for more, fewer in pairwise(runs))
    assert 0 < halving_cost_fraction(levels) <= 1 and (halving_cost_fraction(levels) == 1) == (len(levels) == 1)


@settings(max_examples=12)
@given(
    st.lists(st.integers(0, 9) | st.just(math.nan), min_size=2, max_size=12),
    st.sampled_from([1, 2, 4]),
    st.integers(0, 999),
)
def test_the_best_of_each_rung_go_on_in_whatever_order_runs_end(losses: list[float], divisor: int, seed: int) -> None:
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        sweeps = SweepStore(Path(folder))
        sweep_id = begin(sweeps, len(losses), divisor)
        order = [run.id for run in sweeps.runs_of(sweep_id)]
        halts = {N_STEP: 0} | dict(sweeps.sweep(sweep_id).rungs)
        loss = {(one, until): losses[n] * (1 + n * until) for n, one in enumerate(order) for until in halts}
        going: list[tuple[str, int]] = []
        while True:
            while draw.random() < 0.5 and (claimed := sweeps.claim(100)):
                sweeps.begin(*claimed, pid=1)
                going.append(claimed)
            if not going:
                if not (claimed := sweeps.claim(100)):
                    break
                going.append(claimed)
                sweeps.begin(*claimed, pid=1)
            run_id, attempt = going.pop(draw.randrange(len(going)))
            if draw.random() < 0.3:
                sweeps.checkpointed(run_id, attempt)  # or it would be given up after three
                sweeps.put_back(run_id, attempt)  # its worker was killed
                continue
            end(sweeps, run_id, attempt, loss[run_id, sweeps.get(run_id).until or 0])
        field = list(order)
        for (until, _), (_, n_next) in zip(levels := sweeps.sweep(sweep_id).rungs, [*levels[1:], (0, 0)], strict=True):
            alive = [one for one in field if not math.isnan(loss[one, until])]
            reached, field = alive, sorted(alive, key=lambda one: loss[one, until])[:n_next]
        runs = sweeps.runs_of(sweep_id)
        assert {run.id for run in runs if run.state == "finished"} == set(reached)
        assert {run.state for run in runs} <= {"finished", "stopped", "failed"} and sweep_state(runs) == "over"


@pytest.mark.slow
def test_halting_and_losing_a_checkpoint_change_no_number(sweeps: SweepStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halving, "MAX_SWEEP_MODEL_BYTES", 0)  # so that each goes on from its beginning
    sweep_id = begin(sweeps, 4, divisor=2)
    while claimed := sweeps.claim():
        info = sweeps.begin(*claimed, pid=1)
        reporter = store_reporter(sweeps, *claimed)
        outcome = run_job(JobSpec(info.recipe, info.seed, sweeps.folder(info.id), until=info.until), reporter)
        reporter.flush()
        sweeps.leave(*claimed, STATE_AFTER[outcome], step=reporter.step)
    runs = sweeps.runs_of(sweep_id)
    (first, _), (second, _), (last, _) = sweeps.sweep(sweep_id).rungs
    assert sorted(run.step for run in runs) == [first, first, second, last]
    for run in runs:
        alone = TrainRun(Recipe.from_dict(run.recipe), run.seed)
        alone.advance(run.step)
        assert [(p.step, p.loss, p.val_loss) for p in alone.history] == [
            (p.step, p.loss, p.val_loss) for p in sweeps.points(run.id)
        ]
    (winner,) = (run for run in runs if run.state == "finished")
    assert sweeps.n_frame(winner.id) == 1 and winner.sample, "one look at its end"
    assert not any(sweeps.folder(run.id).exists() for run in runs), "there was no room for any"


def store_reporter(sweeps: SweepStore, run_id: str, attempt: int) -> StoreReporter:
    return StoreReporter(sweeps, run_id, attempt, 0.0, lambda: False)


def test_checkpoints_of_those_that_are_out_go(sweeps: SweepStore) -> None:
    sweep_id = begin(sweeps, 8, divisor=4)
    for loss in range(8):
        run_id, attempt = claim(sweeps)
        folder = sweeps.folder(run_id)
        folder.mkdir(parents=True)
        (folder / "run.safetensors").write_bytes(b"weights")
        sweeps.checkpointed(run_id, attempt)
        end(sweeps, run_id, attempt, 9.0 - loss)
        kept = [run.id for run in sweeps.runs_of(sweep_id) if sweeps.folder(run.id).exists()]
        assert len(kept) == min(2, loss + 1) and run_id in kept, "the two best so far"


def test_a_paused_sweep_resumes_where_it_was(sweeps: SweepStore) -> None:
    sweep_id = begin(sweeps, 4, divisor=2)
    first, second = claim(sweeps), claim(sweeps)
    end(sweeps, *first, 1.0)
    sweeps.pause_sweep(sweep_id, "ann")
    assert sweeps.claim(100) is None and sweeps.get(second[0]).request == "pause"
    sweeps.leave(*second, "paused", step=3)
    assert sweep_state(sweeps.runs_of(sweep_id)) == "paused"
    sweeps.resume_sweep(sweep_id, "ann")
    again = [claim(sweeps) for _ in range(3)]
    assert second[0] in {run_id for run_id, _ in again} and sweeps.claim(100) is None
    for claimed in again[:-1]:
        end(sweeps, *claimed, 2.0)
    sweeps.pause_sweep(sweep_id, "ann")
    end(sweeps, *again[-1], 3.0)  # it reached the rung before it was heard: who goes on waits
    assert sweeps.claim(100) is None and sweep_state(sweeps.runs_of(sweep_id)) == "paused"
    sweeps.resume_sweep(sweep_id, "ann")
    assert sweeps.get(claim(sweeps)[0]).until == sweeps.sweep(sweep_id).rungs[1][0]


def test_a_run_that_is_given_up_does_not_block_its_rung(sweeps: SweepStore) -> None:
    sweep_id = begin(sweeps, 2, divisor=2)
    end(sweeps, *claim(sweeps), 1.0)
    for _ in range(MAX_LOST):
        sweeps.put_back(*claim(sweeps))
    assert [run.state for run in sweeps.runs_of(sweep_id)] in (["queued", "failed"], ["failed", "queued"])


def test_a_sweep_is_its_owners_alone_and_apart_from_their_runs(sweeps: SweepStore) -> None:
    sweep_id = begin(sweeps, 3, what="rates")
    (run, *_) = sweeps.runs_of(sweep_id)
    assert sweeps.list("ann") == [] and [one.id for one in sweeps.sweeps("ann", "rates")] == [sweep_id]
    assert sweeps.sweeps("ben", "rates") == [] and sweeps.sweep(sweep_id).about == {"what": "rates"}
    for ask in (sweeps.pause_sweep, sweeps.resume_sweep, sweeps.delete_sweep):
        with pytest.raises(RunNotFound):
            ask(sweep_id, "ben")
    with pytest.raises(RequestRefused, match="belongs to a sweep"):
        sweeps.request(run.id, "ann", "stop")
    alone = sweeps.create("ann", RECIPE, 0)
    assert claim(sweeps, n_free=1)[0] == alone, "one's other runs come first"
    going = claim(sweeps, n_free=2)
    assert sweeps.claim(1) is None, "the last free slot is for others"
    sweeps.delete_sweep(sweep_id, "ann")
    sweeps.leave(*going, "stopped", step=1)
    sweeps.tidy()
    assert sweeps.sweeps("ann", "rates") == [] and sweeps.runs_of(sweep_id) == [] and sweeps.get(alone)
    with pytest.raises(RunNotFound):
        sweeps.sweep(sweep_id)


def test_what_is_too_much_is_refused_in_words(sweeps: SweepStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="2 to 500 runs"):
        begin(sweeps, 1)
    other = [(RECIPE, 0), (RECIPE | {"n_step": 20}, 0)]
    with pytest.raises(ValueError, match="equally many steps"):
        sweeps.begin_sweep("ann", "", other, divisor=2, vocab_size=30, kind="rates", about={})
    for _ in range(admission.MAX_SWEEPS):
        begin(sweeps, 2)
    with pytest.raises(ValueError, match="You keep 5 sweeps"):
        begin(sweeps, 2)
    begin(sweeps, 2, owner="ben")
    monkeypatch.setattr("core.jobs.sweeps.sweep_store.MAX_SWEEP_SECONDS", 0)
    with pytest.raises(ValueError, match="hours of one core"):
        begin(sweeps, 2, owner="cyd")


def test_a_store_of_before_there_were_sweeps_is_brought_up_to_date(tmp_path: Path) -> None:
    tmp_path.joinpath("runs").mkdir()
    with sqlite3.connect(tmp_path / "runs" / "runs.sqlite") as db:
        for statement in database.SCHEMA_CHANGES[0]:
            db.execute(statement)
        db.execute(
            "INSERT INTO runs (id, owner, name, recipe, seed, state, n_step, n_parameter, created, queued) "
            "VALUES ('0123456789abcdef', 'ann', 'old', '{}', 0, 'queued', 9, 9, 1.0, 1.0)"
        )
        db.execute("UPDATE runs SET message = 'Training diverged at step 7: the loss became infinite.'")
        db.execute("PRAGMA user_version = 1")
    db.close()
    (old,) = RunStore(tmp_path / "runs").list("ann")
    assert (old.name, old.sweep, old.until, old.has_diverged) == ("old", None, None, True)
    assert isinstance(SweepStore(tmp_path / "runs").sweep(begin(SweepStore(tmp_path / "runs"), 2)), SweepInfo)
