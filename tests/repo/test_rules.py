"""House rules that a machine can check on the source itself."""

import ast
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from threadpoolctl import threadpool_info

from core.data.files import data_dir
from tests import conftest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py"), *(ROOT / "core").rglob("*.py")]
ON_SCREEN = [
    p
    for p in SHIPPED
    if p.relative_to(ROOT).parts[:2] in {("core", "ui"), ("core", "rooms"), ("core", "charts")}
    and p.parent.name not in ("compute", "experiments")
]
ON_SCREEN += list((ROOT / "pages").rglob("*.py"))


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


@pytest.mark.parametrize(
    "forbidden",
    [
        r"unsafe_allow_html\s*=\s*True",
        r"torch\.load\(",
        r"\bimport pickle\b|\bjoblib\b|allow_pickle\s*=\s*True",
        r"(?<![\w.])(eval|exec)\(",
        r"(?<!\w)yaml\.(load|load_all|unsafe_load|full_load|Loader|UnsafeLoader|FullLoader)\b",
        r"torch\.(hub|package)\b|\bimport (dill|cloudpickle|marshal|shelve)\b|read_pickle\(|np\.load\(",
        r"os\.(system|popen)\(|getoutput\(|tempfile\.mktemp\(|\bimport webbrowser\b|xml\.(etree|dom|sax)",
        r"unsafe_allow_javascript\s*=|st\.iframe\(|st\.html\((?!f\"<style>{_joined\()",  # the house's own style sheets
        r"trust_remote_code",
        r"\.read_(bytes|text)\(\)\[:",  # reads the whole file: `core.data.files.read_start` doesn't
        r"shell\s*=\s*True",
        r"components\.v1",
        r"torch\.manual_seed\(|np\.random\.seed\(|(?<![\w.])random\.seed\(",
    ],
)
def test_no_unsafe_or_global_call(forbidden):
    for path in SHIPPED:
        found = re.search(forbidden, path.read_text(encoding="utf-8"))
        assert not found, f"{path.relative_to(ROOT)}: {found.group()}"


def test_only_the_download_opens_connections():
    may = {"core/data/download.py", "core/rooms/pretrained/compute/hub_address.py"}
    may.add("core/ui/server/load_balanced_server.py")  # it asks its own proxy, on this machine, whether it answers
    for path in SHIPPED:
        text = path.read_text(encoding="utf-8")
        found = re.search(r"urllib\.request|http\.client|socket\.create_connection|\bimport (requests|httpx)", text)
        assert not found or path.relative_to(ROOT).as_posix() in may, f"{path.relative_to(ROOT)}: {found.group()}"


def test_no_script_of_the_browser_makes_html_of_text():
    for path in (ROOT / "assets").rglob("*.js"):
        text = re.sub(r"/\*[\s\S]*?\*/|^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        unsafe = (
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www\.w3\.org)"
        )
        found = re.search(unsafe, text)
        assert not found, f"{path.relative_to(ROOT)}: {found.group()}"


def test_no_random_number_without_a_seed_near_the_screen():
    unseeded = r"np\.random\.(?!default_rng\(\w)|torch\.(rand\w*|multinomial|bernoulli)\((?!.*generator=)"
    for path in ON_SCREEN:
        text = path.read_text(encoding="utf-8")
        found = re.search(rf"{unseeded}|(?<![\w.])random\.(random|uniform|gauss|randint|choice)", text)
        assert not found, f"{path.relative_to(ROOT)}: {found.group()}"


# Functions of `core.ui` that take choices: the places among their arguments.
TAKES_CHOICES = {
    **dict.fromkeys(
        ("current_value", "set_control", "set_control_silently", "prefill_text", "find_choice_state"), (0, 1)
    ),
    **dict.fromkeys(("is_hidden", "choice_ref", "choice_options", "rerun_on_choice_change"), (0, 1)),
    **{"control_button": (1, 2), "compute_for_all_choices": (0, None), "select_by_choice": (1, None)},
    **{"for_each_option": (1, None), "show_text_by_choice": (2, None)},
}


def _choices_by_string(tree: ast.Module) -> Iterator[str]:
    """The calls that name a choice of the page by a string, or by a constant that is one."""
    constants = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.JoinedStr)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def is_string(node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str)
        return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Name) and node.id in constants)

    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    for call in calls:
        first, last = TAKES_CHOICES.get(call.func.attr, (0, 0))
        is_ours = ast.unparse(call.func.value) in ("ui", "browser_side_controls", "controls")
        for given in call.args[first:last] if is_ours else ():
            if any(map(is_string, given.elts if isinstance(given, ast.List | ast.Tuple) else [given])):
                yield ast.unparse(call)


def test_no_room_names_a_choice_by_a_string():
    """A field keeps its name and its type, and one that is gone is found before the page is drawn."""
    # the list of models is no field: `picker` makes its control
    by_picker = "controls.set_control_silently('model', wanted)"
    found = {
        path.relative_to(ROOT).as_posix(): calls
        for path in (ROOT / "core" / "rooms").rglob("*.py")
        if (calls := {*_choices_by_string(ast.parse(path.read_text(encoding="utf-8")))} - {by_picker})
    }
    assert not found


@pytest.mark.parametrize(
    ("call", "is_found"),
    [
        ("ui.select_by_choice(result.weights, 'layer')", True),
        ("ui.for_each_option(int, LAYER)", True),
        ("ui.is_hidden(f'off.{n}')", True),
        ("browser_side_controls.rerun_on_choice_change(['text'])", True),
        ("ui.control_button('Again', 'seed', key='again')", True),
        ("ui.select_by_choice(['a', 'b'], inputs.layer)", False),
        ("ui.set_control(control, 'a')", False),
        ("ui.control_button('Again', control, key='again')", False),
    ],
)
def test_a_choice_by_a_string_is_found(call, is_found):
    assert bool([*_choices_by_string(ast.parse(f"LAYER = 'layer'\n{call}"))]) is is_found


