"""The queue of runs: everyone has one place in it, however many runs they have requested."""

from hypothesis import given, strategies as st

from core.jobs.queue import QueuedRun, next_run_to_start, queue_order


def ids(waiting: list[QueuedRun]) -> str:
    return " ".join(run.id for run in waiting)


def test_many_runs_of_one_person_delay_another_by_one_run_only() -> None:
    waiting = [QueuedRun(f"ann{i}", "ann", i / 10) for i in range(5)]
    waiting += [QueuedRun("ben0", "ben", 1.0), QueuedRun("cyd0", "cyd", 2.0)]
    assert ids(queue_order(waiting, {}, {})) == "ann0 ben0 cyd0 ann1 ann2 ann3 ann4"


def test_an_owner_who_has_just_left_a_slot_goes_to_the_back() -> None:
    waiting = [QueuedRun("ann1", "ann", 0.1), QueuedRun("ben0", "ben", 1.0)]
    assert ids(queue_order(waiting, {}, {"ann": 60.0})) == "ben0 ann1"
    assert ids(queue_order(waiting, {}, {"ann": 0.5})) == "ann1 ben0"


def test_an_owner_with_a_running_run_waits_a_round() -> None:
    waiting = [QueuedRun("ann1", "ann", 0.1), QueuedRun("ben0", "ben", 1.0)]
    assert ids(queue_order(waiting, {"ann": 1}, {})) == "ben0 ann1"
    first = next_run_to_start(waiting, {"ann": 1}, {})
    assert first is not None and first.id == "ben0"
    assert next_run_to_start(waiting[:1], {"ann": 1}, {}) is None
    assert next_run_to_start([], {}, {}) is None


def test_a_sweep_takes_free_slots_but_one_and_comes_after_its_owners_other_runs() -> None:
    sweep = [QueuedRun(f"ann{i}", "ann", i / 10, in_sweep=True) for i in range(3)]
    assert next_run_to_start(sweep, {"ann": 1}, {}, n_free=1) is None
    assert next_run_to_start(sweep, {"ann": 1}, {}, n_free=2) == sweep[0]
    assert next_run_to_start(sweep, {}, {}, n_free=1) == sweep[0]
    assert ids(queue_order([*sweep, QueuedRun("own", "ann", 5.0)], {}, {})) == "own ann0 ann1 ann2"
    assert ids(queue_order([*sweep, QueuedRun("ben0", "ben", 5.0)], {"ann": 2}, {})) == "ben0 ann0 ann1 ann2"


owners = st.sampled_from("abcd")
times = st.floats(0, 100)


@given(
    st.lists(st.tuples(owners, times), max_size=20),
    st.dictionaries(owners, st.integers(1, 3)),
    st.dictionaries(owners, times),
)
def test_everybody_gets_a_place_and_nobody_is_passed_twice_by_the_same_person(
    asked: list[tuple[str, float]], busy: dict[str, int], released: dict[str, float]
) -> None:
    waiting = [QueuedRun(str(i), owner, queued) for i, (owner, queued) in enumerate(asked)]
    order = queue_order(waiting, busy, released)
    assert sorted(order, key=lambda run: int(run.id)) == waiting
    assert queue_order(waiting[::-1], busy, released) == order
    for owner in "abcd":
        mine = [run for run in order if run.owner == owner]
        assert [run.queued for run in mine] == sorted(run.queued for run in mine)
        if mine:
            before = [run.owner for run in order[: order.index(mine[0])]]
            assert all(before.count(other) <= 1 + busy.get(owner, 0) for other in set(before))
