"""Bodies of requests: each route stops reading at a bound, whatever is said of their size, in chunks too."""

import asyncio
from typing import Any

import pytest
from starlette.routing import Route

from core.classroom import web
from core.ui.frame import browser_faults
from core.ui.server import model_uploads
from core.ui.server.identity.anonymous_owner import COOKIE
from core.ui.server.load_balanced_server import MOST_BYTES
from core.ui.server.upload_quota import UploadQuota
from tests.chromium import LONGEST_WAIT

PIECE = bytes(1 << 16)
TAKING = [
    (route, method)
    for route in (*model_uploads.upload_routes(), *browser_faults.fault_routes(), *web.class_routes())
    if isinstance(route, Route)
    for method in sorted((route.methods or set()) & {"POST", "PUT", "PATCH"})
]


async def read_by(app: Any, path: str, method: str) -> tuple[int, int]:
    """Send a body in chunks that never ends; the status of the answer, and the bytes that were read before it."""
    headers = {"host": "localhost", "transfer-encoding": "chunked", "x-upload": "1", "x-key": "0" * 32,
               "cookie": f"{COOKIE}={'a' * 32}", "content-type": "application/json"}  # fmt: skip
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "scheme": "http", "query_string": b"",
             "path_params": {"name": "config.json"}, "client": ("127.0.0.1", 1),
             "headers": [(name.encode(), value.encode()) for name, value in headers.items()]}  # fmt: skip
    n_byte, status = 0, []

    async def receive() -> Any:
        nonlocal n_byte
        n_byte += len(PIECE)
        assert n_byte < 10 * MOST_BYTES, "it reads for ever"
        return {"type": "http.request", "body": PIECE, "more_body": True}

    async def send(message: Any) -> None:
        status.append(message.get("status"))

    await asyncio.wait_for(app(scope, receive, send), LONGEST_WAIT)
    return int(status[0]), n_byte


def test_there_are_routes_that_take_bodies() -> None:
    assert len(TAKING) > 4


@pytest.mark.parametrize(("route", "method"), TAKING, ids=lambda one: getattr(one, "path", one))
def test_each_route_of_ours_stops_reading(
    route: Route, method: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """Fails where a route holds whatever comes: HAProxy's rules on sizes are no reason to do so (C3)."""
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    _, n_byte = asyncio.run(read_by(route.app, route.path, method))
    assert n_byte <= MOST_BYTES


def test_streamlits_uploads_are_refused_unread() -> None:
    async def never(*_: Any) -> None:
        raise AssertionError("it came through")

    assert asyncio.run(read_by(UploadQuota(never), "/_stcore/upload_file/a/b", "PUT")) == (411, 0)
