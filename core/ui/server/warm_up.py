"""Imports and computations made ahead, while nobody else is served, so that the first visitor need not wait."""

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

from core.nn.memory import give_back, keep_freed_memory
from core.ui.server.processes import SLOW_IMPORTS

_LOG = logging.getLogger("glassformer")
# So many new objects before the collector looks at them. With Python's 700, sixty sessions made it walk through every
# object each few seconds, for up to 50 ms, and the reruns waited.
GC_THRESHOLD = 10_000
QUIET_SECONDS = 0.5  # without a request and without a run for so long, nobody waits
MOST_WAITING_SECONDS = 10.0  # the warm-up stands back for visitors, but not for ever
PROBES = ("/api/ready", "/_stcore/health")


@dataclass
class WarmUp:
    """The warm-up of a server: one for each server, written by one thread."""

    ready: bool = False  # everything that pages need is imported, and out of the collector's sight
    warm: bool = False  # what is slow to compute and shown first has been computed, too
    seconds: float | None = None  # of the imports
    failed: list[str] = field(default_factory=list)  # modules that failed; their pages say so
    asked: float = field(default_factory=time.monotonic)  # a visitor's last request, monotonic
    _patient_until: float = field(default_factory=lambda: time.monotonic() + MOST_WAITING_SECONDS)

    def run(self) -> None:
        """Import the exhibits and what they need, freeze what that made, then let the exhibits compute.

        Streamlit's full garbage collection walks every imported object and holds the interpreter lock over 100 ms
        with torch loaded; `gc.freeze` takes those objects out of its sight. Once only, and as early as can be:
        a later call would pin the garbage of sessions.
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
        give_back()
        self.warm = True

    def _stand_back(self) -> None:
        """Wait while visitors are served: an import keeps the interpreter to itself, and theirs comes first."""
        while time.monotonic() < self._patient_until and (
            time.monotonic() < self.asked + QUIET_SECONDS
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
            module.set_num_threads(1)  # several threads per session fight for the same cores
        return module

    def _compute(self, module: ModuleType) -> None:
        try:
            if hasattr(module, "warm_up"):
                module.warm_up()
            elif hasattr(module, "WARM_UP") and hasattr(module, "compute"):  # a recipe's WARM_UP is steps
                from core.ui.exhibit.exhibit import computed

                computed(module.compute, module.Inputs())
        except Exception:
            _LOG.exception("Warm-up of %s failed", module.__name__)
            self.failed.append(module.__name__)


class NoteRequests:
    """ASGI middleware: the warm-up hears of each request of a visitor."""

    def __init__(self, app: ASGIApp, warm: WarmUp) -> None:
        self.app, self.warm = app, warm

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") not in PROBES:
            self.warm.asked = time.monotonic()
        await self.app(scope, receive, send)


def _exhibit_modules() -> list[str]:
    package = importlib.import_module("core.rooms")
    return [info.name for info in pkgutil.walk_packages(package.__path__, "core.rooms.")]
