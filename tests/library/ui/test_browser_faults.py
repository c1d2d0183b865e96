"""Browsers' reports of faults: one line of the log each, in a fixed pattern, and never too many."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.ui.frame import browser_faults
from core.ui.frame.browser_faults import MOST_BYTES, MOST_LOGGED, SECONDS, _to_log_line

TOLD = {
    "id": "0a1b2c3d",
    "kind": "threw",
    "exhibit": "one-head-s1",
    "widget": "matrix",
    "error": "TypeError",
    "at": ["widgets/shared/matrix.js:12:3", "Mia was here", "widgets/../secret.js:1:1"],
}
HEADERS = {"x-fault": "1"}


class Clock:
    now = 0.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(clock: Clock) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=browser_faults.fault_routes(lambda: clock.now))) as client:
        yield client


def test_a_report_is_one_line_with_its_id(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "glassformer"):
        assert client.post("/fault", json=TOLD, headers=HEADERS).status_code == 204
    (line,) = caplog.messages
    what, _, where = line.partition("; ")
    assert what == "Fault 0a1b2c3d in a browser: threw, exhibit one-head-s1, widget matrix"
    assert where == "TypeError at widgets/shared/matrix.js:12:3"


@pytest.mark.parametrize(
    "changed",
    [
        {"id": "0A1B2C3D"},
        {"id": "0a1b2c3d\n"},
        {"id": 7},
        {"kind": "hacked"},
        {"kind": None},
        {"exhibit": "Mia's text"},
        {"exhibit": "a\n2026-01-01 ERROR glassformer: forged"},
        {"widget": "\x1b[31mred"},
        {"widget": "<script>"},
        {"error": "Type Error: Mia"},
        {"error": "é"},
        {"exhibit": "x" * 81},
    ],
)
def test_what_is_no_name_is_refused(
    client: TestClient, caplog: pytest.LogCaptureFixture, changed: dict[str, Any]
) -> None:
    with caplog.at_level(logging.ERROR, "glassformer"):
        assert client.post("/fault", json=TOLD | changed, headers=HEADERS).status_code == 400
    assert not caplog.messages


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"\xff", b"[" * 1_900, b'{"id": NaN}', b'"0a1b2c3d"'])
def test_what_is_no_report_is_refused(client: TestClient, body: bytes) -> None:
    assert client.post("/fault", content=body, headers=HEADERS).status_code == 400


def test_a_place_that_is_none_is_left_out() -> None:
    for at in (None, "widgets/a.js:1:1", {"a": 1}, [1, None, ["widgets/a.js:1:1"]]):
        line = _to_log_line(json.dumps(TOLD | {"at": at}).encode())
        assert line is not None and line.endswith("TypeError")


def test_long_reports_and_other_sites_are_refused(client: TestClient) -> None:
    assert client.post("/fault", content=b" " * (MOST_BYTES + 1), headers=HEADERS).status_code == 413
    assert client.post("/fault", json=TOLD).status_code == 403
    assert client.post("/fault", json=TOLD, headers=HEADERS | {"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.get("/fault", headers=HEADERS).status_code == 405


def test_only_so_many_are_logged_in_a_minute(
    client: TestClient, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "glassformer"):
        codes = [client.post("/fault", json=TOLD, headers=HEADERS).status_code for _ in range(MOST_LOGGED + 5)]
        assert codes == [204] * MOST_LOGGED + [429] * 5 and len(caplog.messages) == MOST_LOGGED
        clock.now += SECONDS
        assert client.post("/fault", json=TOLD, headers=HEADERS).status_code == 204
