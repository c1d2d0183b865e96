"""The texts that scripts ask for by key are in their folder's table."""

import re
from pathlib import Path

import pytest

from tests.repo.translations.structure import ASSETS, _script_labels

WIDGETS = ASSETS / "widgets"
_TABLE = re.compile(r'^import \{ labels(?: as (\w+))? \} from "([./\w-]*labels\.js)";$', re.MULTILINE)
SCRIPTS = [path for path in sorted(WIDGETS.rglob("*.js")) if _TABLE.search(path.read_text(encoding="utf-8"))]


def _asked_keys(text: str, name: str) -> set[str]:
    """Return the keys in calls of `labels("key", …)`, `labels(x ? "a" : "b")` and `labels.parts("key", …)`."""
    found = set()
    for call in re.finditer(rf"\b{name}(?:\.parts)?\(([^,`]*?)[,)]", text):
        asked = re.fullmatch(r'\s*(?:[^"]*\?\s*"([^"]+)"\s*:\s*)?"([^"]+)"\s*', call[1])
        found |= {key for key in asked.groups() if key} if asked else set()
    return found


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(WIDGETS)))
def test_every_key_that_a_script_asks_for_is_in_its_table(path: Path) -> None:
    """Catches a mistyped key, at which the script would stop in the browser only when it gets there."""
    text = path.read_text(encoding="utf-8")
    found = _TABLE.search(text)
    assert found is not None
    table = (path.parent / found[2]).resolve()
    assert _asked_keys(text, found[1] or "labels") <= set(_script_labels(table.read_text(encoding="utf-8")))
