"""Uploads of a model's files, each written from the network to the disk block by block, never whole in memory.

    POST   /upload          [["config.json", 512], …]: which of these would be accepted, and why not the others
    PUT    /upload/<name>   the file itself, into the draft of the cookie's owner
    DELETE /upload/<name>   one of the draft's files

Streamlit's own field keeps a file in memory twice until the page is closed. Pages of other sites cannot use these
routes: the gate checks a request's origin, the cookie is SameSite, and forms don't send `X-Upload`.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive

from core.data.files import data_dir
from core.data.localization.labels import module_labels
from core.ui.models.model_file_checks import OpeningRefused, recognize_model_file
from core.ui.models.upload_drafts import UploadDrafts, UploadFileWriter
from core.ui.models.upload_limits import upload_limits
from core.ui.models.user_models import OpenedModels
from core.ui.server.identity.anonymous_owner import request_owner
from core.ui.server.identity.client_ip import client_address, ip_address_digest
from core.ui.server.identity.visitor import is_own_machine

LABELS = module_labels(__name__)

BLOCK = 1 << 18  # bytes in memory for each upload
BLOCK_SECONDS = 30.0  # for each block: 9 kB/s is fast enough, a stalled connection is dropped
MOST_AT_ONCE = 40  # uploads per process
MOST_OF_ADDRESS = 10  # uploads per address
MOST_ASKED, MOST_QUESTION = 2_000, 400_000  # files in one question, and bytes of the question


def upload_routes() -> list[Route]:
    """Return the server's routes for uploads."""
    now: Counter[str] = Counter()  # by address

    async def put(request: Request, owner: str) -> Response:
        address = client_address(request)
        if now.total() >= MOST_AT_ONCE:
            return _refuse(LABELS["server_busy"], 503)
        if now[address] >= MOST_OF_ADDRESS:
            return _refuse(LABELS["network_busy"], 503)
        now[address] += 1
        try:
            return await _put(request, owner)
        finally:
            now[address] -= 1
            if not now[address]:
                del now[address]

    return [
        Route("/upload", _for_owner(_ask), methods=["POST"]),
        Route("/upload/{name:path}", _for_owner(put), methods=["PUT"]),
        Route("/upload/{name:path}", _for_owner(_delete), methods=["DELETE"]),
    ]


def tidy_uploads() -> None:
    """Delete unfinished uploads. Called at the start and regularly."""
    opened = OpenedModels(data_dir() / "opened")
    UploadDrafts(opened, opened.limits).tidy()
    opened.tidy()


def _drafts(request: Request) -> UploadDrafts:
    is_own = is_own_machine(request.headers)
    mark = "" if is_own else ip_address_digest(client_address(request))
    return UploadDrafts(OpenedModels(data_dir() / "opened", upload_limits(is_own), mark), upload_limits(is_own))


def _for_owner(answer: Callable[[Request, str], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Guard a route that only this app's pages may use, and pass it the owner of the request's cookie."""

    async def guarded(request: Request) -> Response:
        asked_from = request.headers.get("sec-fetch-site", "same-origin")
        if "x-upload" not in request.headers or asked_from != "same-origin":
            return _refuse(LABELS["own_page_only"], 403)
        if (owner := request_owner(request)) is None:
            return _refuse(LABELS["no_cookies"], 403)
        try:
            return await answer(request, owner)
        except OpeningRefused as refused:
            return _refuse(str(refused), 413)
        except OSError:
            return _refuse(LABELS["write_error"], 507)

    return guarded


async def _put(request: Request, owner: str) -> Response:
    declared = request.headers.get("content-length", "")
    if not (declared.isascii() and declared.isdigit() and len(declared) < 16):
        return _refuse(LABELS["no_length"], 411)
    drafts = _drafts(request)
    coming = await run_in_threadpool(drafts.begin, owner, request.path_params["name"], int(declared))
    try:
        if not await _take(request.receive, coming):
            return _refuse(LABELS["line_cut"], 400)  # the client is gone
        await run_in_threadpool(coming.keep)
    except TimeoutError:
        return _refuse(LABELS("stalled", seconds=BLOCK_SECONDS), 408)
    finally:
        await asyncio.shield(asyncio.to_thread(coming.drop))
    return JSONResponse({"name": coming.name, "n_byte": coming.n_byte}, status_code=201)


async def _take(receive: Receive, coming: UploadFileWriter) -> bool:
    """Write the body and return whether it was complete. Raises TimeoutError, and the errors of `coming`."""
    is_more = True
    while is_more:
        block = bytearray()
        async with asyncio.timeout(BLOCK_SECONDS):
            while is_more and len(block) < BLOCK:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return False
                block += message.get("body", b"")
                is_more = message.get("more_body", False)
        await run_in_threadpool(coming.write, block)
    return True


async def _ask(request: Request, owner: str) -> Response:
    """Answer which files would be accepted, because a browser sees a refusal only after it has sent everything."""
    question = bytearray()
    async for part in request.stream():
        question += part
        if len(question) > MOST_QUESTION:
            return _refuse(LABELS["too_many_files"], 413)
    files = _read_question(bytes(question))
    if files is None:
        return _refuse(LABELS["not_a_list"], 400)
    drafts = _drafts(request)
    return JSONResponse(await run_in_threadpool(_answers, drafts, owner, files))


def _read_question(raw: bytes) -> list[tuple[str, int]] | None:
    try:
        files = json.loads(raw)
        found = [(name, n_byte) for name, n_byte in files if isinstance(name, str) and type(n_byte) is int]
    except (ValueError, TypeError, RecursionError):
        return None
    is_fine = len(found) == len(files) <= MOST_ASKED and all(0 <= n_byte < 10**15 for _, n_byte in found)
    return found if is_fine else None


def _answers(drafts: UploadDrafts, owner: str, files: list[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return for each file its name (null if no model needs it) and the reason if it isn't accepted."""
    answers: list[dict[str, Any]] = [{"name": recognize_model_file(given), "refused": ""} for given, _ in files]
    taken: dict[str, int] = {}
    # A file that already has the right name takes precedence over one that would be renamed to it.
    order = sorted(range(len(files)), key=lambda i: answers[i]["name"] != files[i][0])
    for i in order:
        (given, n_byte), name = files[i], answers[i]["name"]
        if name is None:
            continue
        try:
            if name in taken:
                raise OpeningRefused(LABELS("twice", name=name))
            drafts.check(owner, given, n_byte, sum(taken.values()))
            taken[name] = n_byte
        except OpeningRefused as refused:
            answers[i]["refused"] = str(refused)
    try:
        drafts.opened.check_address(sum(taken.values()))
    except OpeningRefused as refused:
        for one in answers:
            one["refused"] = one["refused"] or str(refused)
    return answers


async def _delete(request: Request, owner: str) -> Response:
    drafts = _drafts(request)
    await run_in_threadpool(drafts.remove, owner, request.path_params["name"])
    return Response(status_code=204)


def _refuse(words: str, status: int) -> Response:
    # The rest of the body is not awaited.
    return PlainTextResponse(f"{words}\n", status_code=status, headers={"connection": "close"})
