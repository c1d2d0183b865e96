"""The networks that a cluster listens on, and the messages if strangers could reach it or a worker is unusable."""

import ipaddress
import logging
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from hypothesis import given, strategies as st

from core.jobs import supervisor_launcher
from core.jobs.cluster.cluster_client import _unusable_worker_message
from core.jobs.cluster.scheduler_address import exposure_warning
from core.jobs.supervisor_launcher import REPOSITORY
from tests.library.jobs.test_cluster import Lab, as_typed, lab

__all__ = ["lab"]
HOSTS = st.ip_addresses() | st.sampled_from(["127.0.0.1", "127.9.9.9", "::1"]).map(ipaddress.ip_address)
NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,20}(\.[a-z]{2,5})?", fullmatch=True)


def written(protocol: str, host: object) -> str:
    return f"{protocol}://{f'[{host}]' if ':' in str(host) else host}:8786"


@given(HOSTS)
def test_an_unencrypted_address_is_warned_of_unless_it_is_loopback(host: ipaddress.IPv4Address) -> None:
    """Fails if a network's address passes in silence, or this machine's own is warned of."""
    assert (exposure_warning(written("tcp", host)) is None) == host.is_loopback
    assert exposure_warning(written("tls", host)) is None


@given(NAMES)
def test_a_name_is_warned_of_unless_it_is_localhost(name: str) -> None:
    """Fails if a name that may lead anywhere is taken for this machine."""
    assert (exposure_warning(written("tcp", name)) is None) == (name == "localhost")


@pytest.mark.parametrize(("address", "is_open"), [("tcp://10.0.0.1:8786", True), ("tls://10.0.0.1:8786", False)])
def test_the_app_warns_at_its_start(
    address: str, is_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Fails if the app starts on an open cluster without a word, or warns of one with TLS."""
    monkeypatch.setattr(supervisor_launcher, "SupervisorHandle", lambda folder: folder)
    monkeypatch.setattr(logging.getLogger("glassformer"), "propagate", True)
    monkeypatch.setenv("GLASSFORMER_CLUSTER", address)
    supervisor_launcher.start_supervisor(tmp_path)
    assert ("can run any program" in caplog.text) == is_open


@pytest.mark.parametrize("name", ["core", "core.jobs", "torch", "tiktoken.load"])
@pytest.mark.parametrize("wrap", [lambda error: error, lambda error: Exception(repr(error))])
def test_a_missing_module_is_named_however_dask_hands_the_error_on(
    name: str, wrap: Callable[[Exception], Exception]
) -> None:
    """Fails if Dask's wrapped error is taken for a run that can't be read, though a restart doesn't help."""
    said = _unusable_worker_message(
        wrap(ModuleNotFoundError(f"No module named {name!r}", name=name)), "tcp://127.0.0.1:8786"
    )
    top = name.partition(".")[0]
    assert ("can't import Glassformer" if top == "core" else f"lacks the package {top}") in said


@pytest.mark.slow
def test_workers_warn_at_their_start() -> None:
    """Fails if the command joins an open cluster without a word."""
    command = [sys.executable, "-m", "core.jobs.cluster", "tcp://192.0.2.1:8786", "--workers", "1"]
    with subprocess.Popen(command, cwd=REPOSITORY, env=as_typed(), stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.terminate()
    assert re.match(r"Warning: tcp://192\.0\.2\.1:8786 .* can run any program", first)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads others' sockets, which macOS keeps for root")
def test_a_cluster_of_one_machine_listens_nowhere_else(lab: Lab) -> None:
    """Fails if a port of the scheduler or of a worker, Dask's HTTP servers included, is open to a network (B9)."""
    lab.start_workers(2)
    lab.start_app()
    lab.ready(2)
    for program, n_least in ((lab.scheduler, 2), (lab.workers, 4)):
        family = [psutil.Process(program.pid), *psutil.Process(program.pid).children(recursive=True)]
        listening = [c.laddr.ip for one in family for c in one.net_connections() if c.status == psutil.CONN_LISTEN]
        assert len(listening) >= n_least, "its port, and Dask's HTTP server"
        assert set(listening) == {"127.0.0.1"}
