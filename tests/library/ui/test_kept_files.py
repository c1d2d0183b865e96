"""Files that never change are answered from memory, whole and under their own headers; nothing else is."""

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from core.ui.server import kept_files
from core.ui.server.kept_files import KeptFiles

FOR_EVER = {"cache-control": "public, immutable, max-age=31536000"}
SCRIPT = b"const layer = 'the block';\n" * 200


class Origin:
    """What is asked of the application behind."""

    def __init__(self, status: int = 200, headers: dict[str, str] | None = None, is_streamed: bool = False) -> None:
        self.n_asked, self.status, self.headers = 0, status, FOR_EVER if headers is None else headers
        self.is_streamed = is_streamed
        app = Starlette(routes=[Route("/{name}", self.answer)])
        app.add_middleware(KeptFiles)
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


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_files, "MOST_BYTES", len(SCRIPT) - 1)
    origin = Origin()
    origin.get(), origin.get()
    assert origin.n_asked == 2
