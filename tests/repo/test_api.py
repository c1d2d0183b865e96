"""The public API and its page agree: names, signatures, and examples that run.

What this catches: a promised name that is gone or whose signature has changed, an example that fails, an import of
Streamlit or (before it is needed) torch.
"""

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import core
from core.inspect.model_inputs.model_key import SHIPPED_MODELS

PAGE = (Path(__file__).resolve().parents[2] / ".github/API.md").read_text(encoding="utf-8")
HEADINGS = dict(re.findall(r"^### `(\w+)(.*)`$", PAGE, re.MULTILINE))
SOME_OPTIONS = {"GPTConfig"}  # its heading shows the first ones


def signature(name: str) -> str:
    """The parameters of a name with their defaults; "" for a module or a dictionary."""
    value = getattr(core, name)
    if not callable(value):
        return ""
    full = inspect.signature(value)
    plain = [one.replace(annotation=one.empty) for one in full.parameters.values()]
    return str(full.replace(parameters=plain, return_annotation=full.empty))


def test_each_name_has_a_heading_and_each_heading_a_name() -> None:
    assert list(HEADINGS) == core.__all__
    assert len(set(core.__all__)) == 25
    assert set(core._DEFINED_IN) == set(core.__all__)


@pytest.mark.parametrize("name", core.__all__)
def test_a_heading_shows_the_signature(name: str) -> None:
    shown = HEADINGS[name]
    assert signature(name).startswith(shown.rstrip(")")) if name in SOME_OPTIONS else signature(name) == shown


@pytest.mark.parametrize("name", core.__all__)
def test_an_entry_has_an_example_and_its_errors(name: str) -> None:
    entry = PAGE.partition(f"### `{name}{HEADINGS[name]}`")[2].partition("\n#")[0]
    assert "```python" in entry
    assert not callable(getattr(core, name)) or "aise" in entry or name in ("MinimalGPT", "tap")


def test_the_examples_run_without_streamlit() -> None:
    examples = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(examples) == 26
    light = "import core, sys\nassert not {'torch', 'streamlit'} & set(sys.modules), 'import core is no longer light'\n"
    names = f"from core import {', '.join(core.__all__)}\n"
    given = "from dataclasses import replace\nfrom functools import partial\nimport torch\n"
    program = [light, names, given, *examples, "assert 'streamlit' not in sys.modules\n"]
    root = Path(core.__file__).parents[1]
    ran = subprocess.run([sys.executable, "-c", "".join(program)], capture_output=True, text=True, cwd=root)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("causal: right on 20 random inputs.") == 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: core.run_exhibit("mask.kinds"), ValueError, "Did you mean masks.kinds-of-masks?"),
        (
            lambda: core.run_exhibit("masks.kinds-of-masks", windo=2),
            TypeError,
            "setting 'windo'. Did you mean window",
        ),
        (lambda: core.run_exhibit("masks.kinds-of-masks", window=200), ValueError, "from 1 to 17"),
        (
            lambda: core.run_exhibit("masks.kinds-of-masks", experiment_run=object()),
            TypeError,
            "leave out experiment_run",
        ),
        (lambda: core.load("storys"), ValueError, "one that ships (stories,"),
    ],
)
def test_a_wrong_argument_is_answered_with_what_to_do(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        call()


def test_the_page_names_only_models_that_ship() -> None:
    """Fails where the page offers a model that `load` refuses."""
    ships = {path.name for path in SHIPPED_MODELS.iterdir()}
    (named,) = re.findall(r"a model that ships \(([^…]*)…\)", PAGE.replace("\n", " "))
    assert set(re.findall(r"`([\w-]+)`", named)) <= ships
