"""T1, T6 and T14 over HTTP: no request makes the server stumble, every answer has the headers, no stranger gets in."""

import http.client
import os
import random
import socket
import time
from collections.abc import Mapping
from contextlib import closing, suppress

import pytest

from tests.chromium import LONGEST_WAIT
from tests.counts import IS_FULL, count, tally
from tests.library.ui.test_headers import FOREIGN_HOSTS
from tests.safety.conftest import Watched
from tests.safety.hostile import NAMES, TEXTS, VALUES
from tests.safety.visitor import Visitor

pytestmark = pytest.mark.slow

HEADERS = (
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "permissions-policy",
    "x-frame-options",
    "cross-origin-opener-policy",
)
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW")
PATHS = ("/", "/heads", "/lessons", "/_stcore/health", "/_stcore/host-config", "/_stcore/stream", "/_stcore/metrics",
         "/_stcore/upload_file/a/b", "/_stcore/script-health-check", "/_stcore/message", "/media/a.png",
         "/component/a/b", "/_stcore/bidi-components/a/b", "/static/a", "/app/static/a", "/api/ready",
         "/widgets/drawing/theme.js", "/widgets/none.js", "/fonts/inter-latin.woff2",
         "/favicon.png", "/index.html", "/auth/login", "/upload", "/upload/config.json", "/fault")  # fmt: skip
ODD_HEADERS = ("Cookie", "Range", "If-None-Match", "Accept-Encoding", "X-Forwarded-For", "X-Forwarded-Proto", "Referer")
ODD_HEADER_VALUES = ("", "a" * 5000, "bytes=0-999999999999", "bytes=-", "\x7f", "=;=;,",
                     f"glassformer_owner={'f' * 32};gf_depth=<b>")  # fmt: skip
MOST_SECONDS = 5.0  # of the server's own work; one that waits for something hangs until `LONGEST_WAIT`
NO_HTTP = b"Invalid HTTP request received."  # said by the server program before there is a request to speak of


