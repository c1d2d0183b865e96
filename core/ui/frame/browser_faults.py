"""Faults in a visitor's browser: a drawing that fails is written to the log, under the id that the page shows.

    POST /fault   {"id": "1a2b3c4d", "kind": "threw", "exhibit": "one-head", "widget": "matrix", "error": "TypeError",
                   "at": ["widgets/shared/matrix.js:12:3"]}

Anyone can send anything, so only names and places that match a pattern are logged: neither people's text nor a line
break gets into the log. Pages of other sites cannot send reports, because the gate checks a request's origin and forms
don't send `X-Fault`.
"""

import json
import logging
import re
import time
from collections import deque
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

_LOG = logging.getLogger("glassformer")
MOST_BYTES = 2_000  # of one report
MOST_LOGGED, SECONDS = 30, 60.0  # per process; one fault in a class of sixty suffices
MOST_PLACES = 5
_PATTERNS = {
    "id": re.compile(r"[0-9a-f]{8}"),
    "kind": re.compile(r"threw|empty|hidden|script"),
    "exhibit": re.compile(r"[a-z0-9.-]{0,80}"),
    "widget": re.compile(r"[\w.-]{0,80}", re.ASCII),
    "error": re.compile(r"[A-Za-z]{0,40}"),
}
_PLACE = re.compile(r"widgets/[\w/]{1,80}\.js:\d{1,6}:\d{1,6}", re.ASCII)


def fault_routes(now: Callable[[], float] = time.monotonic) -> list[Route]:
    """Return the server's routes for fault reports.

    Args:
        now: a clock in seconds, with any origin.
    """
    logged: deque[float] = deque(maxlen=MOST_LOGGED)

    async def take(request: Request) -> Response:
        if "x-fault" not in request.headers or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return PlainTextResponse("Faults are taken from this app's own pages only.\n", status_code=403)
        body = await _body(request)
        if body is None:
            return PlainTextResponse("That is too long.\n", status_code=413)
        told = _to_log_line(body)
        if told is None:
            return PlainTextResponse("That isn't a fault report.\n", status_code=400)
        if len(logged) == MOST_LOGGED and now() - logged[0] < SECONDS:
            return PlainTextResponse("Too many faults at once: this one isn't logged.\n", status_code=429)
        logged.append(now())
        _LOG.error("%s", told)
        return Response(status_code=204)

    return [Route("/fault", take, methods=["POST"])]


async def _body(request: Request) -> bytes | None:
    """Return the body of a request, or None as soon as it is too long."""
    body = bytearray()
    async for block in request.stream():
        body += block
        if len(body) > MOST_BYTES:
            return None
    return bytes(body)


def _to_log_line(body: bytes) -> str | None:
    """Format a report as one line of the log; None if it isn't a valid report."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    parts = {name: told.get(name, "") for name in _PATTERNS}
    if not all(isinstance(parts[name], str) and pattern.fullmatch(parts[name]) for name, pattern in _PATTERNS.items()):
        return None
    at = told.get("at")
    named = at[:MOST_PLACES] if isinstance(at, list) else []
    places = [one for one in named if isinstance(one, str) and _PLACE.fullmatch(one)]
    about = [f"{name} {parts[name]}" for name in ("exhibit", "widget") if parts[name]]
    what = ", ".join([parts["kind"], *about])
    return f"Fault {parts['id']} in a browser: {what}{_of(parts['error'], places)}"


def _of(error: str, places: list[str]) -> str:
    return "".join((f"; {error}" if error else "", f" at {', '.join(places)}" if places else ""))
