"""The page that Streamlit sends before any script has run: with the room's first words in it, and less to fetch.

Streamlit's own page is white until half a megabyte of scripts has come, 20 s on a slow phone. Three changes to it:

- the room's title and its sentence stand in it, until the app has drawn them itself;
- a text font of 171 kB that is never used is no longer preloaded, the style sheet no longer holds up the first words, and
  of the font of icons only those in use come (`icons`);
- a browser without a language gets English, where Streamlit's date field would show a RangeError.
"""

import asyncio
import base64
import gzip
import hashlib
import html
import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.ui.server.assets import ROOT, asset_url

Words = Callable[[str], tuple[str, str]]  # of a page's address: its title, and one sentence in Markdown
# What would bring another answer than Streamlit's page as it lies.
_CONDITIONS = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")
_NO_SCRIPT = "<noscript><p>Glassformer needs JavaScript: your browser has it switched off.</p></noscript>"
_WAITS = "The app is on its way: about one megabyte."


@cache
def streamlits_page() -> str:
    """Streamlit's own index.html."""
    import streamlit

    return (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


@cache
def script() -> str:
    """The script that stands in the page itself."""
    return (ROOT / "assets" / "widgets" / "page" / "first_page.js").read_text(encoding="utf-8")


def script_hash() -> str:
    """Its hash, for the Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}'"


@lru_cache(maxsize=128)
def first_page(title: str, sentence: str, root: str = "./") -> bytes:
    """The page with these words in it.

    Args:
        sentence: Markdown; only its words are shown.
        root: of the app as the page's own scripts write it.
    """
    page = re.sub(r'\s*<link\s+rel="preload"[^>]*SourceSans[^>]*>', "", streamlits_page())
    page = re.sub(r"<noscript>.*?</noscript>", _NO_SCRIPT, page, flags=re.DOTALL)
    sheets = re.findall(r'<link rel="stylesheet"[^>]*>', page)
    for sheet in sheets:
        page = page.replace(sheet, "")
    look = (ROOT / "assets" / "brand" / "first_page.css").read_text(encoding="utf-8")
    words = f'<p class="title">{_text(title)}</p><p>{_text(sentence)}</p><p class="waits">{_WAITS}</p>'
    # After Streamlit's own rule: of two for one font and weight, the later one holds.
    icons = (
        '@font-face{font-family:"Material Symbols Rounded";font-style:normal;font-weight:400;font-display:block;'
        f'src:url("{root}{asset_url("fonts", "icons.woff2").removeprefix("/")}")format("woff2")}}'
    )
    page = page.replace("</head>", f"<style>{look}</style><script>{script()}</script></head>")
    page = page.replace(
        '<div id="root"></div>',
        f'<div id="gf-first" role="status">{words}</div><div id="root"></div>{"".join(sheets)}<style>{icons}</style>',
    )
    return page.encode()


def _text(markdown: str) -> str:
    """The words of a line of Markdown, as HTML."""
    return html.escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("**", "").replace("`", ""))


class FirstPage:
    """ASGI middleware: wherever Streamlit answers with its own page, ours goes out instead, compressed."""

    def __init__(self, app: ASGIApp, words: Words) -> None:
        self.app, self.words = app, words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"} or not _is_page(scope["path"]):
            await self.app(scope, receive, send)
            return
        asked, start = Headers(scope=scope), None
        scope = {**scope, "headers": [one for one in scope["headers"] if one[0] not in _CONDITIONS]}

        async def send_ours(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_streamlits(message):
                start = message
            elif start is None:
                await send(message)
            elif not message.get("more_body"):
                await self._send(scope, asked, start, send)

        await self.app(scope, receive, send_ours)

    async def _send(self, scope: Scope, asked: Headers, start: Message, send: Send) -> None:
        # In a thread: the rooms may have to be imported yet.
        body = await asyncio.to_thread(lambda: first_page(*self.words(scope["path"].rpartition("/")[2])))
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        headers = MutableHeaders(raw=list(start["headers"]))
        for old in ("last-modified", "content-encoding", "content-length"):
            del headers[old]
        headers["etag"], headers["vary"] = tag, "Accept-Encoding"
        if asked.get("if-none-match") == tag:
            await send({**start, "status": 304, "headers": headers.raw})
            await send({"type": "http.response.body", "body": b""})
            return
        if "gzip" in asked.get("accept-encoding", ""):
            body = _compressed(body)
            headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(body))
        await send({**start, "headers": headers.raw})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _is_page(path: str) -> bool:
    """Whether a page may live there: no file, and nothing of Streamlit's own."""
    return "." not in path.rpartition("/")[2] and not path.startswith("/_stcore")


def _is_streamlits(start: Message) -> bool:
    """Whether this is Streamlit's index.html: an HTML file of exactly its size."""
    headers = Headers(raw=start["headers"])
    is_page = start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
    return is_page and headers.get("content-length") == str(len(streamlits_page().encode())) and "etag" in headers


@lru_cache(maxsize=128)
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, 9)
