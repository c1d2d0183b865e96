"""The rules of the HAProxy in front, tried on a real one: what it lets through, deletes, bounds and refuses."""

import http.client
import random
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from core.ui.server import load_balanced_server
from core.ui.server.identity.client_ip import client_address, is_tls
from core.ui.server.identity.visitor import is_own_machine
from tests.browser.fixtures import _free_port
from tests.chromium import LONGEST_WAIT
from tests.counts import count

HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(HAPROXY is None, reason="HAProxy is not installed")]
WAYS = ("X-Forwarded-For", "x-forwarded-for", "X-FORWARDED-FOR", "Forwarded", "X-Real-IP", "X-Forwarded-Proto",
        "X-Forwarded-Host", "Via", "X_Forwarded_For")  # fmt: skip


async def seen(request: Request) -> JSONResponse:
    """Answer with what the app believes of the sender."""
    told = [client_address(request), is_tls(request), is_own_machine(request.headers), len(await request.body())]
    return JSONResponse(told)


@pytest.fixture(scope="module")
def app() -> Iterator[int]:
    """The port of an app behind the proxy."""
    routes = [Route("/api/ready", lambda _: PlainTextResponse("")), Route("/{path:path}", seen, methods=["GET", "PUT"])]
    config = uvicorn.Config(Starlette(routes=routes), port=_free_port(), log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield config.port
    server.should_exit = True
    thread.join()


@contextmanager
def proxy(app: int, folder: Path, **changed: str) -> Iterator[int]:
    """HAProxy before that app; the port where everybody comes in. Changed: waiting times of its configuration."""
    port = _free_port()
    told = load_balanced_server._haproxy_configuration("127.0.0.1", port, [app])
    for name, seconds in changed.items():
        told, n = re.subn(rf"timeout {name} +\S+", f"timeout {name} {seconds}", told)
        assert n == 1
    (folder / "haproxy.cfg").write_text(told, encoding="utf-8")
    process = subprocess.Popen([str(HAPROXY), "-db", "-f", str(folder / "haproxy.cfg")])
    end = time.monotonic() + LONGEST_WAIT
    try:
        while time.monotonic() < end and not load_balanced_server._is_process_ready("127.0.0.1", port, 1):
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def ask(port: int, headers: list[tuple[str, str]], method: str = "GET", body: bytes = b"") -> tuple[int, str]:
    """Status and words of an answer to exactly these headers."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST_WAIT)) as connection:
        connection.putrequest(method, "/upload/x" if method == "PUT" else "/", skip_host=True)
        for name, value in [("Host", "localhost"), *headers]:
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


@pytest.fixture
def behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_PROCESSES", "1")


def test_a_sender_cannot_choose_the_address(app: int, tmp_path: Path, behind: None) -> None:
    """Fails where a header of any spelling reaches the app: then each invented one gets limits of its own (A1)."""
    values = ["1.2.3.4", "9.9.9.9, 8.8.8.8", "https", "for=1.2.3.4;proto=https", "::1", "", "127.0.0.1", "localhost"]
    drawn = random.Random(0)
    with proxy(app, tmp_path) as port:
        for name in WAYS:
            assert ask(port, [(name, one) for one in values]) == (200, '["127.0.0.1",false,false,0]'), name
        for _ in range(count(40, 1_000)):
            forged = [(drawn.choice(WAYS), drawn.choice(values)) for _ in range(drawn.randint(1, 6))]
            assert ask(port, forged) == (200, '["127.0.0.1",false,false,0]'), forged


def test_a_proxy_of_ones_own_is_believed_and_no_hop_before_it(
    app: int, tmp_path: Path, behind: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSFORMER_PROXIES", "1")
    with proxy(app, tmp_path) as port:
        for invented in ("", "1.2.3.4, ", "127.0.0.1, 5.6.7.8, "):
            told = [("X-Forwarded-For", f"{invented}203.0.113.7"), ("X-Forwarded-Proto", "https")]
            assert ask(port, told) == (200, '["203.0.113.7",true,false,0]')


def test_what_is_too_large_or_does_not_say_how_large_is_refused(app: int, tmp_path: Path, behind: None) -> None:
    """Fails where a body in chunks passes the rules on sizes (C3), or headers have no bound (B3)."""
    with proxy(app, tmp_path) as port:
        assert ask(port, [("Content-Length", "3")], "PUT", b"abc") == (200, '["127.0.0.1",false,false,3]')
        assert ask(port, [("Content-Length", "100000001")], "PUT")[0] == 413
        assert ask(port, [("Content-Length", "11000001")])[0] == 413
        for spelling in ("chunked", "Chunked"):
            status, words = ask(port, [("Transfer-Encoding", spelling)], "PUT", b"3\r\nabc\r\n0\r\n\r\n")
            assert (status, words) == (411, "An upload has to say how large it is.")
        assert ask(port, [("X-Long", "x" * 20_000)])[0] == 400


def test_a_request_that_never_ends_is_ended(app: int, tmp_path: Path, behind: None) -> None:
    """Fails where headers may come for ever (B3): one per connection would hold it open."""
    with (
        proxy(app, tmp_path, **{"http-request": "500ms"}) as port,
        socket.create_connection(("127.0.0.1", port), LONGEST_WAIT) as line,
    ):
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
        assert line.recv(100).startswith(b"HTTP/1.1 408")
    assert "timeout http-request 10s" in load_balanced_server._haproxy_configuration("127.0.0.1", 1, [2])


def connections(port: int, n: int, stack: ExitStack) -> list[int]:
    """Return the statuses of `n` requests, each on a connection that stays open; 0 if it was cut."""
    found = []
    for _ in range(n):
        try:
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), LONGEST_WAIT))
            line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            found.append(int(line.recv(1_000).split()[1]))
        except (OSError, IndexError):
            found.append(0)
    return found


def test_one_address_does_not_hold_all_connections(
    app: int, tmp_path: Path, behind: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fails where one phone can hold each connection of the server; behind a proxy of one's own that one counts."""
    monkeypatch.setattr(load_balanced_server, "MOST_OPEN", 12)
    with ExitStack() as stack, proxy(app, tmp_path) as port:
        found = connections(port, 24, stack)
        assert found.count(200) in (11, 12) and 3 <= found.count(429) <= 5
        assert found == sorted(found, key=lambda status: (status == 0, status)), "first words, then nothing"
    monkeypatch.setenv("GLASSFORMER_PROXIES", "1")
    with ExitStack() as stack, proxy(app, tmp_path) as port:
        assert set(connections(port, 24, stack)) == {200}


def test_sixty_browsers_behind_one_address_fit(app: int, tmp_path: Path, behind: None) -> None:
    """Fails where a school's router shuts its class out: Chromium holds seven connections, in a class eight."""
    with ExitStack() as stack, proxy(app, tmp_path) as port:
        assert set(connections(port, 60 * 8, stack)) == {200}
    assert load_balanced_server.MOST_NEW > 2 * 60 * 9, "two pages of each within ten seconds"


def test_one_address_does_not_open_connections_without_end(
    app: int, tmp_path: Path, behind: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_balanced_server, "MOST_NEW", 30)
    with proxy(app, tmp_path) as port:
        found = []
        for _ in range(40):
            with ExitStack() as closed_at_once:
                found += connections(port, 1, closed_at_once)
        assert found[0] == 200 and found[-1] == 0
