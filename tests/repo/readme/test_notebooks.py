"""The wheel and the notebooks, as the README says to use them: installed and in a clone, in any folder."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from tests.library.notebook.notebooks import ALL_WRITTEN, changed, check_first_look, outputs_of, pictures
from tests.repo.readme.blocks import ROOT, blocks, notebooks, typed
from tests.repo.readme.clone import HOUR, Shell, bare_shell, clone

__all__ = ["clone"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(HOUR), pytest.mark.xdist_group("readme")]
EXECUTE = "jupyter execute --inplace --startup_timeout=600"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell in a clone, in a new environment in which the README's command was typed.

    Before it, torch as requirements.txt has it, because the newest one may be a build of gigabytes for a GPU; after it,
    what runs notebooks, for which Glassformer doesn't care.
    """
    here = bare_shell(tmp_path_factory.mktemp("installed"))
    here.type(f"pip install {requirement('torch')}")
    here.type(typed("pip install ."))
    here.type(f"pip install {requirement('nbclient')} {requirement('ipykernel')}")
    return here


def requirement(name: str) -> str:
    """A package with its version, as our requirements pin it."""
    lines = "".join((ROOT / f"requirements{kind}.txt").read_text(encoding="utf-8") for kind in ("", "-dev"))
    (found,) = re.findall(rf"^{name}==.+$", lines, flags=re.MULTILINE)
    return str(found)


def test_it_is_installed_under_one_name_without_streamlit(installed: Shell) -> None:
    elsewhere = replace(installed, folder=installed.home)
    elsewhere.type("python -c 'import core'", fails=True)
    elsewhere.type("python -c 'import streamlit'", fails=True)
    assert "glassformer" in elsewhere.type("pip list")


@pytest.mark.parametrize("block", [one.code for one in blocks("python") if one.section == "In a notebook"])
def test_the_block_works_in_any_folder(installed: Shell, clone: Shell, block: str, tmp_path: Path) -> None:
    """Run it unchanged where it's installed; in a clone, use the name that its comment gives."""
    (tmp_path / "block.py").write_text(block, encoding="utf-8")
    assert "'layer': 0, 'head': 0" in replace(installed, folder=tmp_path).type("python -W error block.py")
    named = re.findall(r"^from (\S+) import .*#.*without installing: from (\S+) import", block, flags=re.MULTILINE)
    assert len(named) == 1
    (clone.folder / "block.py").write_text(block.replace(*named[0], 1), encoding="utf-8")
    assert "'layer': 0, 'head': 0" in clone.type("python -W error block.py")


@pytest.mark.parametrize("name", notebooks())
@pytest.mark.parametrize(
    ("has_wheel", "place"),
    [(True, "elsewhere"), (True, "of the notebook"), (False, "of the notebook"), (False, "of the clone")],
)
def test_a_notebook_runs(
    installed: Shell, clone: Shell, name: str, has_wheel: bool, place: str, tmp_path: Path
) -> None:
    """All cells, with the six functions written and each training as long as it is: nothing else is changed.

    Fails where the first cell finds no Glassformer, or the wheel's modules mix with the clone's (fault 23).
    """
    here = installed if has_wheel else clone
    folder = {"of the notebook": (here.folder / name).parent, "of the clone": here.folder}.get(place, tmp_path)
    mine = folder / f"mine-{Path(name).name}"
    nbformat.write(changed(here.folder / name, ALL_WRITTEN), mine)
    replace(here, folder=folder).type(f"{EXECUTE} {mine.name}")
    outputs = outputs_of(nbformat.read(mine, as_version=4))
    mine.unlink()
    if "first_look" in name:
        check_first_look(outputs)
    else:
        assert sum("right on 20" in one.get("data", {}).get("text/plain", "") for one in outputs) == 6
        assert pictures(outputs) == ["Attention heads", "The whole model"]


def test_an_empty_function_is_reported(installed: Shell, tmp_path: Path) -> None:
    """As the README has it: until they are written, each says in words what is wrong, and nothing is trained."""
    name = next(one for one in notebooks() if "build_it_yourself" in one)
    shutil.copy(installed.folder / name, tmp_path / "mine.ipynb")
    said = replace(installed, folder=tmp_path).type(f"{EXECUTE} --allow-errors mine.ipynb")
    outputs = outputs_of(nbformat.read(tmp_path / "mine.ipynb", as_version=4))
    told = [one.data["text/plain"] for one in outputs if "data" in one]
    assert len(told) == 6 and not any("right on" in one for one in told), said
