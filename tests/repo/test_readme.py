"""The README is true: its commands, files, recipes and code agree with the project."""

import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.counts import turn
from tests.repo.readme.clone import copy_house

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_two_commands():
    assert "\npip install -r requirements.txt && streamlit run app.py\n" in README
    assert "\npip install -r requirements-dev.txt && pytest\n" in README


def test_every_requirement_is_pinned():
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        for line in lines:
            if line and not line.startswith(("#", "-r ")):
                assert re.fullmatch(r"[\w.-]+(\[\w+\])?==[\w.]+", line), f"{name}: {line!r} is not pinned"


def test_the_tree_that_it_draws_exists():
    tree = README.split("## The house")[1].split("```")[1]
    folder = ROOT
    for line in tree.strip().splitlines():
        name = line.split()[0]
        if line.startswith("  "):
            assert (folder / name).exists(), f"{folder.name}/{name} is drawn but not there"
        else:
            folder = ROOT / name
            assert folder.exists(), f"{name} is drawn but not there"


def test_links_lead_somewhere():
    for text, base in ((README, ROOT), (CONTRIBUTING, ROOT / ".github")):
        for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", text):
            assert (base / target).exists(), target


def test_recipes_and_modules_of_the_commands_exist():
    from core.train.recipes import RECIPES

    for module, first in re.findall(r"python -m ((?:core|benchmarks)\.[\w.]+)[ \t]*([\w.-]*)", README):
        assert (ROOT / (module.replace(".", "/") + ".py")).exists() or (
            ROOT / module.replace(".", "/") / "__main__.py"
        ).exists(), module
        if module == "core.train":  # a recipe, a text of one's own, or the folder of a command above
            assert first in RECIPES or first.endswith(".txt") or f"--out {first} " in README


def test_settings_are_read_by_the_code():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "core").rglob("*.py"))
    named = set(re.findall(r"`(GLASSFORMER_\w+)`", README))
    read = set(re.findall(r"[\"'](GLASSFORMER_\w+)[\"']", code))
    assert named <= read, f"the README names settings that nothing reads: {named - read}"
    assert read <= named, f"settings that the README does not name: {read - named}"


@pytest.mark.parametrize("block", re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL))
def test_its_python_runs(block):
    here = block.replace("from glassformer import", "from core.notebook import")  # installed: readme/test_notebooks.py
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", here], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def house_after(house: Path, *sections: str) -> Path:
    """A copy of the house after sections of the guide: each of their blocks in the file that it names."""
    copy_house(house)
    for section in sections:
        found = re.findall(r" *(```+)(python|markdown|diff)\n(.*?\n) *\1", section_of_guide(section), flags=re.DOTALL)
        assert found, f"the guide's section {section!r} has no file"
        for _, kind, block in found:
            write_block(house, kind, textwrap.dedent(block))
    return house


def section_of_guide(title: str) -> str:
    """The lines under a heading of the guide; a heading within a block, a lesson's step say, doesn't end it."""
    lines, fence = [], ""
    for line in CONTRIBUTING.split(f"\n## {title}\n")[1].splitlines(keepends=True):
        mark = re.match(r" *(```+)", line)
        if mark and not fence:
            fence = mark[1]
        elif line.strip() == fence:
            fence = ""
        elif line.startswith("## ") and not fence:
            break
        lines.append(line)
    return "".join(lines)


def write_block(house: Path, kind: str, block: str) -> None:
    """Write a block of the guide into the file that its first line names, or change that file as a diff says."""
    first, code = block.split("\n", 1)
    place = house / first.strip("#<!-> ")
    if kind == "diff":
        edited = place.read_text(encoding="utf-8")
        for old, new in re.findall(r"^-(.*)\n((?:\+.*\n)+)", code, flags=re.MULTILINE):
            assert edited.count(old) == 1, f"{old!r} does not stand in {place} once"
            edited = edited.replace(old, new.removeprefix("+").rstrip("\n").replace("\n+", "\n"))
        code = edited
    place.parent.mkdir(exist_ok=True)
    place.write_text(code, encoding="utf-8")


def guide_command(words: str) -> list[str]:
    """The one command of the guide that matches, as a shell splits it."""
    found = re.findall(rf"`({words})`", " ".join(CONTRIBUTING.split()))
    assert len(found) == 1, found
    return shlex.split(found[0])


def passes(house: Path, *command: str) -> None:
    program = [command[0]] if command[0] == "lint-imports" else [sys.executable, "-m", command[0]]
    run = subprocess.run([*program, *command[1:]], cwd=house, capture_output=True, text=True, timeout=3000)
    assert run.returncode == 0, f"{shlex.join(command)}\n{run.stdout[-3000:]}{run.stderr[-1000:]}"


PAGE, LESSON = "A new page in fifteen minutes", "A new lesson in fifteen minutes"
EXPERIMENT, MODEL = "A new live experiment in half an hour", "A new kind of model in half an hour"


@turn(2, 3)
def test_the_page_of_the_contributing_guide_opens(tmp_path):
    """Run those of the guide's tests that open its page; the rest run in full, below."""
    house = house_after(tmp_path / "house", PAGE)
    passes(house, "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "not full", "tests/pages/test_onward.py")


@turn(0, 3)
def test_the_model_of_the_contributing_guide_passes_the_tests_that_it_names(tmp_path):
    house = house_after(tmp_path / "house", MODEL)
    passes(house, *guide_command(r"pytest tests/[^`]* -k average"), "-q", "-p", "no:cacheprovider")


@pytest.mark.full
def test_the_experiment_of_the_contributing_guide_passes_the_tests_that_it_names(tmp_path):
    house = house_after(tmp_path / "house", EXPERIMENT)
    passes(house, "core.train.experiment", "echo")
    passes(house, *guide_command(r"pytest -m [^`]* -k echo"), "-q", "-p", "no:cacheprovider")
    record = (
        "from core.train.experiment import record_of; r = record_of('echo');"
        "assert r['curve.learned.accuracy'][-1] > 0.9 > 0.5 > r['curve.none.accuracy'][-1], r"
    )
    run = subprocess.run([sys.executable, "-c", record], cwd=house, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_all_files_of_the_contributing_guide_pass_all_checks(tmp_path):
    """Fails if the guide's own page, experiment and model don't pass the tests that it recommends (fault 26)."""
    house = house_after(tmp_path / "house", PAGE, EXPERIMENT, MODEL)
    passes(house, "core.train.experiment", "echo")
    passes(house, "tests.repo.readme.tables")
    for command in guide_command(r"ruff check [^`]* lint-imports"), guide_command(r"pytest -m [^`]* tests/repo"):
        for one in " ".join(map(shlex.quote, command)).split("'&&'"):
            more = ["-k", "not contributing_guide"] if one.startswith("pytest") else []  # it's this one
            passes(house, *shlex.split(one.replace("ruff format .", "ruff format --check .")), *more)


@pytest.mark.full
def test_the_lesson_of_the_contributing_guide_is_answered(tmp_path):
    house = house_after(tmp_path / "house", LESSON)
    named = re.search(r"`python -m (core\.lessons check\s+assets/lessons/\S+\.md)`", CONTRIBUTING)
    passes(house, *named[1].split())
    answer = (
        "from tests.library.lessons.asked import of;"
        "found = of('open-cells/1'); assert found.value == 21 and '58%' in found.sentence, found"
    )
    run = subprocess.run([sys.executable, "-c", answer], cwd=house, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
