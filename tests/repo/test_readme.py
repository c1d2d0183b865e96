"""The README is true: its commands, files, recipes and code are those of the project."""

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

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


def test_the_tree_that_it_draws_stands():
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
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", block], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def house_after(section: str, house: Path) -> Path:
    """A copy of the house after a section of the guide: each of its blocks in the file that it names."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, files):
        if (ROOT / name).exists():
            (house / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, house / name)
    guide = CONTRIBUTING.split(f"\n## {section}\n")[1].split("\n## A new ")[0]
    for _, kind, block in re.findall(r" *(```+)(python|markdown|diff)\n(.*?\n) *\1", guide, flags=re.DOTALL):
        first, code = textwrap.dedent(block).split("\n", 1)
        place = house / first.strip("#<!-> ")
        if kind == "diff":
            edited = place.read_text(encoding="utf-8")
            for old, new in re.findall(r"^-(.*)\n((?:\+.*\n)+)", code, flags=re.MULTILINE):
                assert edited.count(old) == 1, f"{old!r} does not stand in {place} once"
                edited = edited.replace(old, new.removeprefix("+").rstrip("\n").replace("\n+", "\n"))
            code = edited
        place.parent.mkdir(exist_ok=True)
        place.write_text(code, encoding="utf-8")
    return house


def passes(house: Path, *command: str) -> None:
    run = subprocess.run([sys.executable, "-m", *command], cwd=house, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-1000:]


@pytest.mark.slow
def test_the_page_of_the_contributing_guide_passes_the_tests_that_it_names(tmp_path):
    house = house_after("A new page in fifteen minutes", tmp_path / "house")
    assert "`pytest tests/pages tests/repo` opens every page" in CONTRIBUTING
    asked = (
        "tests/pages/test_app.py",
        "tests/pages/test_onward.py",
        "tests/repo/test_house.py",
    )  # of those: of its place
    passes(house, "pytest", "-q", "-p", "no:cacheprovider", "-m", "not full", *asked)


def test_the_model_of_the_contributing_guide_passes_the_tests_that_it_names(tmp_path):
    house = house_after("A new kind of model in half an hour", tmp_path / "house")
    named = re.search(r"`pytest (tests/.* -k average)` asks", CONTRIBUTING)
    passes(house, "pytest", "-q", "-p", "no:cacheprovider", *named[1].split())
    for command in (["check"], ["format", "--check"]):
        passes(house, "ruff", *command, "core/models", "tests/library/parity/test_average.py")


@pytest.mark.full
def test_the_experiment_of_the_contributing_guide_passes_the_tests_that_it_names(tmp_path):
    house = house_after("A new live experiment in half an hour", tmp_path / "house")
    passes(house, "core.train.experiment", "echo")
    named = re.search(r"`pytest (-m .* -k echo)` asks", CONTRIBUTING)
    passes(house, "pytest", "-q", "-p", "no:cacheprovider", *shlex.split(named[1]))
    passes(house, "ruff", "check", "core/rooms/masks/experiments")
    record = (
        "from core.train.experiment import record_of; r = record_of('echo');"
        "assert r['curve.learned.accuracy'][-1] > 0.9 > 0.5 > r['curve.none.accuracy'][-1], r"
    )
    run = subprocess.run([sys.executable, "-c", record], cwd=house, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr


@pytest.mark.full
def test_the_lesson_of_the_contributing_guide_is_answered(tmp_path):
    house = house_after("A new lesson in fifteen minutes", tmp_path / "house")
    named = re.search(r"`python -m (core\.lessons check\s+assets/lessons/\S+\.md)`", CONTRIBUTING)
    passes(house, *named[1].split())
    answer = (
        "from tests.library.lessons.asked import of;"
        "found = of('open-cells/1'); assert found.value == 21 and '58%' in found.sentence, found"
    )
    run = subprocess.run([sys.executable, "-c", answer], cwd=house, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
