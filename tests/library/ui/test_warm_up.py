"""The warm-up lets visitors pass: what they wait for is imported and drawn first. But it does not wait for ever."""

import threading
from types import SimpleNamespace

import pytest

from core.ui.server import warm_up
from core.ui.server.warm_up import WarmUp


def test_it_waits_until_the_script_of_a_visitor_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "QUIET_SECONDS", 0.0)
    warm, ended = WarmUp(), threading.Event()
    visitor = threading.Thread(target=ended.wait, name="ScriptRunner.scriptThread")
    visitor.start()
    threading.Timer(0.2, ended.set).start()
    warm._stand_back()
    assert ended.is_set()
    visitor.join()


def test_it_waits_for_quiet_after_a_request_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]  # a clock of our own, which runs while the warm-up sleeps
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.append(now.pop() + seconds))
    monkeypatch.setattr(warm_up, "time", clock)
    for quiet, most, until in ((0.2, 10.0, 100.2), (60.0, 0.1, 100.1)):
        monkeypatch.setattr(warm_up, "QUIET_SECONDS", quiet)
        monkeypatch.setattr(warm_up, "MOST_WAITING_SECONDS", most)
        now[0] = 100.0
        warm = WarmUp(last_request=100.0, _patient_until=100.0 + most)
        warm._stand_back()
        assert until <= now[0] < until + 0.05
