"""The notebooks run from top to bottom; the wheel brings the same under a name of its own, without the app."""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import core.notebook
from core.notebook.exercises import blocks, merging, sampling, training

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "assets" / "notebooks"
SOLVED = {
    "merge": inspect.getsource(merging.merge),
    "block": inspect.getsource(blocks.block),
    "training_step": inspect.getsource(training.training_step),
    "sample": inspect.getsource(sampling.sample),
    "causal": "def causal(n):\n    return torch.ones(n, n).tril().bool()",
    "attend": "def attend(q, k, v, mask):\n"
    "    weights = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -1e9).softmax(-1)\n"
    "    return weights @ v, weights",
}
NAMES = "from typing import Any\nfrom torch import Generator, Tensor, nn\n"  # of the annotations


SHORT = ("seconds=30", "steps=3")  # the last training of the first look


def run(name: str, *changes: tuple[str, str], folder: Path = NOTEBOOKS, **environment: str) -> list[Any]:
    """The outputs of all cells of a notebook, some of whose source is changed.

    Args:
        folder: in which the kernel runs. JupyterLab takes the notebook's own.
        environment: of the kernel.
    """
    book = nbformat.read(NOTEBOOKS / name, as_version=4)
    for cell in book.cells:
        for before, after in changes:
            cell.source = re.sub(before, lambda _, after=after: after, cell.source)
    client = NotebookClient(book, timeout=600, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "PYTHONPATH": "", **environment})
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


def pictures(outputs: list[Any]) -> list[str]:
    """Those that a notebook shows live, each with its page for where no kernel runs."""
    live = [one.data for one in outputs if "application/vnd.jupyter.widget-view+json" in one.get("data", {})]
    assert all("<iframe srcdoc=" in one["text/html"] for one in live)
    return [re.findall("&lt;h1&gt;(.*?)&lt;", one["text/html"])[0] for one in live]


def check_first_look(outputs: list[Any]) -> None:
    """All pictures are there, and the numbers say what the words between them say."""
    assert pictures(outputs) == ["Attention heads", "One head", "The next token", "The whole model"]
    said = [one.data["text/plain"] for one in outputs if "data" in one]
    assert said[2] == "{'layer': 0, 'head': 1}" and said[4].startswith("Trace of 29 tensors")
    scores = ast.literal_eval(said[-2])
    assert max(scores, key=lambda head: scores[head][0]) == (0, 1) and scores[0, 1][0] > 0.7
    assert max(induction for _, induction in scores.values()) < 0.05
    printed = "".join(one.get("text", "") for one in outputs)
    whole, off = float(re.findall("as it is: ([0-9.]+)", printed)[0]), ast.literal_eval(said[-3])
    assert whole < 0.4, "the text is of the kind that the model was trained on"
    assert {head for head, loss in off.items() if loss > whole + 0.1} == {(0, 1), (1, 0)}
    assert min(off.values()) > whole - 0.02, "switching off no head makes the model better"


def test_the_first_look() -> None:
    check_first_look(run("first_look.ipynb", SHORT))


ALL_WRITTEN = [
    *((rf"(?s)def {name}\(.*?\.\.\.", NAMES + source) for name, source in SOLVED.items()),
    ("n_step=600", "n_step=101"),
]


def test_the_empty_functions_are_told_so_and_the_written_ones_train() -> None:
    blank = run("build_it_yourself.ipynb", (r"(?s)mine = assemble.*|mine.write.*|(heads|model_map)\(mine.*", ""))
    said = [one.data["text/plain"] for one in blank]
    assert len(said) == 6 and not any("right on" in one for one in said), said
    written = run("build_it_yourself.ipynb", *ALL_WRITTEN)
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


@pytest.mark.parametrize("name", ["first_look.ipynb", "build_it_yourself.ipynb"])
@pytest.mark.parametrize("place", ["of the notebook", "of the clone", "elsewhere", "of the notebook, installed"])
@pytest.mark.full
def test_a_notebook_runs_as_a_reader_starts_it(
    wheel: Path, name: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a clone the kernel runs in a folder of it; with the wheel anywhere, and never with the clone's modules."""
    folder = {"of the clone": ROOT, "elsewhere": tmp_path}.get(place, NOTEBOOKS)
    is_installed = place in ("elsewhere", "of the notebook, installed")
    outputs = run(name, SHORT, *ALL_WRITTEN, folder=folder, **({"PYTHONPATH": str(wheel)} if is_installed else {}))
    if name == "first_look.ipynb":
        check_first_look(outputs)
    else:
        assert pictures(outputs) == ["Attention heads", "The whole model"]


def test_a_clone_and_the_wheel_have_the_same_names() -> None:
    front = re.findall("FRONT = '''(.*?)'''", (ROOT / ".packaging" / "backend.py").read_text(), re.DOTALL)[0]
    (names,) = re.findall(r"__all__ = (\[.*?\])", front, re.DOTALL)
    assert ast.literal_eval(names) == core.notebook.__all__
    assert all(hasattr(core.notebook, one) for one in core.notebook.__all__)


def test_the_wheel_has_one_name_and_no_app(wheel: Path) -> None:
    names = [path.relative_to(wheel).as_posix() for path in wheel.rglob("*")]
    assert {name.partition("/")[0].split("-")[0] for name in names} == {"glassformer"}
    assert not [name for name in names if "pages" in name or ("/rooms/" in name and name.endswith(".md"))]
    program = (
        "import sys; from glassformer import heads, model_map; heads('stories', 'Tom and Mia'); model_map('stories')\n"
        "from glassformer.core.models import registry, pretrained\n"
        "print([one for one in sys.modules if one.split('.')[0] in ('core', 'streamlit')])"
    )
    told = subprocess.run([sys.executable, "-c", program], cwd=wheel, check=True, capture_output=True, text=True)
    assert told.stdout == "[]\n"
