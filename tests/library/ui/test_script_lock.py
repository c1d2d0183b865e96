"""Threads that take turns: in order, one at a time, and none is held up by one that takes long or breaks."""

import threading
import time

import pytest

from core.ui.server.global_script_lock import _ScriptLock
from tests.chromium import LONGEST_WAIT


def test_one_at_a_time_and_in_order() -> None:
    lock, came, inside = _ScriptLock(), list[int](), list[int]()

    def script(n: int) -> None:
        with lock.hold(), lock.hold():  # an exhibit, say, in the run of the whole page
            inside.append(n)
            came.append(len(inside))
            time.sleep(0.01)
            inside.remove(n)

    threads = [threading.Thread(target=script, args=(n,)) for n in range(8)]
    with lock.hold():
        for thread in threads:
            thread.start()
            time.sleep(0.005)
        assert not came
    for thread in threads:
        thread.join(LONGEST_WAIT)
    assert came == [1] * 8


def test_who_takes_long_gives_the_turn_away_and_a_fault_gives_it_back() -> None:
    lock, others = _ScriptLock(long=0.02), list[bool]()

    def script() -> None:
        with lock.hold():
            others.append(ends.is_set())

    ends = threading.Event()
    threads = [threading.Thread(target=script) for _ in range(3)]

    def long() -> None:
        with lock.hold():
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(LONGEST_WAIT)
            ends.set()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        long()
    with lock.hold():
        assert others == [False] * 3
