"""The wheel, for notebooks: `core` as `glassformer.core`, and of the assets what its pictures need.

    pip install .
    python -c "from glassformer import heads; heads('stories', 'Tom and Mia')"

The app itself runs from this folder. There `core` is called `core`; a name so short would collide with others' in an
environment, so each import says another on the way into the wheel. All else stands in pyproject.toml.
"""

import re
import shutil
from pathlib import Path

from setuptools.build_meta import *  # noqa: F403
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ("widgets", "brand", "models", "notebooks", "labels")
OURS = "|".join(sorted({path.stem for path in (ROOT / "core").iterdir()} - {"__init__", "__pycache__"}))
IMPORTS = re.compile(rf"(?<![\w./])core(?=\.(?:{OURS})\b)|(?<=^from )core(?= import)", re.MULTILINE)
FRONT = '''"""A transformer that you can see through; `.github/API.md` in the repository documents these names."""

from glassformer import core

__all__ = core.__all__


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(name)
    return getattr(core, name)
'''


class BuildPy(build_py):
    """Copies and renames."""

    def run(self) -> None:
        package = Path(self.build_lib) / "glassformer"
        for path in sorted((ROOT / "core").rglob("*.py")):
            _write(package / path.relative_to(ROOT), renamed(path.read_text(encoding="utf-8")))
        for name in ASSETS:
            shutil.copytree(ROOT / "assets" / name, package / "assets" / name, dirs_exist_ok=True)
        for path in sorted((ROOT / "assets" / "rooms").glob("*/labels.md")):  # of the widgets that notebooks show
            _write(package / path.relative_to(ROOT), path.read_text(encoding="utf-8"))
        for path in sorted((package / "assets" / "notebooks").glob("*.ipynb")):
            _write(path, renamed(path.read_text(encoding="utf-8")))
        _write(package / "__init__.py", FRONT)
        shutil.copy(ROOT / "pyproject.toml", package)  # a page tells its version


def renamed(text: str) -> str:
    """A module whose imports say `glassformer.core`."""
    return IMPORTS.sub("glassformer.core", text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
