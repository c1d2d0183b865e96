"""The results that all sessions share: computed once, never changed."""

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

from core.exhibit import memoize


@dataclass(frozen=True)
class Record:
    """A result with an array, as the inspectors return them."""

    weights: np.ndarray
    more: tuple[np.ndarray, ...] = ()


def test_a_result_is_computed_once_even_when_a_class_asks_at_the_same_time() -> None:
    calls: list[str] = []

    @memoize(4)
    def slow(key: str) -> Record:
        calls.append(key)
        time.sleep(0.02)
        return Record(np.ones(3))

    found: list[Record] = []
    threads = [threading.Thread(target=lambda: found.append(slow("a"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert calls == ["a"]
    assert all(one is found[0] for one in found)


def test_no_session_can_change_what_the_others_see() -> None:
    @memoize(4)
    def record() -> Record:
        return Record(np.ones(3), (np.ones(2),))

    for array in (record().weights, record().more[0]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_the_oldest_result_goes_first_and_an_error_is_not_kept() -> None:
    calls: list[int] = []

    @memoize(2)
    def double(x: int) -> int:
        calls.append(x)
        if len(calls) == 1:
            raise OSError("not yet")
        return 2 * x

    with pytest.raises(OSError, match="not yet"):
        double(1)
    assert [double(x) for x in (1, 2, 1, 3, 1, 2)] == [2, 4, 2, 6, 2, 4]
    assert calls == [1, 1, 2, 3, 2]  # 2 had to make room for 3
