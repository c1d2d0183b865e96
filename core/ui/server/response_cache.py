"""A cache of immutable files, read and compressed once, so that a class opening the page does not wait for the disk.

Streamlit itself opens each of its hundred scripts in a thread, again for each visitor, and sends it uncompressed.
"""

import asyncio
import gzip
import re
from collections import OrderedDict
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 48_000_000  # of all cached answers with names and headers; a page loads 5 of Streamlit's 26 MB
MOST_OF_FILE = 8_000_000  # of one answer; the largest script has 4 MB
_TEXT = ("text/", "application/javascript", "application/json", "image/svg")
_VERSION = re.compile(rb"(?:v=([\w.-]{1,64}))?")
_WORTH = 1_000  # bytes above which compression pays off


@dataclass(frozen=True)
class _CachedAnswer:
    """A cached answer as it is sent."""

    headers: list[tuple[bytes, bytes]]
    body: bytes

    @property
    def n_byte(self) -> int:
        """The bytes of body and headers."""
        return len(self.body) + sum(len(name) + len(value) for name, value in self.headers)

    async def answer(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})


@dataclass(frozen=True)
class _CacheKey:
    """The key of a cached answer."""

    path: str  # in the address
    version: str  # the `v` of the address or ""; it is the answer's ETag, so nobody can invent a different one
    is_gzipped: bool  # whether the answer may be compressed

    @property
    def n_byte(self) -> int:
        """The bytes that it takes, including Python's overhead for an entry."""
        return len(self.path.encode("utf-8", "surrogatepass")) + len(self.version) + 1_000


class ResponseCacheMiddleware:
    """ASGI middleware that caches answers whose headers say public and immutable, and compresses text.

    Range requests, conditional requests, and requests with a query other than a version are passed on. When the cache
    is full, the least recently used answer is dropped.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: OrderedDict[_CacheKey, _CachedAnswer] = OrderedDict()  # the most recently used at the end
        self.n_byte = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = _key(scope)
        if key is None:
            await self.app(scope, receive, send)
            return
        if (found := self.kept.get(key)) is not None:
            self.kept.move_to_end(key)
            await found.answer(send)
            return
        parts: list[Message] = []

        async def hold_back(message: Message) -> None:
            is_start = message["type"] == "http.response.start"
            if parts or (is_start and _may_be_kept(message, key)):
                parts.append(message)
            else:
                await send(message)

        await self.app(scope, receive, hold_back)
        if parts and not parts[-1].get("more_body") and key not in self.kept:
            await self._keep(key, parts)
        if key in self.kept and parts:  # the first request, too, gets it compressed
            await self.kept[key].answer(send)
            return
        for part in parts:
            await send(part)

    async def _keep(self, key: _CacheKey, parts: list[Message]) -> None:
        body = b"".join(part.get("body", b"") for part in parts[1:])
        headers = MutableHeaders(raw=list(parts[0]["headers"]))
        if not body or int(headers["content-length"]) != len(body):
            return
        is_text = headers.get("content-type", "").startswith(_TEXT) and "content-encoding" not in headers
        if key.is_gzipped and is_text and len(body) > _WORTH:
            body = await asyncio.to_thread(gzip.compress, body, 6)
            headers["content-encoding"], headers["content-length"] = "gzip", str(len(body))
        headers["vary"] = "Accept-Encoding"
        one = _CachedAnswer(headers.raw, body)
        if key in self.kept or key.n_byte + one.n_byte > MOST_BYTES:  # another request was first
            return
        self.kept[key] = one
        self.n_byte += key.n_byte + one.n_byte
        while self.n_byte > MOST_BYTES:
            oldest, gone = self.kept.popitem(last=False)
            self.n_byte -= oldest.n_byte + gone.n_byte


def _key(scope: Scope) -> _CacheKey | None:
    """Return the key for the answer to a request; None if it must not be cached."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    asked, version = Headers(scope=scope), _VERSION.fullmatch(scope["query_string"])
    if version is None or {"range", "if-none-match", "if-modified-since"} & {*asked}:
        return None
    return _CacheKey(scope["path"], (version[1] or b"").decode(), "gzip" in asked.get("accept-encoding", ""))


def _may_be_kept(start: Message, key: _CacheKey) -> bool:
    headers = Headers(raw=start["headers"])
    lifetime = headers.get("cache-control", "")
    is_everybodys = "immutable" in lifetime and "private" not in lifetime and "set-cookie" not in headers
    is_known = key.version in ("", headers.get("etag", "").strip('"'))
    told = headers.get("content-length", "")
    is_small = told.isascii() and told.isdecimal() and len(told) < 16 and int(told) <= MOST_OF_FILE
    return start["status"] == 200 and is_everybodys and is_known and is_small