def ask(
    port: int, method: str, path: bytes | str, headers: Mapping[str, str], body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """A request that no client library has tidied up."""
    raw = path if isinstance(path, bytes) else path.encode("utf-8", "surrogatepass")
    lines = [method.encode() + b" " + raw + b" HTTP/1.1"]
    lines += [f"{name}: {value}".encode("utf-8", "surrogatepass") for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}".encode(), b"Connection: close", b"", body]
    with closing(socket.create_connection(("127.0.0.1", port), timeout=LONGEST_WAIT)) as connection:
        with suppress(ConnectionError):  # who refuses a large body may hang up before all of it is there
            connection.sendall(b"\r\n".join(lines))
        answer = http.client.HTTPResponse(connection, method=method)
        with closing(answer):
            answer.begin()
            content = b"" if method == "HEAD" else answer.read()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content


def quoted(text: str) -> str:
    """What a browser makes of a text in an address."""
    from urllib.parse import quote

    return quote(text.encode("utf-8", "replace"), safe="")


def test_no_request_makes_the_server_stumble(watched: Watched) -> None:
    here = {"Host": f"127.0.0.1:{watched.port}"}
    rng = random.Random(2)
    asked: list[tuple[str, str, dict[str, str]]] = [(method, path, {}) for method in METHODS for path in PATHS]
    words = [*VALUES, *NAMES, *(text for text in TEXTS.values() if len(text) < 2000)]
    for word in words:
        place = rng.choice(("/widgets/{}", "/fonts/{}", "/media/{}", "/{}", "/lessons?lesson={}", "/heads?text={}",
                            "/_stcore/upload_file/{}/x", "/upload/{}", "/component/{}/a.js", "/api/{}"))  # fmt: skip
        asked.append((rng.choice(("GET", "GET", "POST", "PUT", "DELETE")), place.format(quoted(word)), {}))
    for name in ODD_HEADERS:
        asked += [("GET", "/fonts/inter-latin.woff2", {name: value}) for value in ODD_HEADER_VALUES]
    for _ in range(count(30, 1_000)):
        path = "/" + "".join(rng.choice("abc/._%-~0123456789\\:;?#&=+@!") for _ in range(rng.randrange(60)))
        asked.append((rng.choice(METHODS), path, {}))
    slowest, statuses = 0.0, set()
    for method, path, headers in asked:
        before = watched.worked()
        status, answer, body = ask(watched.port, method, path, here | headers)
        slowest = max(slowest, watched.worked() - before)
        statuses.add(status)
        case = f"{method} {path[:80]} {headers}"
        assert status < 500 or status == 501, case
        assert b"Traceback" not in body and b"site-packages" not in body, case
        missing = set() if body == NO_HTTP and status == 400 else set(HEADERS) - set(answer)
        assert not missing, f"{case}: {status} without {missing}"
    assert slowest < MOST_SECONDS or not IS_FULL
    tally("T1 HTTP", requests=len(asked), server_errors=0, slowest_s=round(slowest, 2), statuses=sorted(statuses))


FOREIGN_ORIGINS = (
    "http://evil.example", "https://evil.example", "http://localhost.evil.example", "http://127.0.0.1.nip.io", "http://127.0.0.1.evil.example",
    "http://evil.example:8501", "http://localhost@evil.example", "file://", "http://", "x", "http://[", "http://0.0.0.0",
    "http://127.0.0.2", "http://2130706433", "http://127.1", "chrome-extension://abc", "http://localhost:1",
    "http://127.0.0.1:1", "ftp://127.0.0.1", "http://169.254.169.254", "data:", "http://evil-localhost",
)  # fmt: skip
UPGRADE = {
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "streamlit",
}


def test_strangers_get_nothing(watched: Watched) -> None:
    """Twenty ways to come under a foreign name, DNS rebinding among them, and twenty foreign pages that ask."""
    here = f"127.0.0.1:{watched.port}"
    paths = ("/", "/_stcore/health", "/widgets/drawing/theme.js", "/_stcore/stream")
    for host in FOREIGN_HOSTS:
        for path in paths:
            for more in ({}, UPGRADE):
                status, answer, _ = ask(watched.port, "GET", path, {"Host": host, **more})
                assert status == 400, f"{host!r} {path} {more}"
                assert "set-cookie" not in answer
    for origin in FOREIGN_ORIGINS:
        for method, path, more in (
            ("GET", "/", {}),
            ("POST", "/_stcore/upload_file/a/b", {}),
            ("GET", "/_stcore/stream", UPGRADE),
        ):
            status, _, body = ask(watched.port, method, path, {"Host": here, "Origin": origin, **more})
            assert status == 403, f"{origin!r} {method} {path}: {status} {body[:80]!r}"
    for path in (
        "/_stcore/metrics",
        "//_stcore/metrics",
        "/_stcore/agent/openapi.json",
        "/st-metrics",
        "/x/_stcore/metrics",
    ):
        assert ask(watched.port, "GET", path, {"Host": here})[0] in {400, 404}
    tally("T6", foreign_hosts=len(FOREIGN_HOSTS) * len(paths) * 2, foreign_origins=len(FOREIGN_ORIGINS) * 3, let_in=0)


def upload(server: Watched, session: str, file: str, n_byte: int, token: str = "") -> int:
    """Send a file as the field for files does."""
    edge = "edge"
    body = f'--{edge}\r\nContent-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\n'.encode()
    body += bytes(n_byte) + f"\r\n--{edge}--\r\n".encode()
    headers = {"Host": f"127.0.0.1:{server.port}", "Content-Type": f"multipart/form-data; boundary={edge}"}
    if token:
        headers |= {"X-Xsrftoken": token, "Cookie": f"_streamlit_xsrf={token}"}
    return ask(server.port, "PUT", f"/_stcore/upload_file/{session}/{file}", headers, body)[0]


def xsrf_token() -> str:
    """A token of the form that the server takes, as its page would set it: cookie and header must agree."""
    mask, value = os.urandom(4), os.urandom(16)
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(value))
    return f"2|{mask.hex()}|{masked.hex()}|{int(time.time())}"


def test_uploads_are_bounded(watched: Watched) -> None:
    with Visitor(watched.url, "studio") as visitor:
        visitor.open()
        assert visitor.session_id
        token = xsrf_token()
        assert upload(watched, visitor.session_id, "a", 1000) == 403, "without the page's token"
        assert upload(watched, "nobody", "a", 1000, token) in {400, 403}, "for a session that is not there"
        assert upload(watched, visitor.session_id, "a", 1000, token) == 204
        assert upload(watched, visitor.session_id, "big", 10_500_000 + 2**20, token) == 413
        taken = [upload(watched, visitor.session_id, f"f{i}", 9_000_000, token) for i in range(12)]
        assert taken == [204] * 11 + [413], "100 MB in one session"
    with Visitor(watched.url, "studio") as visitor:
        visitor.open()
        small = [upload(watched, visitor.session_id, f"f{i}", 1, token) for i in range(count(210, 400))]
        assert small == [204] * 200 + [413] * (len(small) - 200), "200 files in one session"
    tally("T14", uploads=len(taken) + len(small) + 4, taken_beyond_the_limits=0)
