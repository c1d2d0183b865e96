"""Mutation testing: the share of small faults in the library that the tests notice (killed mutants).

    python -m benchmarks.mutants --n 400 --seed 0 --workers 2 --out mutants.json

It works on a copy of the repository, and needs `pip install coverage`. First it records which lines of core each test
runs (stored in `--map`, so that this is done once). Then, for each mutant, one change is written into the copy, and the
tests of the changed line are run, the quickest first, until one fails, which kills the mutant. A mutant that exceeds
`--seconds` (an endless loop) counts as killed, too; one without any test as alive. Browser tests are not run.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("nn", "generate", "models", "train", "inspect", "rooms/*/compute", "rooms/*/experiments")
SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add, ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def places(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Return each node that can be changed, with the function around it ("" outside); annotations don't count."""
    found: list[tuple[ast.AST, str]] = []

    def visit(node: ast.AST, function: str) -> None:
        if isinstance(node, ast.FunctionDef):
            function = node.name
        if (
            isinstance(node, ast.BinOp | ast.BoolOp | ast.If | ast.IfExp)
            or (isinstance(node, ast.Compare) and len(node.ops) == 1)
            or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub))
            or (isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float))
        ):
            found.append((node, function))
        for field, value in ast.iter_fields(node):
            if field not in ("annotation", "returns", "decorator_list"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child, function)

    visit(tree, "")
    return found


def change(node: ast.AST) -> str:
    """Change the node in place and return a description."""
    before = ast.unparse(node.test if isinstance(node, ast.If | ast.IfExp) else node)  # type: ignore[attr-defined]
    match node:
        case ast.BinOp() | ast.BoolOp():
            node.op = SWAPS.get(type(node.op), ast.Add)()
        case ast.Compare():
            node.ops = [SWAPS[type(node.ops[0])]()]
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
            return f"{before} -> not ({before})"
        case ast.UnaryOp():
            node.op = ast.UAdd() if isinstance(node.op, ast.USub) else ast.Invert()
            if isinstance(node.op, ast.Invert):  # `not x` becomes `bool(x)`
                node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
        case ast.Constant():
            node.value = (not node.value) if isinstance(node.value, bool) else node.value + 1
    return f"{before} -> {ast.unparse(node)}"


def sample(root: Path, n: int, seed: int) -> list[tuple[str, int]]:
    """Sample n pairs (file, index of the node in it), reproducible for the same files and seed."""
    files = [p for name in PACKAGES for p in sorted((root / "core").glob(f"{name}/**/*.py"))]
    every = [(str(p.relative_to(root)), k) for p in files for k in range(len(places(ast.parse(p.read_text()))))]
    return random.Random(seed).sample(every, min(n, len(every)))


class Recorder:
    """A pytest plugin that records the lines of core that each test runs, and its duration."""

    def __init__(self, root: Path, to: Path) -> None:
        self.coverage = coverage.Coverage(data_file=None, source=[str(root / "core")])
        self.core, self.to, self.seconds = root / "core", to, {}
        self.failed: set[str] = set()
        self.coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.coverage.switch_context(nodeid)
        self.began = time.perf_counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.seconds[nodeid] = time.perf_counter() - self.began
        self.coverage.switch_context("")

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data, lines = self.coverage.get_data(), {}
        for file in data.measured_files():
            by_line = data.contexts_by_lineno(file)
            # A test that fails without a mutant (for lack of a GPU, for example) kills none.
            passed = {line: [test for test in tests if test not in self.failed] for line, tests in by_line.items()}
            lines[f"core/{Path(file).relative_to(self.core)}"] = passed
        Path(f"{self.to}.{os.getpid()}").write_text(json.dumps({"seconds": self.seconds, "lines": lines}))


def record(root: Path, to: Path, workers: int) -> None:
    """Run all tests except the browser's once, in `workers` parallel parts."""
    code = (
        "import sys, pytest; from pathlib import Path; sys.path.insert(0, '.');"
        "from benchmarks.mutants import Recorder; root, to = map(Path, sys.argv[1:3]);"
        "asked = ['-q', '-p', 'no:cacheprovider', '-m', 'not browser and (claims or not full)', *sys.argv[3:]];"
        "sys.exit(pytest.main(asked, plugins=[Recorder(root, to)]))"
    )
    tests = sorted(str(p.relative_to(root)) for p in (root / "tests").rglob("test_*.py") if "/browser/" not in str(p))
    parts = [tests[k::workers] for k in range(workers)]
    running = [subprocess.Popen([sys.executable, "-c", code, str(root), str(to), *part], cwd=root) for part in parts]
    for process in running:
        process.wait()
    seconds: dict[str, float] = {}
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for part in to.parent.glob(to.name + ".*"):
        told = json.loads(part.read_text())
        seconds |= told["seconds"]
        for file, by in told["lines"].items():
            for line, names in by.items():
                lines[file][line] += filter(None, names)
        part.unlink()
    to.write_text(json.dumps({"seconds": seconds, "lines": lines}))


