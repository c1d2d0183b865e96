"""Where a guess is open, no panel below the picture gives it away: numbers, downloads, script, figure."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.ui.exhibit import panels
from core.ui.exhibit.drawing import Drawing
from tests.pages.rooms import clean, linked

pytestmark = pytest.mark.usefixtures("data")
PAGES = Path(__file__).resolve().parents[2] / "pages" / "families"


def panels_of(
    page: str, name: str, monkeypatch: pytest.MonkeyPatch, **address: str
) -> tuple[dict[str, Any], dict[str, Any], str, str]:
    """Numbers, arrays, script and figure of one exhibit of a page."""
    kept: dict[str, Any] = {}

    def footer(title: str, _code: Any, drawn: Drawing, key: str) -> None:
        if key == name:
            kept["shown"] = drawn
            kept["script"] = panels.script_of(title, drawn, key)

    monkeypatch.setattr(panels, "footer", footer)
    clean(linked(str(PAGES / page), **address).run())
    shown = kept["shown"]
    return shown.table(), shown.arrays(), str(kept["script"]), json.dumps(shown.figure)


def test_longer_translations(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, arrays, script, _ = panels_of("table.py", "same-question", monkeypatch, same_task="translate, longer")
    assert len(numbers["task"]) == 9 and not any("longer" in one for one in numbers["task"])
    assert arrays["curve.exact"].shape[-1] == arrays["curve.words"].shape[-1] == 3
    assert not any(name.startswith("said.") and name.endswith("translate") for name in arrays)
    assert "guess=" not in script
    numbers, arrays, script, _ = panels_of("table.py", "same-question", monkeypatch, same_guess="Just show me")
    assert len(numbers["task"]) == 12 and arrays["curve.exact"].shape[-1] == 4 and "guess=" in script
    assert "said.encoder.translate" in arrays


def test_the_recurrent_translator(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, arrays, script, figure = panels_of("encoder_decoder.py", "rivals", monkeypatch)
    assert not any("recurrent" in name for name in (*numbers, *arrays)) and "guess=" not in script
    assert '"name": "recurrent"' not in figure
    numbers, arrays, script, figure = panels_of("encoder_decoder.py", "rivals", monkeypatch, rivals_guess="both alike")
    assert "recurrent: seconds" in numbers and "curve.recurrent.exact" in arrays and "guess=" in script
    assert '"name": "recurrent"' in figure


def test_the_seventh_model(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, arrays, script, _ = panels_of("sizes.py", "law", monkeypatch)
    assert numbers["loss (nats per character)"][-1] is None and "curve.48" not in arrays and "curve.32" in arrays
    assert "guess=" not in script
    numbers, arrays, script, _ = panels_of("sizes.py", "law", monkeypatch, law_guess="above both")
    assert numbers["loss (nats per character)"][-1] > 0 and "curve.48" in arrays and "guess=" in script
