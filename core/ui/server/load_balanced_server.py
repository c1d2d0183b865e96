"""Several server processes behind one proxy, with one data folder, because the interpreter's lock binds each to a core.

HAProxy (haproxy.cfg next to this file) assigns each browser to one process by a cookie. Runs, texts and opened models
are in the data folder, so all processes share them, and one supervisor, started here, trains for all. A process that
dies is restarted; meanwhile its visitors' browsers connect to a different one, and the addresses restore their views.

The processes are forked from one that has made the large imports (`core.ui.server.preload`), so they share its memory,
and a new one is ready within a second or two. Without a safe fork (macOS), each makes its own imports.
"""

import ctypes
import http.client
import json
import logging
import multiprocessing
import os
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from core.data.localization.labels import module_labels
from core.jobs.supervisor_launcher import start_supervisor
from core.ui.models.upload_limits import upload_limits

LABELS = module_labels(__name__)

_LOG = logging.getLogger("glassformer.processes")
_ROOT = Path(__file__).resolve().parents[3]
_SHARED = "GLASSFORMER_PROCESSES"
_BELIEVED = "FORWARDED_ALLOW_IPS"  # uvicorn's variable: the peers whose address headers it trusts
_PDEATHSIG = 1  # from Linux's prctl.h
SLOW_IMPORTS = ("torch", "pandas", "plotly.graph_objects", "sklearn.manifold")
_POLL_SECONDS = 0.2
ANSWER_SECONDS = 2.0
END_SECONDS = 15.0
MOST_OPEN = 600  # connections of one address: sixty browsers with up to eight each; above that they get a message
MOST_NEW = 1_200  # connections of one address in ten seconds
MOST_BYTES = 11_000_000  # of one request: an upload of 10 MB with its envelope; a model's file may be larger


def n_server_process() -> int | None:
    """Return the number of processes that share this data folder and its supervisor; None for a single server."""
    told = os.environ.get(_SHARED, "")
    return int(told) if told.isdecimal() and int(told) > 0 else None


def n_trusted_proxy() -> int | None:
    """Return `GLASSFORMER_PROXIES`, the number of trusted proxies in front of this server; None if it isn't set.

    Raises:
        ValueError: if it isn't a number from 0 to 9.
    """
    told = os.environ.get("GLASSFORMER_PROXIES", "").strip()
    if told and not (told.isascii() and told.isdecimal() and len(told) == 1):
        raise ValueError(
            f"GLASSFORMER_PROXIES is {told[:40]!r}, and it must be a number from 0 to 9: how many proxies of yours "
            "pass requests on to this server. Leave it out, or set it to 0, if there are none."
        )
    return int(told) if told else None


def check_proxies() -> None:
    """Check the proxy settings at the start of a server.

    Raises:
        ValueError: if they can't be read, or would let visitors choose the address that limits count.
    """
    if not n_trusted_proxy() and os.environ.get(_BELIEVED, "") not in {"", "127.0.0.1"}:
        raise ValueError(
            f"{_BELIEVED} is set, so visitors could choose the address that they are counted by. Unset it, and set "
            "GLASSFORMER_PROXIES to the number of your proxies."
        )


def _haproxy_configuration(address: str, port: int, ports: Sequence[int]) -> str:
    """Return HAProxy's configuration.

    Args:
        address, port: the public ones.
        ports: those of the server processes, on 127.0.0.1.
    """
    template = Path(__file__).with_name("haproxy.cfg").read_text(encoding="utf-8")
    servers = "\n".join(f"    server p{n} 127.0.0.1:{one} cookie p{n}" for n, one in enumerate(ports, 1))
    return template.format(
        bind=f"{address}:{port}",
        # The teacher's proxy sets these headers, and all requests come from its address.
        first_proxy="" if n_trusted_proxy() else _first_proxy(),
        most_bytes=MOST_BYTES,
        most_file=upload_limits(is_own_machine=False).file,
        servers=servers,
    )


def _first_proxy() -> str:
    """Return the rules for HAProxy as the first proxy: count addresses, delete a request's claims about its origin."""
    message = json.dumps(LABELS["too_many_requests"], ensure_ascii=False).replace("$", "\\$")
    return f"""\
    stick-table type ipv6 size 100k expire 1m store conn_cur,conn_rate(10s)
    tcp-request connection track-sc0 src,ipmask(32,64)
    tcp-request connection reject if {{ sc0_conn_cur gt {MOST_OPEN + MOST_OPEN // 3} }}
    tcp-request connection reject if {{ sc0_conn_rate gt {MOST_NEW} }}
    http-request deny deny_status 429 content-type "text/plain; charset=utf-8" string {message} \
if {{ sc0_conn_cur gt {MOST_OPEN} }}
    http-request del-header X-Forwarded-For
    http-request del-header X-Forwarded-Host
    http-request del-header X-Real-IP
    http-request del-header Forwarded
    http-request set-header X-Forwarded-Proto http"""


