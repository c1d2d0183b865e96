"""T15 and T16: a fault inside one exhibit stays there; and a seed gives the same bits whatever runs beside it."""

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import SHOW
from core.rooms import all_exhibits
from core.ui.exhibit.exhibit import Exhibit
from tests import tiny_model
from tests.counts import IS_FULL, count, tally
from tests.drawn import guess_of
from tests.safety import families

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {name.split(".")[0]: name for name in reversed(all_exhibits())}  # the first exhibit of each room
SECRET = "the secret of /home/somebody/code.py"
INJECTED: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a small model in place of the large one that ships."""
    folder = tmp_path_factory.mktemp("data")
    tiny_model.write(folder / "models" / "stories")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(folder))
        patch.setenv("GLASSFORMER_TRAINING", "off")
        yield folder
    tally("T15", faults=len(INJECTED), in_computing=INJECTED.count("in its computing"), tracebacks_shown=0)


def break_code(exhibit: Exhibit, patch: pytest.MonkeyPatch) -> None:
    """Let every function that the exhibit's Code panel shows raise, wherever it is used."""

    def bomb(*_args: Any, **_named: Any) -> None:
        raise RuntimeError(SECRET)

    broken = {id(one) for one in exhibit.code if getattr(one, "__module__", "").startswith("core.")}
    for module in [one for name, one in sys.modules.items() if name.startswith("core.")]:
        for name, value in list(vars(module).items()):
            if id(value) in broken and not isinstance(value, type):
                patch.setattr(module, name, bomb)


def page(name: str) -> None:
    """The exhibit, and below it one that is whole."""
    import streamlit as st

    from core.rooms import all_exhibits
    from core.ui.exhibit.exhibit import render_exhibit
    from core.ui.frame import errors
    from tests.own_exhibit import exhibit

    def another(*_: object) -> None:
        st.write("another one is whole")

    with errors.page_guard():
        entry = all_exhibits()[name]
        asked = entry.render_bar()
        if asked is not None:
            render_exhibit(entry.exhibit(), *asked)
        render_exhibit(exhibit(another, "Another one"))


def faults(name: str, caplog: pytest.LogCaptureFixture) -> int:
    """How many faults the page shows; each must be one that a person can read, with its trace in the log."""
    caplog.clear()
    with caplog.at_level(logging.ERROR, logger="glassformer"):
        test = AppTest.from_function(page, args=(name,), default_timeout=60)
        if guess := guess_of(name):  # some compute nothing before
            test.query_params[str(guess.name)] = SHOW
        shown = test.run()
    assert not shown.exception, name
    told = [one.value for one in shown.error if "hit an unexpected error" in one.value]
    words = " ".join(one.value for one in (*shown.error, *shown.markdown, *shown.caption))
    assert SECRET not in words and "Traceback" not in words and "code.py" not in words
    for one in told:
        id = re.search(r"\*\*([0-9a-f]{8})\*\*", one)
        assert id is not None and id[1] in caplog.text and SECRET in caplog.text
    return len(told) if "another one is whole" in words else -1


@pytest.mark.parametrize("name", list(all_exhibits()) if IS_FULL else list(ROOMS.values()))
def test_a_fault_stays_in_its_exhibit(name: str, caplog: pytest.LogCaptureFixture) -> None:
    exhibit = all_exhibits()[name].exhibit()
    where = "in its drawing"
    if IS_FULL:
        with pytest.MonkeyPatch.context() as patch:
            break_code(exhibit, patch)
            found = faults(name, caplog)
            # Where it is not called at first (a record that ships is shown), all is as ever; where the whole page
            # needs it (the model, say), the page says so.
            where = "in its computing" if found > 0 else where
    if where == "in its drawing":

        def bomb(*_args: Any) -> None:
            raise RuntimeError(SECRET)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys.modules[all_exhibits()[name].module], "draw", bomb)
            assert faults(name, caplog) == 1, name
    INJECTED.append(where)


@pytest.mark.full
def test_a_seed_gives_the_same_bits_in_another_process_and_beside_others() -> None:
    seeds = list(range(count(1, 20)))
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.safety.families", *map(str, seeds)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as elsewhere:
        with ThreadPoolExecutor(4) as pool:  # each has the others beside it
            names = [(name, seed) for seed in seeds for name in families.FAMILIES]
            found = list(pool.map(lambda one: families.digest(*one), names))
        told, _ = elsewhere.communicate(timeout=1800)
    assert json.loads(told) == {f"{name} {seed}": one for (name, seed), one in zip(names, found, strict=True)}
    if len(seeds) > 1:
        assert len(set(found)) == len(found), "another seed gives the same"
    tally("T16", families=len(families.FAMILIES), seeds=len(seeds), different=0)
