"""Keys of the frame's elements and all other keys never meet: a rule for messengers once hid "Let it write"."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.ui.frame.element_keys import KINDS, PREFIX, page_element_key, refuse_reserved_key

ROOT = Path(__file__).resolve().parents[2]
SHEETS_AND_SCRIPTS = [*(ROOT / "assets/brand").glob("*.css"), *(ROOT / "assets/widgets").rglob("*.js")]
ROOMS = [*(ROOT / "core/rooms").rglob("*.py"), *(ROOT / "core/ui/widgets").rglob("*.py")]
FRAME = [
    path
    for folder in ("core/ui", "core/lessons", "core/classroom", "pages")
    for path in (ROOT / folder).rglob("*.py")
    if path not in ROOMS
] + [ROOT / "app.py"]


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _kind(name: str) -> str | None:
    """The kind that a class of the page, "gf-pane-one-head", or the beginning of one is of."""
    rest = name.removeprefix(PREFIX).rstrip("-")
    found = [kind for kind in KINDS if rest == kind or rest.startswith(f"{kind}-")]
    return found[0] if name.startswith(PREFIX) and len(found) == 1 else None


def _heads(node: ast.expr) -> Iterator[str]:
    """Return the beginning of a text in the code, as far as it is constant."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr) and node.values:
        yield from _heads(node.values[0])
    elif isinstance(node, ast.BinOp):
        yield from _heads(node.left)
    elif isinstance(node, ast.IfExp):
        yield from (*_heads(node.body), *_heads(node.orelse))


def test_style_sheets_and_scripts_look_only_for_keys_of_the_frame():
    looked_for = {
        (_name(path), found)
        for path in SHEETS_AND_SCRIPTS
        for found in re.findall(r"st-key-([\w-]+)", path.read_text(encoding="utf-8"))
    }
    assert len(looked_for) > 50
    assert {one for one in looked_for if one[1] != PREFIX and _kind(one[1]) is None} == set()


def test_kinds_of_keys_are_distinct_and_all_in_use():
    assert [(a, b) for a in KINDS for b in KINDS if b.startswith(f"{a}-")] == []
    code = "\n".join(path.read_text(encoding="utf-8") for path in FRAME)
    by_variable = {"alike", "check", "pair", "predict"}
    assert set(re.findall(r'page_element_key\(\s*"([\w-]+)"', code)) | by_variable == KINDS


def test_rooms_and_widgets_begin_no_text_with_the_prefix():
    """Neither a key, nor the beginning of one that is put together; the bar, say, they get from the frame."""
    found = [
        (_name(path), head)
        for path in ROOMS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.expr)
        for head in _heads(node)
        if re.sub(r"[^a-zA-Z0-9_-]", "-", head.strip()).startswith(PREFIX)
    ]
    found += [
        (_name(path), "page_element_key") for path in ROOMS if "page_element_key" in path.read_text(encoding="utf-8")
    ]
    assert found == []


def test_the_frame_makes_its_keys_in_one_place():
    """A key written out in the frame's code has no prefix: an exhibit could get the same."""
    found = [
        (_name(path), head)
        for path in FRAME
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "key" and isinstance(node.func, ast.Attribute)
        for head in _heads(keyword.value)
    ]
    assert found == []


@pytest.mark.parametrize("key", ["gf-tell-me", "gf.tell.me", " gf tell", "gf-", "gf:x"])
def test_a_picture_whose_key_is_like_the_frames_is_refused(key: str):
    from core.ui.widgets.mount import mount

    with pytest.raises(ValueError, match="frame"):
        mount("matrix", key, b"")
    with pytest.raises(ValueError, match="frame"):
        refuse_reserved_key(key)


def test_other_keys_are_taken():
    for key in ("tell.1a2b", "gf", "gfx-1", "g-f", "", "head-0", page_element_key("tell", "x")):
        refuse_reserved_key(key)
    with pytest.raises(KeyError, match="not listed"):
        page_element_key("picture")
