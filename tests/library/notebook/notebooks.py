"""The notebooks of the house: their functions written, their cells changed and run, and what must come of them."""

import ast
import inspect
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from core.notebook import exercises

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "assets" / "notebooks"
SOLVED = {
    "merge": inspect.getsource(exercises.merge),
    "block": inspect.getsource(exercises.block),
    "training_step": inspect.getsource(exercises.training_step),
    "sample": inspect.getsource(exercises.sample),
    "causal": "def causal(n):\n    return torch.ones(n, n).tril().bool()",
    "attend": "def attend(q, k, v, mask):\n"
    "    weights = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~mask, -1e9).softmax(-1)\n"
    "    return weights @ v, weights",
}
NAMES = "from typing import Any\nfrom torch import Generator, Tensor, nn\n"  # of the annotations
ALL_WRITTEN = [(rf"(?s)def {name}\(.*?\.\.\.", NAMES + source) for name, source in SOLVED.items()]
SHORT = ("seconds=30", "steps=3")  # the last training of the first look


def changed(path: Path, changes: Iterable[tuple[str, str]]) -> Any:
    """A notebook of whose source some is changed: patterns, and what comes in their place."""
    book = nbformat.read(path, as_version=4)
    for cell in book.cells:
        for before, after in changes:
            cell.source = re.sub(before, lambda _, after=after: after, cell.source)
    return book


def outputs_of(book: Any) -> list[Any]:
    """Return the output of all cells of a notebook."""
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


def run(name: str, *changes: tuple[str, str]) -> list[Any]:
    """The outputs of a notebook that is changed and run in its own folder, as JupyterLab does."""
    book = changed(NOTEBOOKS / name, changes)
    client = NotebookClient(book, timeout=600, resources={"metadata": {"path": str(NOTEBOOKS)}})
    client.execute(env={**os.environ, "PYTHONPATH": ""})
    return outputs_of(book)


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
