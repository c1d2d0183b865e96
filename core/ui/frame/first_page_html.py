"""The page that Streamlit sends before any script has run, extended by the room's first text, with less to fetch.

Streamlit's own page is white until half a megabyte of scripts has loaded, 20 s on a slow phone. There are four changes:

- it contains the room's title and sentence, until the app has drawn them itself;
- a text font of 171 kB that the app doesn't use isn't fetched, the style sheet doesn't delay the first text, and the
  icon font contains only the icons in use (`icons`);
- scripts that every page needs are fetched in parallel, instead of one after the other as each imports the next;
- a browser without a language gets English; otherwise Streamlit's date field would show a RangeError.
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

from core.browser.script_bundler import WIDGETS_FOLDER, widget_files_with_imports
from core.data.localization.labels import module_labels
from core.data.localization.locales import LOCALE
from core.ui.server.assets import ROOT, asset_url

LABELS = module_labels(__name__)

# Maps a page's address to its title, one sentence in Markdown, and the widgets that it draws first.
PageText = Callable[[str], tuple[str, ...]]
_WIDGETS = ("keys", "choice")  # on every page
_SHEET = re.compile(r"/static/css/index\.[\w-]+\.css$")
_PARTS = ("Html", "BidiComponent", "PageLink", "Button", "ButtonGroup")  # Streamlit's, on every page
# Headers that would change the answer from Streamlit's plain file.
_CONDITIONS = (b"if-none-match", b"if-modified-since", b"accept-encoding", b"range")
_NO_SCRIPT = f"<noscript><p>{html.escape(LABELS['no_script'])}</p></noscript>"
# Streamlit's empty frame is set in Source Sans until the app's theme has loaded: any font of the device will do.
_DEVICE = ",".join(f'local("{name}")' for name in ("Roboto", "Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"))
_WAITS = html.escape(LABELS["loading"])


@cache
def streamlit_index_html() -> str:
    """Return Streamlit's own index.html."""
    import streamlit

    return (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


@cache
def _page_script() -> str:
    """Return the script that is inlined into the page."""
    return (ROOT / "assets" / "widgets" / "page" / "first_page.js").read_text(encoding="utf-8")


def inline_script_hash() -> str:
    """Return the hash of the inlined script, for the Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(_page_script().encode()).digest()).decode()}'"


@lru_cache(maxsize=128)
def _first_page(title: str, sentence: str, *widgets: str) -> bytes:
    """Return the page with this text in it.

    Args:
        sentence: Markdown; only its text is shown.
        widgets: the pictures at the start of the page, by their scripts' names.
    """
    page = re.sub(r'\s*<link\s+rel="preload"[^>]*SourceSans[^>]*>', "", streamlit_index_html())
    page = page.replace('<html lang="en"', f'<html lang="{LOCALE}"')
    page = re.sub(r"<noscript>.*?</noscript>", lambda _: _NO_SCRIPT, page, flags=re.DOTALL)
    sheets = re.findall(r'<link rel="stylesheet"[^>]*>', page)
    for one in sheets:
        page = page.replace(one, "")
    look = (ROOT / "assets" / "brand" / "first_page.css").read_text(encoding="utf-8")
    words = f'<p class="title">{_text(title)}</p><p>{_text(sentence)}</p><p class="waits">{_WAITS}</p>'
    early = [*_streamlits_parts(), *_scripts(*_WIDGETS, *widgets)]
    # With low priority, because the app's own requests must not wait for them.
    links = "".join(f'<link rel="modulepreload" fetchpriority="low" crossorigin href="{one}">' for one in early)
    page = page.replace("</head>", f"{links}<style>{look}</style><script>{_page_script()}</script></head>")
    page = page.replace(
        '<div id="root"></div>',
        f'<div id="gf-first" role="status">{words}</div><div id="root"></div>{"".join(sheets)}',
    )
    return page.encode()


@cache
def _style_sheet() -> bytes:
    """Return Streamlit's style sheet with other fonts, see the module's docstring."""
    import streamlit

    [path] = (Path(streamlit.__file__).parent / "static" / "static" / "css").glob("index.*.css")
    icons = f'url(../..{asset_url("fonts", "icons.woff2")})format("woff2")'

    def other_source(match: re.Match[str]) -> str:
        source = {"Source Sans": _DEVICE, "Material Symbols Rounded": icons}.get(match[1].strip('"'))
        return match[0] if source is None else re.sub(r"src:[^;}]*", f"src:{source}", match[0])

    return re.sub(r"@font-face\{font-family:([^;]*);[^}]*\}", other_source, path.read_text(encoding="utf-8")).encode()


def _below(address: str) -> str:
    """Make an address relative, as the page's own scripts write theirs, so that the app may live below any path."""
    return f".{address}"


def _scripts(*widgets: str) -> list[str]:
    """Return the addresses of these widgets and of everything that they import, as written in the imports."""
    entries = [_below(asset_url("widgets", f"{name}.js")) for name in widgets]
    files = [path for path in widget_files_with_imports((*widgets, "base")) if path.stem not in widgets]
    return [*entries, *(f"./widgets/{path.relative_to(WIDGETS_FOLDER).as_posix()}" for path in files)]


@cache
def _streamlits_parts() -> list[str]:
    """Return the addresses of Streamlit's scripts that every page needs but that load late, through import chains."""
    import streamlit

    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    waiting = [path for name in _PARTS for path in folder.glob(f"{name}.*.js")]
    found: list[Path] = []
    while waiting:
        path = waiting.pop(0)
        if path not in found and path.name not in streamlit_index_html():
            found.append(path)
            text = path.read_text(encoding="utf-8")
            waiting += [folder / name for name in re.findall(r'(?:from|import)"\./([\w.-]+\.js)"', text)]
    return [f"./static/js/{path.name}" for path in found]


def _text(markdown: str) -> str:
    """Convert a line of Markdown to HTML text without markup."""
    return html.escape(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown).replace("**", "").replace("`", ""))


