"""A cluster of one machine, each command typed as the README has it, in a new environment; the cluster trains a run."""

import os
import re
import socket
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.jobs.store import Store
from tests.library.jobs.test_cluster import SEED, quiet, small, trained_by
from tests.library.learning.test_jobs import reaches
from tests.repo.readme.blocks import typed
from tests.repo.readme.clone import HOUR, Shell, alone, bare_shell, wait_until
from tests.safety.visitor import Visitor

__all__ = ["alone"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(HOUR), pytest.mark.usefixtures("alone")]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell in a clone, in a new environment with what the README installs on each machine."""
    here = bare_shell(tmp_path_factory.mktemp("lab"))
    here.type(typed("pip install -r requirements.txt distributed"))
    return here


@pytest.fixture
def here() -> Callable[[str], str]:
    """`here(start)`: a command of the README on this machine, at a port that is free; all else is as it stands."""
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]

    def changed(start: str) -> str:
        command = typed(start)
        assert "10.0.0.1" in command and "8786" in command
        return command.replace("10.0.0.1", "127.0.0.1").replace("8786", str(port))

    return changed


def test_the_cluster_trains_a_run(lab: Shell, here: Callable[[str], str], tmp_path: Path) -> None:
    """Fails where a command doesn't start, the scheduler needs Glassformer, or the run trains at home (fault 21)."""
    anywhere = replace(lab, folder=tmp_path)
    with (
        anywhere.start(here("dask scheduler")) as scheduler,
        lab.start(here("python -m core.jobs.cluster")) as workers,
        lab.start(here("GLASSFORMER_CLUSTER=tcp://10.0.0.1:8786 streamlit run")) as app,
    ):
        started = (scheduler, workers, app)
        url = wait_until(lambda: app.check() or re.search(r"http://[\w.:]+\d", app.printed()))[0]
        with Visitor(url.replace("0.0.0.0", "127.0.0.1")) as visitor:
            visitor.open()
            assert not visitor.exceptions
        store = Store(lab.home / ".local" / "share" / "glassformer" / "runs")
        wait_until(lambda: [one.check() for one in started] and store.cluster().get("n_slot") == os.cpu_count())
        assert store.cluster()["refused"] == []
        run_id = store.create("a reader", small(20).to_dict(), SEED)
        assert reaches(store, run_id, "finished").message == ""
        assert trained_by(store.root, run_id).startswith("tcp://127.0.0.1:")
        assert store.points(run_id) == quiet(small(20))
        for one in started:
            one.check()
            assert "Traceback" not in one.printed(), one.printed()
