"""The gate: hosts, origins, closed routes, headers and the owner cookie."""

import re
from collections.abc import Iterator
from unittest.mock import MagicMock

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes

from core.ui.server.identity.anonymous_owner import _owner_id_of, request_owner
from core.ui.server.security_middleware import (
    SecurityMiddleware,
    SecurityRules,
    _content_security_policy,
    _streamlit_script_hashes,
    bare_host_name,
    host_and_frame_rules,
)

FOREIGN_HOSTS = [
    "evil.example", "localhost.evil.example", "evil-localhost", "127.0.0.1.nip.io", "127.0.0.1.evil.example:8501",
    "localhost@evil.example", "localhost:8501@evil.example", "localhost/evil", "localhost#", "localhost?x",
    "localhost:99999", "localhost:", "[::2]", "[::1", "::1", "127.1", "2130706433", "0.0.0.0", "127.0.0.2",
    "169.254.169.254", "local host", "",
]  # fmt: skip
KNOWN_HOSTS = ["localhost", "LOCALHOST:8501", "127.0.0.1:1", "[::1]:8501", "localhost."]


def _app(rules: SecurityRules) -> Starlette:
    async def page(_request: Request) -> Response:
        return HTMLResponse("<p>page</p>")

    async def data(_request: Request) -> Response:
        return PlainTextResponse("data")

    async def owner(request: Request) -> Response:
        return PlainTextResponse(str(request_owner(request)))

    async def broken(_request: Request) -> Response:
        raise RuntimeError("secret detail")

    async def talk(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("hello")
        await socket.close()

    routes = [
        Route("/", page),
        Route("/data", data, methods=["GET", "POST"]),
        Route("/owner", owner),
        Route("/broken", broken),
        Route("/_stcore/metrics", data),
        WebSocketRoute("/talk", talk),
    ]
    return Starlette(routes=routes, middleware=[Middleware(SecurityMiddleware, rules=rules)])


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(_app(SecurityRules()), base_url="http://localhost:8501", raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/data", "/nothing", "/broken", "/_stcore/metrics"])
def test_every_answer_carries_the_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "frame-ancestors 'self'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]


def test_policy_allows_no_foreign_source() -> None:
    policy = _content_security_policy(SecurityRules(), "localhost:8501")
    sources = re.findall(r"\S+:/?/?\S*", policy.replace(";", " "))
    assert set(sources) == {"data:", "blob:", "ws://localhost:8501", "wss://localhost:8501"}
    assert "'unsafe-eval'" not in policy
    assert "script-src 'self' blob: 'wasm-unsafe-eval'" in policy


def test_streamlits_inline_script_is_known() -> None:
    hashes = _streamlit_script_hashes()
    assert hashes
    assert all(re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", h) for h in hashes)


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_foreign_host_gets_400_in_plain_words(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 400
    assert "GLASSFORMER_HOSTS" in answer.text
    assert "evil" not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", KNOWN_HOSTS)
def test_local_hosts_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/data", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://localhost.evil.example", "file://", "http://", "x", "http://["]
)
def test_a_foreign_origin_is_refused(client: TestClient, origin: str) -> None:
    assert client.post("/data", headers={"origin": origin}).status_code == 403
    assert client.get("/data", headers={"origin": origin}).status_code == 403
    refused = {"origin": origin, "host": "localhost"}
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/talk", headers=refused):
        pass
    own = {"origin": "http://localhost:8501", "host": "localhost:8501"}
    with client.websocket_connect("/talk", headers=own) as socket:
        assert socket.receive_text() == "hello"


def test_another_port_of_this_machine_is_another_program(client: TestClient) -> None:
    assert client.post("/data", headers={"origin": "http://localhost:3000"}).status_code == 403
    assert client.post("/data", headers={"origin": "http://127.0.0.1:8501"}).status_code == 403
    assert client.post("/data", headers={"origin": "http://localhost:8501"}).status_code == 200


def test_a_public_name_counts_behind_a_proxy_that_rewrites_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_HOSTS", "class.uni.example")
    with TestClient(_app(host_and_frame_rules()), base_url="http://127.0.0.1:8501") as client:
        assert client.post("/data", headers={"origin": "https://class.uni.example"}).status_code == 200


def test_a_sandboxed_frame_may_read_but_not_write(client: TestClient) -> None:
    assert client.get("/data", headers={"origin": "null"}).status_code == 200
    assert client.post("/data", headers={"origin": "null"}).status_code == 403


def test_a_fault_of_the_server_shows_an_id_and_no_trace(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    answer = client.get("/broken")
    fault_id = re.search(r"[0-9a-f]{8}", answer.text)
    assert answer.status_code == 500
    assert fault_id is not None
    assert "secret" not in answer.text
    assert fault_id[0] in caplog.text
    assert "secret detail" in caplog.text


def test_owner_cookie_comes_once_with_a_page(client: TestClient) -> None:
    first = client.get("/")
    assert re.fullmatch(
        r"glassformer_owner=[0-9a-f]{32}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax", first.headers["set-cookie"]
    )
    assert "set-cookie" not in client.get("/").headers and "set-cookie" not in client.get("/data").headers


OLD, SAFE = "a" * 32, "b" * 32


@pytest.mark.parametrize(
    ("cookie", "value", "given_again"),
    [
        ("", None, True),
        (f"glassformer_owner={OLD}", OLD, True),
        (f"__Host-glassformer_owner={SAFE}", SAFE, False),
        (f"glassformer_owner={OLD}; __Host-glassformer_owner={SAFE}", SAFE, False),
        (f"glassformer_owner={OLD}; __Host-glassformer_owner=short", OLD, True),
    ],
)
def test_behind_tls_the_owner_has_a_cookie_that_no_neighbor_can_plant(
    cookie: str, value: str | None, given_again: bool
) -> None:
    """Fails where a planted plain cookie beats the safe one, or where somebody from before TLS loses their runs."""
    headers = {"x-forwarded-proto": "https", "cookie": cookie}
    with TestClient(_app(SecurityRules()), base_url="http://localhost:8501", client=("127.0.0.1", 1)) as client:
        told = client.get("/", headers=headers).headers.get("set-cookie")
        assert client.get("/owner", headers=headers).text == str(value and _owner_id_of(value))
    assert (told is not None) == given_again
    if told is not None:
        name = r"__Host-glassformer_owner=([0-9a-f]{32}); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure"
        given = re.fullmatch(name, told)
        assert given is not None and given[1] == (value or given[1])


def test_a_route_of_streamlits_that_no_visitor_needs_is_closed(client: TestClient) -> None:
    """Fails where Streamlit, in a newer version too, brings a route that is neither needed nor closed."""
    needed = re.compile(
        r"|/_stcore/(health|host-config|stream|upload_file/.*|bidi-components/.*)|/(media|component)/.*"
    )
    paths = {route.path for route in create_streamlit_routes(MagicMock())}  # type: ignore[attr-defined]
    rest = [path for path in sorted(paths) if needed.fullmatch(path) is None]
    assert {"/auth/login", "/auth/logout", "/oauth2callback", "/_stcore/metrics"} <= set(rest)
    for path in rest:
        for written in (path, f"{path}/", f"/{path[1:].replace('/', '//')}", f"/below{path}"):
            assert client.get(written).text == "There is nothing here.\n", written


def test_an_odd_cookie_of_another_program_does_not_cost_the_owner(client: TestClient) -> None:
    for value, is_new in (("a" * 32, False), ("short", True), ("Z" * 32, True)):
        cookie = f'odd[x]="a b, c; =; glassformer_owner={value}'
        assert ("set-cookie" in client.get("/", headers={"cookie": cookie}).headers) == is_new
        client.cookies.clear()


def test_hosts_and_frames_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_HOSTS", "Class.uni.example, *.lab.example")
    monkeypatch.setenv("GLASSFORMER_FRAME_ANCESTORS", "https://moodle.uni.example")
    rules = host_and_frame_rules("0.0.0.0", ["localhost"])
    assert rules.allows("class.uni.example:443")
    assert rules.allows("seat7.lab.example")
    assert not rules.allows("lab.example")
    assert not rules.allows("evillab.example")
    assert not rules.allows("0.0.0.0")
    monkeypatch.setenv("GLASSFORMER_FRAME_ANCESTORS", "https://a.example; script-src *")
    with pytest.raises(ValueError, match="not an origin"):
        host_and_frame_rules()
    monkeypatch.delenv("GLASSFORMER_FRAME_ANCESTORS")
    assert host_and_frame_rules("192.168.1.20").allows("192.168.1.20:8501")
    assert bare_host_name("[2001:DB8::1]:80") == "2001:db8::1"
    with TestClient(_app(rules), base_url="http://class.uni.example") as client:
        headers = client.get("/").headers
    assert "frame-ancestors 'self' https://moodle.uni.example" in headers["content-security-policy"]
    assert "x-frame-options" not in headers
