"""The page that Streamlit sends before any script has run: with the room's first words in it, and less to fetch.

Streamlit's own page is white until half a megabyte of scripts has come, 20 s on a slow phone. Four changes to it:

- the room's title and its sentence stand in it, until the app has drawn them itself;
- a text font of 171 kB that shows nothing of the app isn't fetched, the style sheet doesn't hold up the first words,
  and the font of icons has only those in use (`icons`);
- scripts that every page needs are fetched at once, not one after the other as each is found to import the next;
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

from core.browser.bundle import FOLDER, modules
from core.ui.server.assets import ROOT, asset_url

# Of a page's address: its title, one sentence in Markdown, and the widgets that it draws first.
Words = Callable[[str], tuple[str, ...]]
_WIDGETS = ("keys", "choice")  # of every page
_SHEET = re.compile(r"/static/css/index\.[\w-]+\.css$")
_PARTS = ("Html", "BidiComponent", "PageLink", "Button", "ButtonGroup")  # Streamlit's, of every page
# What would bring another answer than Streamlit's page as it lies.
_CONDITIONS = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")
_NO_SCRIPT = "<noscript><p>Glassformer needs JavaScript: your browser has it switched off.</p></noscript>"
# Streamlit's empty frame is set in Source Sans until the app's own theme has come: any font of the device will do.
_DEVICE = ",".join(f'local("{name}")' for name in ("Roboto", "Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"))
_WAITS = "The app is loading, about one megabyte."


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
def first_page(title: str, sentence: str, *widgets: str) -> bytes:
    """The page with these words in it.

    Args:
        sentence: Markdown; only its words are shown.
        widgets: the pictures that the page begins with, by their scripts' names.
    """
    page = re.sub(r'\s*<link\s+rel="preload"[^>]*SourceSans[^>]*>', "", streamlits_page())
    page = re.sub(r"<noscript>.*?</noscript>", _NO_SCRIPT, page, flags=re.DOTALL)
    sheets = re.findall(r'<link rel="stylesheet"[^>]*>', page)
    for one in sheets:
        page = page.replace(one, "")
    look = (ROOT / "assets" / "brand" / "first_page.css").read_text(encoding="utf-8")
    words = f'<p class="title">{_text(title)}</p><p>{_text(sentence)}</p><p class="waits">{_WAITS}</p>'
    early = [*_streamlits_parts(), *_scripts(*_WIDGETS, *widgets)]
    # Of low priority: what the app itself asks for meanwhile must not wait for them.
    links = "".join(f'<link rel="modulepreload" fetchpriority="low" crossorigin href="{one}">' for one in early)
    page = page.replace("</head>", f"{links}<style>{look}</style><script>{script()}</script></head>")
    page = page.replace(
        '<div id="root"></div>',
        f'<div id="gf-first" role="status">{words}</div><div id="root"></div>{"".join(sheets)}',
    )
    return page.encode()


@cache
def sheet() -> bytes:
    """Streamlit's style sheet with other fonts: see the module's head."""
    import streamlit

    [path] = (Path(streamlit.__file__).parent / "static" / "static" / "css").glob("index.*.css")
    icons = f'url(../..{asset_url("fonts", "icons.woff2")})format("woff2")'

    def other_source(match: re.Match[str]) -> str:
        source = {"Source Sans": _DEVICE, "Material Symbols Rounded": icons}.get(match[1].strip('"'))
        return match[0] if source is None else re.sub(r"src:[^;}]*", f"src:{source}", match[0])

    return re.sub(r"@font-face\{font-family:([^;]*);[^}]*\}", other_source, path.read_text(encoding="utf-8")).encode()


def _below(address: str) -> str:
    """An address of ours as the page's own scripts write theirs: wherever the app lives."""
    return f".{address}"


def _scripts(*widgets: str) -> list[str]:
    """The addresses of these widgets and of all that they import, as they import it."""
    entries = [_below(asset_url("widgets", f"{name}.js")) for name in widgets]
    files = [path for path in modules((*widgets, "base")) if path.stem not in widgets]
    return [*entries, *(f"./widgets/{path.relative_to(FOLDER).as_posix()}" for path in files)]


@cache
def _streamlits_parts() -> list[str]:
    """The addresses of Streamlit's scripts that come late, one importing the other, though every page needs them."""
    import streamlit

    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    waiting = [path for name in _PARTS for path in folder.glob(f"{name}.*.js")]
    found: list[Path] = []
    while waiting:
        path = waiting.pop(0)
        if path not in found and path.name not in streamlits_page():
            found.append(path)
            text = path.read_text(encoding="utf-8")
            waiting += [folder / name for name in re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', text)]
    return [f"./static/js/{path.name}" for path in found]


def _text(markdown: str) -> str:
    """The words of a line of Markdown, as HTML."""
    return html.escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("**", "").replace("`", ""))


class FirstPage:
    """ASGI middleware: wherever Streamlit answers with its own page, ours goes out instead, compressed."""

    def __init__(self, app: ASGIApp, words: Words) -> None:
        self.app, self.words = app, words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"} or not _is_ours(scope["path"]):
            await self.app(scope, receive, send)
            return
        if _SHEET.search(scope["path"]):
            # Its address stays when our icons change: the browser asks whether it has.
            headers = {"content-type": "text/css; charset=utf-8", "cache-control": "no-cache"}
            await _send(scope, Headers(scope=scope), sheet(), MutableHeaders(headers), send)
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
                # In a thread: the rooms may have to be imported yet.
                body = await asyncio.to_thread(lambda: first_page(*self.words(scope["path"].rpartition("/")[2])))
                headers = MutableHeaders(raw=list(start["headers"]))
                for old in ("last-modified", "content-encoding", "content-length"):
                    del headers[old]
                await _send(scope, asked, body, headers, send)

        await self.app(scope, receive, send_ours)


async def _send(scope: Scope, asked: Headers, body: bytes, headers: MutableHeaders, send: Send) -> None:
    """Answer, compressed where the browser can read that; with "not modified" where it has the very same."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
    headers["etag"], headers["vary"] = tag, "Accept-Encoding"
    status = 304 if asked.get("if-none-match") == tag else 200
    if status == 200 and "gzip" in asked.get("accept-encoding", ""):
        body = _compressed(body)
        headers["content-encoding"] = "gzip"
    if status == 200:
        headers["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": status, "headers": headers.raw})
    await send({"type": "http.response.body", "body": b"" if status == 304 or scope["method"] == "HEAD" else body})


def _is_ours(path: str) -> bool:
    """Whether a page may live there, no file and nothing of Streamlit's own; or the style sheet does."""
    return bool(_SHEET.search(path)) or ("." not in path.rpartition("/")[2] and not path.startswith("/_stcore"))


def _is_streamlits(start: Message) -> bool:
    """Whether this is Streamlit's index.html: an HTML file of exactly its size."""
    headers = Headers(raw=start["headers"])
    is_page = start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
    return is_page and headers.get("content-length") == str(len(streamlits_page().encode())) and "etag" in headers


@lru_cache(maxsize=128)
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, 9)
