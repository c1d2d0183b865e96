"""The server as it runs: `streamlit run app.py` with warm-up, own routes and the gate in front."""

import http.client
import time
from typing import Any

import httpx
import pytest

from tests.chromium import LONGEST_WAIT

TRAVERSALS = [
    "/fonts/../app.py",
    "/fonts/..%2fapp.py",
    "/fonts/%2e%2e/app.py",
    "/fonts/..%5capp.py",
    "/fonts/%2fetc%2fpasswd",
    "/fonts//etc/passwd",
    "/fonts/....//app.py",
    "/fonts/inter-latin.woff2%00.js",
    "/fonts/inter-OFL.txt",
    "/fonts/",
    "/fonts/.",
    "/widgets/../../pyproject.toml",
    "/widgets/..%2f..%2fpyproject.toml",
    "/widgets/__init__.py",
    "/widgets/%252e%252e%252fapp.py",
    "/widgets/" + "a" * 5000,
]


def _raw(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    """A request whose path no client library has tidied up."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_WAIT)
    connection.putrequest("GET", path, skip_host=headers is not None and "Host" in headers)
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body


@pytest.mark.full
def test_warm_up_is_done_and_the_collector_is_relieved(server: Any) -> None:
    state = httpx.get(f"{server.url}/api/ready").json()
    assert state["ready"]
    assert state["frozen"] > 100_000  # torch alone brings more
    for _ in range(int(LONGEST_WAIT / 0.5)):  # what it computes ahead, it computes while it answers already
        if state["warm"]:
            break
        time.sleep(0.5)
        state = httpx.get(f"{server.url}/api/ready", timeout=LONGEST_WAIT).json()
    assert state["warm"]
    assert state["failed"] == []


@pytest.mark.parametrize(
    "path", ["/", "/studio", "/_stcore/health", "/api/ready", "/fonts/inter-latin.woff2", "/nothing.js"]
)
def test_every_answer_carries_the_policy(server: Any, path: str) -> None:
    headers = httpx.get(server.url + path).headers
    assert f"connect-src 'self' ws://127.0.0.1:{server.port}" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/_stcore/stream", "/fonts/inter-latin.woff2"])
def test_a_foreign_host_gets_400(server: Any, path: str) -> None:
    status, body = _raw(server.port, path, {"Host": "evil.example"})
    assert status == 400
    assert b"doesn't answer to the name" in body


def test_a_foreign_websocket_is_refused(server: Any) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "streamlit",
    }
    here = f"127.0.0.1:{server.port}"
    assert _raw(server.port, "/_stcore/stream", {"Host": "evil.example", **upgrade})[0] == 400
    assert _raw(server.port, "/_stcore/stream", {"Host": here, "Origin": "http://evil.example", **upgrade})[0] == 403


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/_stcore/agent/openapi.json", "//_stcore/metrics"])
def test_metrics_and_agent_interface_are_closed(server: Any, path: str) -> None:
    status, body = _raw(server.port, path)
    assert status in {400, 404}
    assert len(body) < 100


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_asset_folders(server: Any, path: str) -> None:
    status, body = _raw(server.port, path)
    assert b"import streamlit" not in body
    assert b"[project]" not in body
    assert b"root:" not in body
    # Some of these are no asset paths at all once read; they may get Streamlit's page, never a file of ours.
    assert status in {301, 400, 404} or b"<title>Streamlit</title>" in body


def test_fonts_are_served_with_type_and_lifetime(server: Any) -> None:
    answer = httpx.get(f"{server.url}/fonts/inter-latin.woff2")
    assert answer.headers["content-type"] == "font/woff2"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.content[:4] == b"wOF2"
    again = httpx.get(f"{server.url}/fonts/inter-latin.woff2", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304


def test_widgets_may_be_kept_only_by_version(server: Any) -> None:
    plain = httpx.get(f"{server.url}/widgets/drawing/theme.js")
    assert plain.headers["content-type"].startswith("text/javascript")
    assert plain.headers["cache-control"] == "no-cache"
    version = plain.headers["etag"].strip('"')
    assert "immutable" in httpx.get(f"{server.url}/widgets/drawing/theme.js?v={version}").headers["cache-control"]
    assert httpx.get(f"{server.url}/widgets/drawing/theme.js?v=old").headers["cache-control"] == "no-cache"


def test_a_page_brings_the_owner_cookie_once(server: Any) -> None:
    with httpx.Client() as browser:
        assert "glassformer_owner=" in browser.get(server.url).headers["set-cookie"]
        assert "glassformer_owner=" not in browser.get(server.url).headers.get("set-cookie", "")
