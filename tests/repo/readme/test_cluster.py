"""A cluster of one machine, each command typed as the README has it, in a new environment; the cluster trains a run."""

import asyncio
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Security
from distributed.core import rpc

from core.jobs.store import RunStore
from tests.library.jobs.test_cluster import SEED, free_port, quiet, small, trained_by
from tests.library.learning.test_jobs import reaches
from tests.repo.readme.blocks import typed
from tests.repo.readme.clone import HOUR, Shell, alone, bare_shell, wait_until
from tests.safety.visitor import Visitor

__all__ = ["alone"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(HOUR), pytest.mark.usefixtures("alone")]
AUTHORITY = ("openssl req -x509", "openssl req -newkey", "openssl x509")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell in a clone, in a new environment with what the README installs on each machine."""
    here = bare_shell(tmp_path_factory.mktemp("lab"))
    here.type(typed("pip install -r requirements.txt distributed"))
    return here


@pytest.fixture
def here() -> Callable[[str], str]:
    """Return `here(start)`, which returns a README command for this machine at a free port, otherwise unchanged."""
    port = str(free_port())

    def changed(start: str) -> str:
        command = typed(start)
        assert re.search(r"(127|10)\.0\.0\.1", command) and "8786" in command
        return command.replace("10.0.0.1", "127.0.0.1").replace("8786", port)

    return changed


@contextmanager
def cluster(lab: Shell, scheduler: str, workers: str, app: str, folder: Path) -> Iterator[tuple[RunStore, str]]:
    """The three commands at work: the app's runs, and what all have printed by the end is without a traceback."""
    with (
        replace(lab, folder=folder).start(scheduler) as one,
        lab.start(workers) as two,
        lab.start(app) as three,
    ):
        started = (one, two, three)
        url = wait_until(lambda: three.check() or re.search(r"http://[\w.:]+\d", three.printed()))[0]
        with Visitor(url.replace("0.0.0.0", "127.0.0.1")) as visitor:
            visitor.open()
            assert not visitor.exceptions
        store = RunStore(lab.home / ".local" / "share" / "glassformer" / "runs")
        wait_until(lambda: [each.check() for each in started] and store.cluster().get("n_slot") == os.cpu_count())
        assert store.cluster()["refused"] == []
        run_id = store.create("a reader", small(20).to_dict(), SEED)
        assert reaches(store, run_id, "finished").message == ""
        assert store.points(run_id) == quiet(small(20))
        yield store, run_id
        for each in started:
            each.check()
            assert "Traceback" not in each.printed() and "Warning: tcp" not in each.printed(), each.printed()


def test_the_cluster_trains_a_run(lab: Shell, here: Callable[[str], str], tmp_path: Path) -> None:
    """Fails where a command doesn't start, the scheduler needs Glassformer, or the run trains at home (fault 21)."""
    commands = here("dask scheduler --host 127.0.0.1"), here("python -m core.jobs.cluster tcp")
    with cluster(lab, *commands, here("GLASSFORMER_CLUSTER=tcp"), tmp_path) as (store, run_id):
        assert trained_by(store.root, run_id).startswith("tcp://127.0.0.1:")


def test_the_cluster_trains_over_tls_and_refuses_strangers(
    lab: Shell, here: Callable[[str], str], tmp_path: Path
) -> None:
    """Fails where a certificate, a variable or a command is wrong, or another authority's certificate is let in."""
    for owner in ("ours", "strangers"):
        (tmp_path / owner).mkdir()
        for command in AUTHORITY:
            replace(lab, folder=tmp_path / owner).type(typed(command))
    variables = typed("export DASK"), typed("for x in SCHEDULER")
    exports = "; ".join((f"cd {tmp_path / 'ours'}", *variables, "cd - >/dev/null; "))
    commands = (
        exports + here(start)
        for start in ("dask scheduler --host tls", "python -m core.jobs.cluster tls", "GLASSFORMER_CLUSTER=tls")
    )
    with cluster(lab, *commands, tmp_path) as (store, run_id):
        trained = trained_by(store.root, run_id)
        assert trained.startswith("tls://127.0.0.1:")
        port = re.search(r"tls://127\.0\.0\.1:(\d+)", here("python -m core.jobs.cluster tls"))
        assert port is not None
        for address in (port[0], trained):  # the scheduler, and a worker
            assert is_let_in(address, tmp_path / "ours")
            assert not is_let_in(address, tmp_path / "strangers")
            assert not is_let_in(address.replace("tls:", "tcp:"), None)


def is_let_in(address: str, folder: Path | None) -> bool:
    """Return whether a client gets a response with the certificates of this folder, or without any."""
    security = None
    if folder is not None:
        certificate = {"tls_client_cert": str(folder / "cluster.pem"), "tls_client_key": str(folder / "cluster.key")}
        # The stranger accepts our authority: only the other side's check is tried.
        ca = str(folder.parent / "ours" / "ca.pem")
        security = Security(tls_ca_file=ca, require_encryption=True, **certificate)

    async def ask() -> bool:
        arguments = {} if security is None else {"connection_args": security.get_connection_args("client")}
        async with rpc(address, timeout=10, **arguments) as other:
            return bool(await other.identity())

    try:
        return asyncio.run(ask())
    except OSError:
        return False
