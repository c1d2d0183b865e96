"""Files that never change are answered from memory, whole and under their own headers; nothing else is."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from core.ui.server import response_cache
from core.ui.server.response_cache import ResponseCacheMiddleware

FOR_EVER = {"cache-control": "public, immutable, max-age=31536000"}
SCRIPT = b"const layer = 'the block';\n" * 200


class Origin:
    """A fake application behind the cache, which counts the requests that reach it."""

    def __init__(self, status: int = 200, headers: dict[str, str] | None = None, is_streamed: bool = False) -> None:
        self.n_asked, self.status, self.headers = 0, status, FOR_EVER if headers is None else headers
        self.is_streamed = is_streamed
        app = Starlette(routes=[Route("/{name}", self.answer)])
        app.add_middleware(ResponseCacheMiddleware)
        self.client = TestClient(app)

    async def answer(self, _: Request) -> Response:
        self.n_asked += 1
        how: dict[str, Any] = {"headers": self.headers, "status_code": self.status, "media_type": "text/javascript"}
        if self.is_streamed:
            parts = iter((SCRIPT[:100], SCRIPT[100:]))
            return StreamingResponse(parts, **how | {"headers": {**self.headers, "content-length": str(len(SCRIPT))}})
        return Response(SCRIPT, **how)

    def get(self, **headers: str) -> Any:
        return self.client.get("/a.js", headers={"accept-encoding": "identity", **headers})


@pytest.mark.parametrize("is_streamed", [False, True])
def test_what_never_changes_is_asked_for_once_and_compressed_once(is_streamed: bool) -> None:
    origin = Origin(is_streamed=is_streamed)
    for encoding, expected in (("identity", None), ("gzip", "gzip")):
        origin.n_asked = 0
        answers = [origin.get(**{"accept-encoding": encoding}) for _ in range(3)]
        assert origin.n_asked == 1
        assert {answer.content for answer in answers} == {SCRIPT}
        assert {answer.headers.get("content-encoding") for answer in answers} == {expected}  # the first visitor's, too
        assert answers[2].headers["cache-control"] == FOR_EVER["cache-control"]
        assert answers[2].headers["vary"] == "Accept-Encoding"
    assert int(answers[2].headers["content-length"]) < len(SCRIPT) / 5


@pytest.mark.parametrize(
    "origin",
    [Origin(headers={}), Origin(headers={"cache-control": "no-cache"}), Origin(status=404),
     Origin(headers={**FOR_EVER, "set-cookie": "owner=1"})],
    ids=["says nothing", "may change", "is not there", "is one visitor's"],
)  # fmt: skip
def test_nothing_else_is_kept(origin: Origin) -> None:
    origin.n_asked = 0
    for _ in range(2):
        assert origin.get().content == SCRIPT
    assert origin.n_asked == 2


@pytest.mark.parametrize("header", ["range", "if-none-match", "if-modified-since"])
def test_a_part_and_a_question_are_passed_on(header: str) -> None:
    origin = Origin()
    origin.get(), origin.get()
    origin.get(**{header: "bytes=0-1"})
    assert origin.n_asked == 2


def held(kept: ResponseCacheMiddleware) -> int:
    """Count again what lies in memory: names, headers and bodies."""
    return sum(
        len(key.path) + len(key.version) + len(one.body) + sum(len(name) + len(value) for name, value in one.headers)
        for key, one in kept.kept.items()
    )


class Files:
    """A server of any path: each file is its own path, `size` times, with the ETag "v1"."""

    def __init__(self, size: int = 10) -> None:
        self.asked: list[str] = []
        self.size = size
        self.kept = ResponseCacheMiddleware(self.app)
        self.client = TestClient(self.kept)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        await Response(scope["path"].encode() * self.size, headers=FOR_EVER | {"etag": '"v1"'})(scope, receive, send)


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.text("abcv=&1", max_size=40), st.booleans()), max_size=60))
def test_memory_is_bounded_whatever_is_asked_for(asked: list[tuple[str, str, bool]]) -> None:
    """Fails where anything that is held isn't counted, such as keys (B1), or where a query makes another copy."""
    files = Files(size=300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(response_cache, "MOST_BYTES", 6_000)
        for name, query, is_zipped in asked:
            headers = {"accept-encoding": "gzip" if is_zipped else "identity"}
            assert files.client.get(f"/{name}?{query}", headers=headers).content == f"/{name}".encode() * 300
            assert held(files.kept) <= files.kept.n_byte <= 6_000
        assert {key.version for key in files.kept.kept} <= {"", "v1"}


def test_a_query_that_the_route_does_not_know_is_passed_on_unkept() -> None:
    files = Files()
    for query in ("v=2", "v=v1&x=1", "v=", "x=" + "y" * 60_000, "v=v1", "v=v1", "", ""):
        files.client.get(f"/a.js?{query}")
    assert len(files.asked) == 4 + 2 and {key.version for key in files.kept.kept} == {"", "v1"}


def test_what_nobody_has_asked_for_the_longest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails where a stranger's files fill the memory once and for all, and the class's are kept no more."""
    files = Files(size=1_000)
    files.client.get("/script.js")
    monkeypatch.setattr(response_cache, "MOST_BYTES", 3 * files.kept.n_byte + 100)
    for other in "abcdefgh":
        files.client.get(f"/other-{other}")
        files.client.get("/script.js")
    assert files.asked.count("/script.js") == 1
    for other in "abcd":
        files.client.get(f"/other-{other}")
    files.client.get("/script.js"), files.client.get("/script.js")
    assert files.asked.count("/script.js") == 2, "it's kept again"


def test_a_file_beyond_measure_is_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_cache, "MOST_OF_FILE", len(SCRIPT) - 1)
    origin = Origin()
    origin.get(), origin.get()
    assert origin.n_asked == 2