def killer(root: Path, file: str, text: str, tests: list[str], seconds: float) -> str:
    """Return what kills the mutant: a test's name, "time", or "" (alive). It forks, so that torch is imported once."""
    path = root / file
    original = path.read_text()
    path.write_text(text)
    log = root / "mutant.log"
    try:
        child = os.fork()
        if child == 0:
            os.setsid()
            os.chdir(root)
            with open(log, "w") as out:
                os.dup2(out.fileno(), 1)
                os.dup2(out.fileno(), 2)
            quiet = [
                "-q",
                "--tb=no",
                "-rfE",
                "-p",
                "no:cacheprovider",
                "-W",
                "ignore::pytest.PytestAssertRewriteWarning",
            ]
            os._exit(int(pytest.main(["-x", "-m", "", *quiet, *tests])))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                told = [line for line in log.read_text().splitlines() if line.startswith(("FAILED", "ERROR"))]
                if os.waitstatus_to_exitcode(status) and not told:
                    said = log.read_text()
                    if "while loading conftest" not in said:
                        raise RuntimeError(f"pytest did not run: {said[-2000:]}")
                    return "ERROR: core cannot be imported"
                return told[0] if told else ""
            time.sleep(0.05)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "time"
    finally:
        path.write_text(original)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--map", type=Path, default=Path("mutants.map"))
    parser.add_argument("--out", default="mutants.json", help="file for the result, new or from before")
    choice = parser.parse_args()
    from core.data.output_paths import OutputPathRefused, output_file

    try:
        choice.out = output_file(choice.out, lambda path: path.suffix == ".json" and path.read_bytes()[:1] == b"[")
    except OutputPathRefused as refused:
        parser.error(str(refused))
    copy = Path(tempfile.mkdtemp()) / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "__pycache__", ".*_cache"))
    if not choice.map.exists():
        record(copy, choice.map.resolve(), choice.workers)
    known = json.loads(choice.map.read_text())

    chosen = sample(copy, choice.n, choice.seed)
    children = []
    for worker in range(choice.workers):
        part = choice.out.with_suffix(f".{worker}")
        children.append((os.fork(), part))
        if children[-1][0] == 0:
            root = copy.parent / str(worker)
            shutil.copytree(copy, root)
            import streamlit.testing.v1  # noqa: F401
            import torch  # noqa: F401

            sys.path[:] = [str(root), *(p for p in sys.path if Path(p or ".").resolve() != ROOT)]
            for name in [m for m in sys.modules if m.split(".")[0] in ("core", "benchmarks", "tests")]:
                del sys.modules[name]
            with open(part, "w") as out:
                for file, k in chosen[worker :: choice.workers]:
                    tree = ast.parse((root / file).read_text())
                    node, function = places(tree)[k]
                    same = ast.unparse(tree)
                    line, how = node.lineno, change(node)
                    by_line = known["lines"].get(file, {})
                    run = [n for n in map(int, by_line) if n <= line]  # a line inside a statement may not be recorded
                    names = by_line[str(max(run))] if function and run else []
                    names = names or {test for tests in by_line.values() for test in tests}
                    runs = sorted(names, key=known["seconds"].get)[:80]
                    by = killer(root, file, ast.unparse(tree), runs, choice.seconds) if runs else ""
                    if by and not out.tell() and killer(root, file, same, runs, choice.seconds):
                        raise RuntimeError("the tests fail without a mutant, too")
                    row = {"file": file, "function": function, "line": line, "how": how, "by": by}
                    out.write(json.dumps(row) + "\n")
                    out.flush()
            os._exit(0)
    for child, _ in children:
        os.waitpid(child, 0)
    rows = [json.loads(line) for _, part in children for line in part.read_text().splitlines()]
    choice.out.write_text(json.dumps(rows, indent=1))
    for package in (*PACKAGES, ""):
        mine = [row for row in rows if fnmatch.fnmatch(row["file"], f"core/{package}*")]
        print(f"core/{package:20} {sum(bool(row['by']) for row in mine):4} of {len(mine):4} killed")


if __name__ == "__main__":
    main()