def serve_processes(
    n_process: int, address: str, port: int, options: Sequence[str], ending: threading.Event, ready: Callable[[], None]
) -> None:
    """Start supervisor, processes and proxy, keep them running until `ending` is set, and end them together.

    Args:
        n_process: the number of processes, ideally one for each core.
        address, port: the public ones.
        options: further options for `streamlit run`.
        ready: called once, when every process answers at that address.
    Raises:
        FileNotFoundError: if there is no HAProxy.
        OSError: if the address can't be used.
        ValueError: if `GLASSFORMER_PROXIES` can't be read.
    """
    check_proxies()
    haproxy = shutil.which("haproxy", path=os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin")))
    if haproxy is None:
        raise FileNotFoundError("HAProxy is missing (Debian: apt-get install haproxy)")
    _check_free(address, port)
    names = [os.environ.get("GLASSFORMER_HOSTS", ""), "" if address in {"0.0.0.0", "::"} else address.strip("[]")]
    os.environ["GLASSFORMER_HOSTS"] = ",".join(filter(None, names))
    os.environ[_SHARED] = str(n_process)
    os.environ[_BELIEVED] = ""  # `core.ui.server.identity.client_ip` reads the headers, and knows how many to trust
    os.environ["STREAMLIT_SERVER_COOKIE_SECRET"] = secrets.token_hex(32)
    context: Any = multiprocessing.get_context("forkserver" if sys.platform == "linux" else "spawn")
    if sys.platform == "linux":
        context.set_forkserver_preload(["core.ui.server.preload"])

    def keep(name: str, target: Callable[..., None], *arguments: object) -> "_RestartedProcess":
        return _RestartedProcess(name, lambda: context.Process(target=target, args=arguments, name=name))

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="glassformer-")))
        ports = _free_ports(n_process)
        (folder / "haproxy.cfg").write_text(_haproxy_configuration(address, port, ports), encoding="utf-8")
        if os.environ.get("GLASSFORMER_TRAINING", "on") != "off":
            stack.callback(start_supervisor().stop)
        kept: list[_RestartedProcess] = []
        stack.callback(_end, kept)
        kept += [keep(f"process {n}", _run_server, one, list(options)) for n, one in enumerate(ports, 1)]
        kept.append(keep("the proxy", _run_program, [haproxy, "-db", "-q", "-f", str(folder / "haproxy.cfg")]))
        waiting = set(range(1, n_process + 1))  # processes that haven't answered yet
        while not ending.wait(_POLL_SECONDS):
            for one in kept:
                one.restart_if_ended()
            if waiting and _is_process_ready(address, port, min(waiting)):
                waiting.discard(min(waiting))
                if not waiting:
                    ready()


def _is_process_ready(address: str, port: int, process: int) -> bool:
    """Return whether a process (counted from 1) answers through the proxy and has finished its first imports."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address.strip("[]"))
    name = f"glassformer_process=p{process}"
    with closing(http.client.HTTPConnection(host, port, timeout=ANSWER_SECONDS)) as connection:
        try:
            connection.request("GET", "/api/ready", headers={"Host": "localhost", "Cookie": name})
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            return False
        moved = "glassformer_process" in " ".join(answer.headers.get_all("set-cookie") or [])  # to a different process
        return answer.status == 200 and not moved


def _check_free(address: str, port: int) -> None:
    """Check that the address is free. Raises OSError with a plain message."""
    place = (address.strip("[]"), port)
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the previous server may have ended a moment ago
        try:
            probe.bind(place)
            probe.listen()
        except (OSError, OverflowError) as error:
            why = error.strerror if isinstance(error, OSError) else "there is no such port"
            raise OSError(f"--address {address} --port {port} can't be used: {why}. Choose another --port") from error


class _RestartedProcess:
    """A process that is restarted when it ends, until `end`; with growing pauses if it ends immediately."""

    def __init__(self, name: str, make: Callable[[], BaseProcess]) -> None:
        self.name, self._make = name, make
        self._pause = 0.1
        self._start()

    def _start(self) -> None:
        self.process = self._make()
        self.process.start()
        self._begun, self._due = time.monotonic(), 0.0

    def restart_if_ended(self) -> None:
        """Restart it if it has ended and the pause is over."""
        now = time.monotonic()
        if self.process.is_alive():
            return
        if not self._due:
            self._pause = 0.1 if now - self._begun > 10.0 else min(2.0 * self._pause, 10.0)
            self._due = now + self._pause
            _LOG.warning("%s ended with code %s and is started again", self.name, self.process.exitcode)
        elif now >= self._due:
            self._start()

    def end(self) -> None:
        """End it, with some seconds to end by itself before it is killed."""
        self.process.terminate()
        self.process.join(END_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _end(kept: Sequence[_RestartedProcess]) -> None:
    """End all in parallel, the proxy first, so that there are no new connections."""
    threads = [threading.Thread(target=one.end) for one in reversed(kept)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run_server(port: int, options: Sequence[str]) -> None:
    """Run a server in the current process."""
    _stand_apart()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from streamlit.web.cli import main

    own = ["--server.address=127.0.0.1", f"--server.port={port}", "--server.headless=true"]
    main(["run", "app.py", *options, *own], prog_name="streamlit")


def _run_program(command: Sequence[str]) -> None:
    """Replace the current process by a program, which ends with the process that it was forked from (Linux)."""
    _stand_apart()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGTERM)
    os.closerange(3, 1024)  # including the one that keeps that process alive
    os.execv(command[0], list(command))


def _stand_apart() -> None:
    """Ignore Ctrl-C (the parent ends us in order), and don't print our own address, which is not the one to open."""
    os.setsid()
    os.chdir(_ROOT)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _end_with_parent() -> None:
    """End this process when the command ends, however that happens."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _free_ports(n: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(closing(socket.socket())) for _ in range(n)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
