"""The web server around the script: warm-up, the supervisor of training runs, our own routes, the gate.

`streamlit run app.py` finds the `st.App` in app.py and builds it with the options given here.
"""

import asyncio
import gc
import importlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

from core.browser import weights
from core.data import corpora
from core.data.localization.labels import module_labels
from core.train.malloc_settings import return_freed_memory
from core.ui.frame import browser_faults, errors
from core.ui.frame.first_page_html import FirstPageMiddleware, PageText
from core.ui.server import assets, model_uploads, short_links
from core.ui.server.load_balanced_server import check_proxies, n_server_process
from core.ui.server.response_cache import ResponseCacheMiddleware
from core.ui.server.security_middleware import LOCAL_HOSTS, SecurityMiddleware, host_and_frame_rules
from core.ui.server.upload_quota import UploadQuota
from core.ui.server.warm_up import RequestObserver, WarmUp
from core.ui.training.run_storage import is_training_off

LABELS = module_labels(__name__)

_LOG = logging.getLogger("glassformer")
TIDY_SECONDS = 60.0  # the interval at which freed memory is returned to the system


def streamlit_app_kwargs(
    further: Sequence[BaseRoute] = (), tidy: Callable[[], None] = lambda: None, words: PageText = lambda _: ("", "")
) -> dict[str, Any]:
    """Return the keyword arguments of `st.App` that make this server.

    Args:
        further: routes of higher layers.
        tidy: regular cleanup of higher layers, run in a thread of its own.
        words: title and sentence of a page, shown until the app has loaded.
    """
    _log_to_console()
    check_proxies()
    # Streamlit's first router claims a folder named `pages`: on a fresh server it would serve the first visitor until
    # `st.navigation` has run once, and answer a link into the app with "Page not found".
    PagesManager.uses_pages_directory = False
    warm = WarmUp()
    address = config.get_option("server.address")
    if address not in LOCAL_HOSTS:
        _LOG.warning(
            "This server listens to other machines, and nothing bounds their headers and connections. Make sure that "
            "only a proxy of yours reaches it, or start it with `python -m core.ui.server --address 0.0.0.0`"
        )
    rules = host_and_frame_rules(address, config.get_option("server.allowedHosts"))
    # Streamlit checks the WebSocket's host against its own list; both must agree.
    config.set_option("server.allowedHosts", list(rules.hosts))
    return {
        "lifespan": _lifespan(
            warm, (model_uploads.tidy_uploads, short_links.tidy_short_links, corpora.delete_unused_texts, tidy)
        ),
        "routes": [
            Route("/api/ready", _ready_answer(warm)),
            Route("/widgets/{file:path}", _asset_answer("widgets")),
            Route("/fonts/{file}", _asset_answer("fonts")),
            Route("/weights/{name}", _weights_answer),
            Route("/s/{name}", _short_link_answer),
            *model_uploads.upload_routes(),
            *browser_faults.fault_routes(),
            *further,
        ],
        "middleware": [
            Middleware(RequestObserver, warm=warm),
            Middleware(SecurityMiddleware, rules=rules),
            Middleware(ResponseCacheMiddleware),
            Middleware(FirstPageMiddleware, words=words),
            Middleware(UploadQuota),
        ],
        "on_script_error": errors.on_script_error,
    }


def _lifespan(
    warm: WarmUp, tidy: Sequence[Callable[[], None]]
) -> Callable[[Any], AbstractAsyncContextManager[dict[str, object]]]:
    @asynccontextmanager
    async def run(_app: object) -> AsyncIterator[dict[str, object]]:
        threading.Thread(target=warm.run, name="warm-up", daemon=True).start()
        supervisor = await asyncio.to_thread(_start_supervisor)
        tidying = asyncio.create_task(_tidy(tidy))
        try:
            yield {"warm_up": warm}
        finally:
            tidying.cancel()
            if supervisor is not None:
                await asyncio.to_thread(supervisor.stop)

    return run


async def _tidy(tidy: Sequence[Callable[[], None]]) -> None:
    while True:
        for one in tidy:
            try:
                await asyncio.to_thread(one)
            except Exception:
                _LOG.exception("Tidying up failed; it is tried again")
        await asyncio.sleep(TIDY_SECONDS)
        await asyncio.to_thread(return_freed_memory)


def _start_supervisor() -> Any:
    """Start the process that trains; without it, everything else in the app still works.

    `GLASSFORMER_TRAINING=off` skips it, for a server without training. One of several processes has a shared supervisor
    already, which outlives it.
    """
    if is_training_off() or n_server_process() is not None:
        return None
    try:
        return importlib.import_module("core.jobs.supervisor").start_supervisor()
    except Exception:
        _LOG.exception("The supervisor of training runs did not start; training is not available")
        return None


def _ready_answer(warm: WarmUp) -> Callable[[Request], Response]:
    def answer(_request: Request) -> Response:
        body = {
            "ready": warm.ready,
            "warm": warm.warm,
            "seconds": warm.seconds,
            "frozen": gc.get_freeze_count(),
            "failed": warm.failed,
        }
        return JSONResponse(body, status_code=200 if warm.ready else 503, headers={"cache-control": "no-store"})

    return answer


def _asset_answer(kind: assets.AssetKind) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        path = assets.find_asset(kind, request.path_params["file"])
        if path is None:
            return PlainTextResponse(f"{LABELS['no_file']}\n", status_code=404)
        tag = f'"{assets.asset_version(path)}"'
        # Only an address with the right version may be cached: the plain one must show a new release immediately.
        is_versioned = request.query_params.get("v") == tag.strip('"')
        lifetime = "public, max-age=31536000, immutable" if is_versioned or kind == "fonts" else "no-cache"
        headers = {"cache-control": lifetime, "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return FileResponse(path, media_type=assets.MEDIA_TYPES[path.suffix], headers=headers)

    return answer


def _weights_answer(request: Request) -> Response:
    """Send weights to the browser, as `private`: they may be one learner's, and are too large for our file cache."""
    path = weights.find_weights(request.path_params["name"])
    if path is None:
        return PlainTextResponse(f"{LABELS['no_weights']}\n", status_code=404)
    return FileResponse(
        path,
        media_type="application/octet-stream",
        # With it, the page can show the progress of the download, however it is sent.
        headers={"cache-control": "private, max-age=31536000, immutable", "x-bytes": str(path.stat().st_size)},
    )


def _short_link_answer(request: Request) -> Response:
    page = short_links.find_short_link(request.path_params["name"])
    if page is None:
        return PlainTextResponse(f"{LABELS['no_link']}\n", status_code=404)
    return RedirectResponse(f"../{page}")  # correct even if the app lives below a path


def _log_to_console() -> None:
    """Print our log with time stamps on the console, unless the operator has configured logging."""
    if not _LOG.handlers and not logging.getLogger().handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        _LOG.addHandler(handler)
        _LOG.propagate = False
