"""The labels that addresses and receipts had before they had keys (December 2026), so that old ones still work.

`assets/old_labels.json`: room -> control -> label -> key. Nothing is added to it: since then a label can change freely.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "assets" / "old_labels.json"


@cache
def _read_table() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    table: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return table


def old_labels(module: str, control: str) -> Mapping[str, str]:
    """Return the keys of a control's former labels: `old_labels("core.rooms.masks.kinds", "mask_how")["or (|)"]`."""
    room = module.removeprefix("core.rooms.").partition(".")[0]
    return _read_table().get(room, {}).get(control, {})
