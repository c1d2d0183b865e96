"""The routes of a class: three small pages, the WebSocket that updates them, and the code as a picture.

    /join        for a learner: a name, then the app in a frame, with the class's questions on top of it
    /desk        the teacher's second screen; it moves its key from the address to the tab's own storage
    /projector   for all to see: the app in a frame, which leads the class

They aren't Streamlit pages, so that sixty phones can open at once and get each change without running a script.
"""

import gzip
import html
import io
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path

import segno
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from core.classroom import registry
from core.classroom.class_admission import ConnectingBrowser
from core.classroom.codes import RateLimit, is_key, read_code
from core.classroom.screens import ClassScreenServer
from core.classroom.state import ClassRefused
from core.classroom.store import Classroom
from core.data.localization.labels import module_labels
from core.data.localization.locales import LOCALE
from core.ui.server.assets import asset_url
from core.ui.server.identity.anonymous_owner import request_owner
from core.ui.server.identity.client_ip import client_address, ip_address_digest, is_tls
from core.ui.server.security_middleware import LOCAL_HOSTS, allowed_hosts, bare_host_name

LABELS = module_labels(__name__)

_BRAND = Path(__file__).resolve().parents[2] / "assets" / "brand"
_CODE = "/classroom/code.svg"
MOST_BOARD = 4_000_000  # bytes of the projector's page
MOST_ADDRESS = 2_000
STARTS, START_PAUSE = 50, 1.0  # classes started from one address at once, and seconds between further ones
MOST_KEPT = 20  # projector pages cached in memory, compressed as they are sent
_TITLES = {"join": LABELS["title.join"], "desk": LABELS["title.desk"], "projector": "Glassformer"}


def class_routes() -> list[Route | WebSocketRoute]:
    """Return the routes of classes, for the server."""
    screens = ClassScreenServer()

    async def line(socket: WebSocket) -> None:
        await screens.serve(socket, _visitor(socket))

    return [
        *(Route(f"/{name}", _page) for name in _TITLES),
        Route("/classroom/start", _start_answer(RateLimit(STARTS, START_PAUSE)), methods=["POST"]),
        Route(_CODE, _code),
        Route("/classroom/board", _keep_board(screens), methods=["POST"]),
        Route("/classroom/board", _board(screens)),
        WebSocketRoute("/classroom/line", line),
    ]


def _page(request: Request) -> Response:
    name = request.url.path.rpartition("/")[2]
    style = "".join((_BRAND / f"{one}.css").read_text(encoding="utf-8") for one in ("tokens", "classroom"))
    script = asset_url("widgets", f"{name}.js").removeprefix("/")
    way = html.escape(_reached(request, f"/{name}"))
    texts = {"title": html.escape(_TITLES[name]), "no_script": LABELS["no_script"], "name": name, "locale": LOCALE}
    body = _PAGE.format(**texts, style=style, script=script, way=way)
    return HTMLResponse(body, headers={"cache-control": "no-store"})


_PAGE = """<!doctype html>
<html lang="{locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<body class="{name}" data-way="{way}">
<noscript>{no_script}</noscript>
<script type="module" src="{script}"></script>
"""


def _start_answer(pace: RateLimit) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        """Start a class. Pages of other sites can't, because the gate checks where a request comes from."""
        visitor = _visitor(request)
        if not pace.may(visitor.address):
            return JSONResponse({"refused": LABELS["many_classes"]}, status_code=429)
        pace.count(visitor.address)
        try:
            code, key = registry.start_class(visitor.owner or "", visitor.mark)
        except ClassRefused as refused:
            return JSONResponse({"refused": str(refused)}, status_code=409)
        return JSONResponse({"code": code, "key": key}, headers={"cache-control": "no-store"})

    return answer


def _code(request: Request) -> Response:
    """Return the address of a class as a QR code, with the host name under which phones reach this server."""
    code = read_code(request.query_params.get("of", ""))
    if code is None:
        return PlainTextResponse(LABELS["no_code"] + "\n", status_code=404)
    picture = io.BytesIO()
    segno.make(f"{_reached(request, _CODE)}/join#{code}", micro=False).save(
        picture, kind="svg", border=2, omitsize=True
    )
    return Response(picture.getvalue(), media_type="image/svg+xml", headers={"cache-control": "no-store"})


def _keep_board(screens: ClassScreenServer) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        """Store the projector's page, sent by the projector; learners see it in a frame without scripts."""
        key, address = request.headers.get("x-key", ""), request.query_params.get("at", "")[:MOST_ADDRESS]
        room = registry.find_class(request.query_params.get("of", "")) if is_key(key) else None
        if room is None or not await run_in_threadpool(_is_projector, room, key):
            await screens.entrance.turn_away(_visitor(request))
            return PlainTextResponse(LABELS["no_class"] + "\n", status_code=404)
        page = bytearray()
        async for part in request.stream():
            page += part
            if len(page) > MOST_BOARD:
                return PlainTextResponse(LABELS["page_too_large"] + "\n", status_code=413)
        try:
            with closing(room):
                await run_in_threadpool(room.put_board, address, gzip.compress(bytes(page), 5))
        except ClassRefused as refused:
            return PlainTextResponse(f"{refused}\n", status_code=404)
        return PlainTextResponse("")

    return answer


def _board(screens: ClassScreenServer) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        """Return the projector's page to a browser that has its key."""
        code, key = read_code(request.query_params.get("of", "")) or "", request.query_params.get("key", "")
        visitor = _visitor(request)
        # Keys that were sent to learners always work; others are looked up at the rate limit of codes.
        may_look = is_key(key) and (screens.is_board(code, key) or screens.entrance.lookups.may(visitor.address))
        page = await run_in_threadpool(_kept, code, key) if may_look and registry.find_class(code) is not None else None
        if page is None:
            screens.entrance.lookups.count(visitor.address)
            await screens.entrance.turn_away(visitor)
            return PlainTextResponse(LABELS["no_page"] + "\n", status_code=404)
        # As plain text, because only a class's page, which shows it in a frame without scripts, may treat it as HTML.
        headers = {"content-encoding": "gzip", "cache-control": "no-store"}
        return Response(page, media_type="text/plain; charset=utf-8", headers=headers)

    return answer


@lru_cache(maxsize=MOST_KEPT)
def _kept(code: str, key: str) -> bytes | None:
    """Return a projector's page, cached because sixty browsers request it at once."""
    with suppress(ClassRefused), closing(Classroom(code)) as room:
        return room.board(key)
    return None


def _is_projector(room: Classroom, key: str) -> bool:
    try:
        return room.opens("projector", key)
    except ClassRefused:
        return False


def _reached(request: Request, place: str) -> str:
    """Return the app's address as others reach it; a local host name is replaced by a public one if there is one.

    Args:
        place: the path of this request below the app's address.
    """
    host, base = request.headers["host"], request.url.path.removesuffix(place)
    if bare_host_name(host) in LOCAL_HOSTS:
        others = [one for one in allowed_hosts(None, None) if one not in LOCAL_HOSTS and "*" not in one]
        host = host.replace(host.partition(":")[0], others[0]) if others else host
    return f"{'https' if is_tls(request) else 'http'}://{host}{base}"


def _visitor(asked: HTTPConnection) -> ConnectingBrowser:
    address = client_address(asked)
    return ConnectingBrowser(request_owner(asked), address, ip_address_digest(address))
