"""The notebooks run from top to bottom; the wheel brings the same under a name of its own, without the app."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.library.notebook.notebooks import ALL_WRITTEN, ROOT, SHORT, check_first_look, pictures, run


def test_the_first_look() -> None:
    check_first_look(run("first_look.ipynb", SHORT))


def test_the_empty_functions_are_told_so_and_the_written_ones_train() -> None:
    blank = run("build_it_yourself.ipynb", (r"(?s)mine = assemble.*|mine.write.*|(heads|model_map)\(mine.*", ""))
    said = [one.data["text/plain"] for one in blank]
    assert len(said) == 6 and not any("right on" in one for one in said), said
    written = run("build_it_yourself.ipynb", *ALL_WRITTEN, ("n_step=600", "n_step=101"))
    assert sum("right on 20" in one.get("data", {}).get("text/plain", "") for one in written) == 6
    first, last = (float(x) for x in re.findall("([0-9.]+) nats", "".join(one.get("text", "") for one in written)))
    assert first > 5.5 > 4 > last
    assert pictures(written) == ["Attention heads", "The whole model"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what `pip install .` brings."""
    tmp_path = tmp_path_factory.mktemp("wheel")
    source, here = tmp_path / "source", tmp_path / "here"
    for name in ("core", "assets", ".packaging"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, source)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run([*build, str(source)], check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("glassformer-*.whl"))) as file:
        file.extractall(here)
    return here


def test_the_wheel_has_one_name_and_no_app(wheel: Path) -> None:
    names = [path.relative_to(wheel).as_posix() for path in wheel.rglob("*")]
    assert {name.partition("/")[0].split("-")[0] for name in names} == {"glassformer"}
    assert not [name for name in names if "pages" in name or re.search(r"/rooms/.*(?<!/labels)\.md$", name)]
    program = (
        "import sys, glassformer; from glassformer import *; heads('stories', 'Tom and Mia'); model_map('stories')\n"
        "assert all(hasattr(glassformer, name) for name in glassformer.__all__) and len(glassformer.__all__) == 25\n"
        "from glassformer.core.models import registry, pretrained\n"
        "print([one for one in sys.modules if one.split('.')[0] in ('core', 'streamlit')])"
    )
    told = subprocess.run([sys.executable, "-c", program], cwd=wheel, check=True, capture_output=True, text=True)
    assert told.stdout == "[]\n"
