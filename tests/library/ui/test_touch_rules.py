"""Rules that keep a finger's mark: read off the widgets' scripts with every change; `tests/browser/test_touch.py` taps.

Faults that these would catch: a picture that forgets its mark when a finger goes; one that hears a moving mouse and no
tap; one over which two fingers cannot zoom the page.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "assets" / "widgets").rglob("*.js"))
POINTER = ROOT / "assets" / "widgets" / "drawing" / "input.js"
DRAWN_ON = {"pictures/canvas.js": "none"}  # the field for a digit is there to be drawn on


def _name(path: Path) -> str:
    return path.relative_to(ROOT / "assets" / "widgets").as_posix()


def test_a_mark_goes_with_a_mouse_and_never_with_a_finger() -> None:
    wrong = []
    for path in SCRIPTS:
        for found in re.finditer(r"pointerleave", text := path.read_text(encoding="utf-8")):
            if path != POINTER and "pointerType" not in text[found.start() : found.start() + 200]:
                wrong.append(_name(path))
    assert set(wrong) <= {"page/terms.js"}, "use pointer() or mouseLeaves() of drawing/input.js"


def test_what_hears_a_pointer_move_or_come_hears_a_tap() -> None:
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        if re.search(r'"pointermove"|onpointerenter', text):
            assert re.search(r'"pointerdown"|onpointerdown|onclick|"click"', text), _name(path)


ACTION = re.compile(r"""touch-?[aA]ction["']?(?::| =) ?["']?([a-z -]*)""")


def test_two_fingers_zoom_over_every_picture() -> None:
    for path in [*SCRIPTS, *(ROOT / "assets" / "brand").glob("*.css")]:
        allowed = DRAWN_ON.get(_name(path)) if path in SCRIPTS else None
        for value in ACTION.findall(path.read_text(encoding="utf-8")):
            assert value.strip() in ("", "auto", "is", allowed) or "pinch-zoom" in value, (path.name, value)
