"""Exhibits computed in the browser show the same for each choice as the server computes."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import ui
from core.browser import weights
from core.browser.message_packing import unpack_message
from core.export.exhibit_page import exhibit_page

TEXT = "Tom had a red boat. One day he took the"
LAST = 10  # the token that is read last
CASES: list[tuple[str, dict[str, str]]] = [
    ("next-token.write", {}),
    ("next-token.write", {"temperature": "2", "seed": "3", "written": "60"}),
    ("next-token.write", {"temperature": "0", "written": "3"}),
    ("next-token.write", {"temperature": "0.7", "top_k": "5", "top_p": "0.9", "text": TEXT, "written": "120"}),
    ("next-token.write", {"written": "0"}),
    ("masks.draw-your-own", {}),
    ("patches.hide", {}),
    ("patches.hide", {"hide.gone": "16.a20"}),
    ("patches.hide", {"hide.gone": "16.ffff", "hide_way": "paint it as paper"}),
    ("patches.hide", {"hide.gone": "16.ffff"}),
    ("masks.draw-your-own", {"drawn": "2.14." + "0000" * 13 + "fffc", "layer": "1"}),
    ("heads.switch-off", {"off": ""}),
    ("heads.switch-off", {"off": "0.1\n1.2", "instead": "its mean"}),
    ("heads.switch-off", {"off": "1.0", "text": TEXT}),
    ("heads.set-a-row", {}),
    ("heads.set-a-row", {"text": TEXT, "layer": "1", "head": "2", "row": f"1.2.{LAST}:0.5,0,0.5"}),
    ("heads.set-a-row", {"text": TEXT, "layer": "1", "head": "2", "row": f"1.2.{LAST}:0.5,0.1"}),
    ("heads.set-a-row", {"text": TEXT, "layer": "0", "head": "2", "row": f"1.2.{LAST}:1"}),  # of another head
]


@pytest.mark.parametrize(("name", "inputs"), CASES)
def test_the_browser_computes_what_the_server_does(
    name: str, inputs: dict[str, str], node: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: dict[str, Any] = {}
    compute = ui.compute_in_browser

    def computed(recipe: str, model: Any, parts: Any, **given: Any) -> Any:
        expected.update(parts)
        return compute(recipe, model, parts, **given)

    monkeypatch.setattr(ui, "compute_in_browser", computed)
    monkeypatch.setattr("core.export.exhibit_page.web_page", lambda content: content)  # only what stands in it
    content: Any = exhibit_page(name, inputs)
    (told,) = (one.message for one in content.sent if getattr(one, "widget", "") == "computation")
    spec = unpack_message(told)[0]
    file = weights.find_weights(Path(spec["model"]["url"]).name)
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    command = [node, str(Path(__file__).with_name("computed.mjs")), str(tmp_path / "spec.json"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for part, theirs in expected.items():
        assert alike(found[part], theirs), f"{part}: {found[part]} is not {theirs}"


def alike(ours: Any, theirs: Any) -> bool:
    """Texts are the same; numbers as close as float32 computes them; JSON has null for nan."""
    if isinstance(theirs, float):
        return ours is None if math.isnan(theirs) else ours == pytest.approx(theirs, rel=1e-3, abs=2e-4)
    if isinstance(theirs, np.ndarray):
        return alike(ours, theirs.ravel().tolist())
    if isinstance(theirs, list | tuple):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return bool(ours == theirs)
