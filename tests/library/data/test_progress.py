"""The time that is left: true at a constant speed, sane at the start, and corrected wherever it is shown."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.classroom.race import leaderboard
from core.classroom.race.leaderboard import Racer
from core.classroom.race.race_settings import RacerSettings
from core.data.progress import MIN_SECONDS, MIN_SHARE, estimated_seconds_left
from core.jobs.runs import RunInfo
from core.rooms.studio.selected_run import run_seconds_left
from core.rooms.sweeps import outcome
from core.ui.training import live_experiments

SHARES = st.floats(0, 1)
SECONDS = st.floats(0, 1e6)
RUN = RunInfo(
    id="a", owner="b", name="c", recipe={"batch_size": 4, "model": {"context_length": 8}}, seed=0, state="running",
    request=None, step=0, n_step=1000, n_parameter=1, message="", sample="", created=0.0, started=0.0, ended=None,
    seconds=0.0, tokens_per_second=None, n_byte=0,
)  # fmt: skip


@given(st.floats(1, 1e6), st.floats(MIN_SHARE, 1))
def test_it_is_the_truth_at_a_constant_speed(whole: float, done: float) -> None:
    """Fails if the estimate is not what is left of the whole, from the moment on in which it is said."""
    left = estimated_seconds_left(done, whole * done)
    if left is not None:
        assert left == pytest.approx(whole * (1 - done), rel=1e-6, abs=1e-6)
    else:
        assert whole * done < MIN_SECONDS


@given(SHARES, SECONDS, SHARES, SECONDS)
def test_more_done_is_less_left_and_more_time_spent_is_more_left(a: float, t: float, b: float, u: float) -> None:
    """Fails if progress makes the estimate longer, or a standstill makes it shorter."""
    low, high = sorted((a, b))
    one, other = estimated_seconds_left(low, t), estimated_seconds_left(high, t)
    assert one is None or (other is not None and one >= other >= 0)
    early, late = (estimated_seconds_left(a, each) for each in sorted((t, u)))
    assert early is None or (late is not None and late >= early)


@given(SHARES, SECONDS)
def test_it_is_never_absurd(done: float, elapsed: float) -> None:
    """Fails if a first step is taken for the speed: nothing is said before 2% and five seconds."""
    left = estimated_seconds_left(done, elapsed)
    if done < 1 and (done < MIN_SHARE or elapsed < MIN_SECONDS):
        assert left is None
    else:
        assert left is not None and left <= elapsed / MIN_SHARE


@given(st.lists(st.floats(2, 500), min_size=1, max_size=8), st.integers(1, 3), st.floats(0.1, 0.99))
def test_a_race_is_estimated_with_all_that_stand_in_line(lengths: list[float], n_slot: int, at: float) -> None:
    """Fails if runs that wait count as done, or not at all (fault 16): equal runs, a few at once, in order."""
    length, n = lengths[0], len(lengths)
    starts = [length * (i // n_slot) for i in range(n)]
    now = at * (starts[-1] + length)
    shares = [min(1.0, max(0.0, (now - start) / length)) for start in starts]
    racers = [
        Racer(id=str(i), name="", settings=RacerSettings(), n_parameter=1, n_step=10**6, step=round(share * 10**6),
              state="finished" if share == 1 else "running" if share else "queued", queued=1e9)
        for i, share in enumerate(shares)
    ]  # fmt: skip
    left = leaderboard.seconds_until_over(racers, 1e9 + now)
    assert left is None or left == pytest.approx(now * (n / sum(shares) - 1), rel=1e-3, abs=0.01)
    if n % n_slot == 0 and left is not None:  # all slots are always busy: the truth
        assert left == pytest.approx(starts[-1] + length - now, rel=1e-3, abs=0.01)
    failed = [replace(one, state="failed") for one in racers]
    assert leaderboard.seconds_until_over(failed, 1e9 + now) == 0
    assert leaderboard.seconds_until_over([replace(one, queued=None) for one in racers], 1e9 + now) is None


@pytest.mark.parametrize("slower", [1.0, 10.0, 100.0])
def test_every_place_that_shows_it_follows_the_speed(slower: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: a page shows the expected and not the real progress, for a run that is a tenth done."""
    run = replace(RUN, step=100, seconds=10 * slower)
    left = 90 * slower
    assert run_seconds_left(run) == pytest.approx(left)
    assert run_seconds_left(replace(run, tokens_per_second=10 * 4 * 8 / slower)) == pytest.approx(left)
    words = outcome.format_duration(left)

    shown: list[Any] = []
    monkeypatch.setattr(live_experiments.st, "progress", lambda *given: shown.append(given))
    live_experiments._progress(run, "It takes some seconds.")
    assert shown == [(0.1, f"Step 100 of 1,000, about {words} left")]

    sweep: Any = SimpleNamespace(
        progress=0.1, rows=[SimpleNamespace(run=run), SimpleNamespace(run=RUN)], state="running"
    )
    assert outcome._progress_text(0, sweep).endswith(f"done, about {outcome.format_duration(left / 2)} left"), (
        "two at once"
    )
    sweep.rows = [SimpleNamespace(run=replace(one.run, state="queued")) for one in sweep.rows]
    assert outcome._progress_text(0, sweep) == "0 of 2 runs are done", "others have all slots"
