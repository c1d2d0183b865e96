"""The warm-up lets visitors pass: what they wait for is imported and drawn first. But it does not wait for ever."""

import threading
import time

import pytest

from core.ui.server import warm_up
from core.ui.server.warm_up import WarmUp


def _seconds_back(warm: WarmUp) -> float:
    began = time.monotonic()
    warm._stand_back()
    return time.monotonic() - began


def test_it_waits_until_the_script_of_a_visitor_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "QUIET_SECONDS", 0.0)
    warm, ended = WarmUp(), threading.Event()
    visitor = threading.Thread(target=ended.wait, name="ScriptRunner.scriptThread")
    visitor.start()
    threading.Timer(0.2, ended.set).start()
    assert _seconds_back(warm) >= 0.15
    visitor.join()


def test_it_waits_for_quiet_after_a_request_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "QUIET_SECONDS", 0.2)
    assert _seconds_back(WarmUp()) >= 0.15
    monkeypatch.setattr(warm_up, "QUIET_SECONDS", 60.0)
    monkeypatch.setattr(warm_up, "MOST_WAITING_SECONDS", 0.1)
    assert _seconds_back(WarmUp()) < 5.0
