"""Imports and computations made in advance, while nobody is served, so that the first visitor need not wait."""

import gc
import importlib
import logging
import os
import pkgutil
import threading
import time
from dataclasses import dataclass, field
from types import ModuleType

from starlette.types import ASGIApp, Receive, Scope, Send

from core.train.malloc_settings import keep_freed_memory, return_freed_memory
from core.ui.server.load_balanced_server import SLOW_IMPORTS

_LOG = logging.getLogger("glassformer")
# New objects until the garbage collector runs. With Python's 700, sixty sessions made it traverse all objects every few
# seconds, for up to 50 ms, and reruns had to wait.
GC_THRESHOLD = 10_000
QUIET_SECONDS = 0.5  # after this time without a request and without a run, nobody waits
MOST_WAITING_SECONDS = 10.0  # the warm-up gives way to visitors, but not longer than this
_PICTURES = ("core.lessons.glossary_pictures",)  # of a page without exhibits
PROBES = ("/api/ready", "/_stcore/health")


@dataclass
class WarmUp:
    """The state of a server's warm-up, one for each server, written by one thread."""

    ready: bool = False  # everything that pages need is imported and exempt from garbage collection
    warm: bool = False  # slow computations that are shown first have been made, too
    seconds: float | None = None  # of the imports
    failed: list[str] = field(default_factory=list)  # modules that failed to import; their pages show it
    last_request: float = field(default_factory=time.monotonic)  # the time of the last visitor's request, monotonic
    _patient_until: float = field(default_factory=lambda: time.monotonic() + MOST_WAITING_SECONDS)

    def run(self) -> None:
        """Import the exhibits and their dependencies, freeze the resulting objects, then let the exhibits compute.

        Streamlit's full garbage collection traverses every imported object and holds the interpreter lock for over
        100 ms with torch loaded; `gc.freeze` exempts those objects. It is called once, as early as possible, because a
        later call would pin the garbage of sessions.
        """
        start = time.perf_counter()
        keep_freed_memory()
        imported = [self._import(name) for name in (*SLOW_IMPORTS, *_exhibit_modules())]
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD, *gc.get_threshold()[1:])
        self.seconds = round(time.perf_counter() - start, 3)
        self.ready = True
        if os.environ.get("GLASSFORMER_WARM_UP", "on") != "off":
            for module in filter(None, imported):
                self._compute(module)
        return_freed_memory()
        self.warm = True

    def _stand_back(self) -> None:
        """Wait while visitors are served, because an import blocks the interpreter and visitors come first."""
        while time.monotonic() < self._patient_until and (
            time.monotonic() < self.last_request + QUIET_SECONDS
            or any(one.name.startswith("ScriptRunner") for one in threading.enumerate())
        ):
            time.sleep(0.02)

    def _import(self, name: str) -> ModuleType | None:
        self._stand_back()
        try:
            module = importlib.import_module(name)
        except Exception:
            _LOG.exception("Import of %s failed", name)
            self.failed.append(name)
            return None
        if name == "torch":
            module.set_num_threads(1)  # several threads per session would compete for the same cores
        return module

    def _compute(self, module: ModuleType) -> None:
        try:
            if hasattr(module, "warm_up"):
                module.warm_up()
            elif hasattr(module, "WARM_UP") and hasattr(module, "compute"):  # a recipe's WARM_UP is a number of steps
                from core.ui.exhibit.exhibit import compute_cached

                compute_cached(module.compute, module.Inputs())
        except Exception:
            _LOG.exception("Warm-up of %s failed", module.__name__)
            self.failed.append(module.__name__)


class RequestObserver:
    """ASGI middleware that records visitors' requests for the warm-up."""

    def __init__(self, app: ASGIApp, warm: WarmUp) -> None:
        self.app, self.warm = app, warm

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") not in PROBES:
            self.warm.last_request = time.monotonic()
        await self.app(scope, receive, send)


def _exhibit_modules() -> list[str]:
    package = importlib.import_module("core.rooms")
    installed = [one.module for room in package.rooms() if room.is_installed for one in room.exhibits]
    shipped = (info.name for info in pkgutil.walk_packages(package.__path__, "core.rooms."))
    return [*shipped, *installed, *_PICTURES]