def test_pages_compute_nothing():
    for path in (ROOT / "pages").rglob("*.py"):
        assert not _imports(path) & {"torch", "numpy", "pandas", "plotly", "altair"}, path
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60, f"{path} is longer than a page should be"


def test_app_is_short():
    lines = (ROOT / "app.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40


def test_no_slow_import_in_the_server():
    for path in SHIPPED:
        assert not _imports(path) & {"transformers", "nltk"}, path


def test_no_path_of_a_machine_and_no_registry():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    wanted = {".py", ".md", ".toml", ".txt", ".js", ".mjs", ".json", ".yml"}
    machine = re.compile(r"(?<![\w.])/(work|root|Users)/\w|files\.python" + r"hosted|pypi\.org/" + "simple")
    for name in files:
        path = ROOT / name
        if path.suffix in wanted and path.exists():
            found = machine.search(path.read_text(encoding="utf-8", errors="replace"))
            assert not found, f"{name}: {found.group()}"


def test_the_top_level_is_the_fixed_one():
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    top = {name.split("/")[0] for name in files}
    allowed = {"app.py", "pages", "core", "assets", "tests", "benchmarks", "requirements.txt", "requirements-dev.txt"}
    allowed |= {"README.md", "pyproject.toml", "LICENSE", "requirements.lock", "requirements-dev.lock"}
    assert {name for name in top if not name.startswith(".")} <= allowed


def through(hook: Any, result: Any) -> Any:
    """Return the result of one of the wrappers in `tests/conftest.py`."""
    next(hook)
    with pytest.raises(StopIteration) as end:
        hook.send(result)
    return end.value.value


@pytest.mark.parametrize(("in_ci", "outcome"), [(False, "skipped"), (True, "failed")])
def test_ci_lets_no_test_be_skipped(in_ci: bool, outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert 'GLASSFORMER_NO_SKIP=1 pytest -m "$tests"' in ci and "grep -q skipped" in ci
    monkeypatch.setattr(conftest, "IN_CI", in_ci)
    report = SimpleNamespace(skipped=True, outcome="skipped", longrepr=("a file", 1, "there is no browser"))
    assert through(conftest.pytest_runtest_makereport(), report).outcome == outcome


def test_tests_keep_away_from_the_runs_of_whoever_runs_them() -> None:
    """Fails where a page test opens the user's own data folder; runs of a newer version there once failed 279 tests."""
    assert data_dir().is_relative_to(tempfile.gettempdir())


CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "perf_counter_ns", "monotonic_ns"}


def _timed(test: ast.FunctionDef) -> list[int]:
    """Lines of assertions that ask a clock, or a number made from one; not of the full run or of long waits."""
    clocked: set[str] = set()
    if "LONGEST_WAIT" in ast.unparse(test):
        return []

    def asks(node: ast.AST) -> bool:
        return any(
            (isinstance(one, ast.Attribute) and one.attr in CLOCKS) or (isinstance(one, ast.Name) and one.id in clocked)
            for one in ast.walk(node)
        )

    for _ in range(3):  # a number may be made from one further down, in a loop
        for node in ast.walk(test):
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value and asks(node.value):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                clocked |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    asserts = [node for node in ast.walk(test) if isinstance(node, ast.Assert)]
    return [one.lineno for one in asserts if asks(one.test) and "IS_FULL" not in ast.unparse(one.test)]


def test_the_tests_that_take_turns_exist() -> None:
    """Catches a test that was renamed: it would run with every change, and each a little longer."""
    lines = (ROOT / "tests/long_tests.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split()[1].partition("::") for line in lines if not line.startswith("#")]
    gone = {name for path, _, name in names if f"def {name}(" not in (ROOT / path).read_text(encoding="utf-8")}
    assert names and not gone, f"rename or remove in tests/long_tests.txt: {gone}"


def test_no_test_of_every_change_asks_how_long_something_took() -> None:
    """Fails where a busy machine would fail a test (fault 54): measure in benchmarks/, or in the full run."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):  # what tests share asserts, too
        text = path.read_text(encoding="utf-8")
        if "pytest.mark.full" in text.partition("pytestmark")[2].split("\n\n")[0] or not any(map(text.count, CLOCKS)):
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and not any("full" in ast.unparse(one) for one in node.decorator_list):
                found += [f"{path.relative_to(ROOT)}:{line}" for line in _timed(node)]
    assert found == []


@pytest.mark.parametrize(
    ("body", "is_timed"),
    [
        ("start = time.monotonic()\n work()\n assert time.monotonic() - start < 2", True),
        ("start = time.process_time()\n took = time.process_time() - start\n assert most > took", True),
        ("took = time.thread_time()\n assert took < 2 or not IS_FULL", False),
        ("end = time.monotonic() + 9\n assert found", False),
    ],
)
def test_a_timed_assertion_is_found(body: str, is_timed: bool) -> None:
    tree = ast.parse(f"def test():\n {body}").body[0]
    assert isinstance(tree, ast.FunctionDef) and bool(_timed(tree)) == is_timed


def test_each_process_of_the_tests_has_one_thread(pytestconfig: pytest.Config) -> None:
    """Fails where NumPy or torch is imported before the number is set: with two threads pytest took 16 minutes."""
    asked = int(os.environ["OMP_NUM_THREADS"])
    assert not pytestconfig.pluginmanager.hasplugin("jaxtyping")  # it imports NumPy before tests/conftest.py is read
    assert torch.get_num_threads() == asked
    assert {pool["num_threads"] for pool in threadpool_info()} == {asked}
