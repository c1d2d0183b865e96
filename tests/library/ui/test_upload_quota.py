"""Uploads: no more than a session and the server have room for, and let go once they are read."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from core.ui.server import upload_quota
from core.ui.server.upload_quota import UploadQuota, release_upload


async def _take(request: Request) -> Response:
    await request.body()
    return Response(status_code=204)


@pytest.fixture
def client() -> TestClient:
    path = "/_stcore/upload_file/{session}/{file}"
    app = Starlette(routes=[Route(path, _take, methods=["PUT", "GET"])], middleware=[Middleware(UploadQuota)])
    return TestClient(app)


def _put(client: TestClient, n_byte: int, session: str = "mine") -> int:
    return int(client.put(f"/_stcore/upload_file/{session}/a", content=bytes(n_byte)).status_code)


@pytest.mark.parametrize(
    ("held", "status"),
    [
        ({}, 204),
        ({"mine": [5] * 19, "other": [405]}, 204),
        ({"mine": [0] * upload_quota.SESSION_FILES}, 413),
        ({"mine": [96]}, 413),
        ({"other": [996]}, 413),
    ],
)
def test_what_there_is_room_for(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, held: dict[str, list[int]], status: int
) -> None:
    monkeypatch.setattr(upload_quota, "SESSION_BYTES", 100)
    monkeypatch.setattr(upload_quota, "SERVER_BYTES", 1_000)
    monkeypatch.setattr(upload_quota, "_sizes", lambda: held)
    assert _put(client, 5) == status


def test_the_pages_of_one_address_share_what_it_may_have(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where each new page gets room of its own: ten of them filled the server (B10)."""
    held: dict[str, list[int]] = {}
    monkeypatch.setenv("GLASSFORMER_PROXIES", "1")
    monkeypatch.setattr(upload_quota, "ADDRESS_BYTES", 250)
    monkeypatch.setattr(upload_quota, "_sizes", lambda: held)

    def put(page: int, address: str) -> int:
        place, said = f"/_stcore/upload_file/page{page}/a", {"x-forwarded-for": f"1.1.1.{page}, {address}"}
        status = client.put(place, content=bytes(50), headers=said).status_code
        if status == 204:
            held[f"page{page}"] = [50]
        return status

    assert [put(page, "203.0.113.7") for page in range(8)] == [204] * 5 + [413] * 3
    assert put(8, "203.0.113.8") == 204
    del held["page0"]  # closed
    assert put(9, "203.0.113.7") == 204


def test_a_size_must_be_told_and_other_requests_pass(client: TestClient) -> None:
    assert client.put("/_stcore/upload_file/a/b", content=(part for part in [b"a", b"b"])).status_code == 411
    assert client.put("/_stcore/upload_file/a/b", content=b"a", headers={"content-length": "-1"}).status_code == 411
    assert client.get("/_stcore/upload_file/a/b").status_code == 204


def test_what_is_held_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"mine": {"a": SimpleNamespace(data=b"abc")}, "other": {"b": SimpleNamespace(data=b"de")}}
    runtime = SimpleNamespace(uploaded_file_mgr=SimpleNamespace(file_storage=files))
    monkeypatch.setattr(upload_quota.Runtime, "exists", lambda: True)
    monkeypatch.setattr(upload_quota, "get_instance", lambda: runtime)
    assert upload_quota._sizes() == {"mine": [3], "other": [2]}


def test_a_file_that_was_read_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    gone: list[dict[str, Any]] = []
    manager = SimpleNamespace(remove_file=lambda **what: gone.append(what))
    context = SimpleNamespace(session_id="mine", uploaded_file_mgr=manager)
    monkeypatch.setattr(upload_quota, "get_script_run_ctx", lambda: context)
    release_upload(SimpleNamespace(file_id="a"))
    assert gone == [{"session_id": "mine", "file_id": "a"}]
    monkeypatch.setattr(upload_quota, "get_script_run_ctx", lambda: None)
    release_upload(SimpleNamespace(file_id="a"))
