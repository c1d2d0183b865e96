"""The README is true: its commands, files, recipes and code agree with the project."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


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
    """Of the README and of everything next to CONTRIBUTING; and the paths that the page on the architecture names."""
    pages = [ROOT / "README.md", *(ROOT / ".github").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?://)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
    named = re.findall(
        r"`((?:core|assets|pages|tests)/[\w./]+)`", (ROOT / ".github/ARCHITECTURE.md").read_text(encoding="utf-8")
    )
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


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