class FirstPageMiddleware:
    """ASGI middleware that replaces Streamlit's own page by ours, compressed."""

    def __init__(self, app: ASGIApp, words: PageText) -> None:
        self.app, self.words = app, words

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"} or not _is_ours(scope["path"]):
            await self.app(scope, receive, send)
            return
        if _SHEET.search(scope["path"]):
            # Its address stays the same when our icons change, so the browser must revalidate it.
            headers = {"content-type": "text/css; charset=utf-8", "cache-control": "no-cache"}
            await _send(scope, Headers(scope=scope), _style_sheet(), MutableHeaders(headers), send)
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
                # In a thread, because the rooms may not be imported yet.
                body = await asyncio.to_thread(lambda: _first_page(*self.words(scope["path"].rpartition("/")[2])))
                headers = MutableHeaders(raw=list(start["headers"]))
                for old in ("last-modified", "content-encoding", "content-length"):
                    del headers[old]
                await _send(scope, asked, body, headers, send)

        await self.app(scope, receive, send_ours)


async def _send(scope: Scope, asked: Headers, body: bytes, headers: MutableHeaders, send: Send) -> None:
    """Send the answer, compressed if the browser accepts that, or "not modified" if the browser has this version."""
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
    """Return whether the path may be a page (not a file, not one of Streamlit's own paths) or is the style sheet."""
    return bool(_SHEET.search(path)) or ("." not in path.rpartition("/")[2] and not path.startswith("/_stcore"))


def _is_streamlits(start: Message) -> bool:
    """Return whether this is Streamlit's index.html: an HTML file of exactly its size."""
    headers = Headers(raw=start["headers"])
    is_page = start["status"] == 200 and headers.get("content-type", "").startswith("text/html")
    return is_page and headers.get("content-length") == str(len(streamlit_index_html().encode())) and "etag" in headers


@lru_cache(maxsize=128)
def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, 9)
