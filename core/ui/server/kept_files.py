"""Files that never change are read and compressed once: a class that opens the page at once waits for no disk.

Streamlit opens each of its hundred scripts in a thread, for each visitor anew, and sends it as it lies.
"""

import asyncio
import gzip
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 48_000_000  # of all files kept, as they lie; Streamlit's own are 26 MB, of which a page loads 5
_TEXT = ("text/", "application/javascript", "application/json", "image/svg")
_WORTH = 1_000  # bytes from which on compressing pays


@dataclass(frozen=True)
class Kept:
    """An answer as it is sent."""

    headers: list[tuple[bytes, bytes]]
    body: bytes

    async def answer(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})


class KeptFiles:
    """ASGI middleware: what an answer's own headers call public and immutable is kept, and texts are compressed.

    A request for a part, or whether a file has changed, is passed on.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[tuple[str, bytes, bool], Kept] = {}  # path, query, whether compressed
        self._n_byte = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        key = scope["path"], scope["query_string"], "gzip" in asked.get("accept-encoding", "")
        if (found := self.kept.get(key)) is not None and not {"range", "if-none-match", "if-modified-since"} & {*asked}:
            await found.answer(send)
            return
        parts: list[Message] = []

        async def hold_back(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if parts or (is_start and _is_for_ever(message)):
                parts.append(message)
            else:
                await send(message)

        await self.app(scope, receive, hold_back)
        if parts and not parts[-1].get("more_body") and key not in self.kept:
            await self._keep(key, parts)
        if key in self.kept and parts:  # also the first who asks gets it compressed
            await self.kept[key].answer(send)
            return
        for part in parts:
            await send(part)

    async def _keep(self, key: tuple[str, bytes, bool], parts: list[Message]) -> None:
        body = b"".join(part.get("body", b"") for part in parts[1:])
        headers = MutableHeaders(raw=list(parts[0]["headers"]))
        if not body or self._n_byte + len(body) > MOST_BYTES or int(headers.get("content-length", -1)) != len(body):
            return
        self._n_byte += len(body)
        is_text = headers.get("content-type", "").startswith(_TEXT) and "content-encoding" not in headers
        if key[2] and is_text and len(body) > _WORTH:
            body = await asyncio.to_thread(gzip.compress, body, 6)
            headers["content-encoding"], headers["content-length"] = "gzip", str(len(body))
        headers["vary"] = "Accept-Encoding"
        self.kept[key] = Kept(headers.raw, body)


def _is_for_ever(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    lifetime = headers.get("cache-control", "")
    is_everybodys = "immutable" in lifetime and "private" not in lifetime
    return start["status"] == 200 and is_everybodys and "set-cookie" not in headers
