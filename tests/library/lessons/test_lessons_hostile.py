"""Files that aren't lessons: whatever is in a folder of lessons, the problems of each file are reported quickly."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.lessons.format import catalog
from core.lessons.format.lesson import Lesson, LessonProblem, LessonRefused
from tests.counts import at_most
from tests.library.lessons.test_lessons_read import HEAD, STEP, example

IS_FULL = os.environ.get("GLASSFORMER_FULL") == "1"
SECONDS = 5.0  # a blow-up takes minutes; the slowest takes one second on a slow machine
GOOD = example()


def block(kind: str, body: str) -> str:
    """A lesson with one block."""
    return f"{STEP}```{kind}\n{body}\n```\n"


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
YAML = [
    BOMB, "<<: *x", "a: &a [*a]", "!!python/object/apply:os.system [echo x]", "set: !!python/name:os.system",
    "!!binary aGk=", "set: !include /etc/passwd", "? [a, b]\n: c", "? {a: b}\n: c", "- a\n- b", "just text", "1", "~",
    "a: 'x", 'a: "\\ud800"', 'a: "\\0"', "\ta: b", "a:\n\t- b", "a: b: c", "{" * 5000, "[" * 5000,
    "a: " + "[" * 500 + "]" * 500, "a: " + "9" * 5000, "a: 1e999", "a: -.inf", "a: .nan", "a: 2020-13-45", "a: 0o9",
    "a: 0b2", "a: 1:2:3:4:5:6:7", "a: |\n" + "  x\n" * 3000, "a: " + "x" * 60_000, "a: >\n" + " " * 7000,
    "%YAML 9.9\n---\na: b", "--- a\n--- b", "a: b\n...\nc: d", "a: @b", "a: `b", "a: %b", "a: *", "a: &", "a: !",
    "a: |2", "a: >-+", "'': ''", "null: null", "true: false", ".nan: .nan", "set: {set: {set: {set: {}}}}",
    "set: null\nlock: null\nhide: null", "lock: [[[]]]", "hide: {a: b}", "set: {__class__: 1}",
    "set: {a: [1, 2, {b: c}]}", "set: {'a b': 1}", 'set: {"a\\nb": 1}', "lock: ['../x']", "ask: null\noptions: null",
    "options: {a: null, b: null}", "options: {a: {}, b: []}", "options: [a, b]", "number: 5",
    "number: {low: a, high: b}", "curve: {x: 5, low: 0, high: 1}",
    "curve: {x: [" + "1, " * 3000 + "2], low: 0, high: 1}", "right: {a: b}", "with: [1]", "because: [1]",
]  # fmt: skip
BODIES = [
    "", "x", "\n" * 40, "\n## x" * 10_000, "[" * 50_000, "`" * 50_000, "*a_ " * 15_000, "- " * 20_000, "<a " * 20_000,
    "![" * 20_000, "```do\n```\n" * 3000, "```" * 20_000, "~~~exhibit a.b\n", "```",
    "````exhibit masks.draw-your-own\n```\n", "- ```do\n  say: x\n  ```\n",
    "<script>alert(1)</script>\n<img src=x onerror=alert(1)>\n",
]  # fmt: skip
TEXTS = [
    "", "\n", " ", "---", "---\n---", "---\n---\n", "---\n" * 1000, "---\n---\n## x", HEAD, HEAD * 3, HEAD + "##",
    HEAD + "## " * 5000, HEAD + "> " * 20_000, HEAD + "Title\n=====\n## x\n",
    *(HEAD + "## x\n" + body for body in BODIES), *(HEAD + f"## {title}\n" for title in (
        "<script>alert(1)</script>", "$\\href{javascript:alert(1)}{x}$", "\u202egnp.exe", "e\u0301" * 1000,
        "\U0001f469\u200d\U0001f4bb" * 70)),
    "\ufeff" + GOOD, GOOD.replace("\n", "\r\n"), GOOD.replace("\n", "\r"), GOOD + "\x00", GOOD + "\x1b[2J", GOOD * 2,
    GOOD[: len(GOOD) // 2], GOOD.upper(), GOOD[::-1], HEAD.replace("T", "x" * 5000) + "## x",
    HEAD.replace("minutes: 5", "minutes: " + "9" * 4400) + "## x", HEAD.replace("A.", "|\n  a\n  b") + "## x",
    HEAD.replace("---\n", "+++\n") + "## x", HEAD.replace("---\n", "--- \n") + "## x",
]  # fmt: skip
BYTES = [
    b"\xff\xfe" + GOOD.encode("utf-16-le"), GOOD.encode("utf-16"), GOOD.encode("utf-32"), b"\xff\xfe", b"\xc3\x28",
    b"\xed\xa0\x80", GOOD.replace("“", "\xfc").replace("”", "\xfc").encode("latin-1"), bytes(range(256)) * 40,
    b"\x89PNG\r\n\x1a\n" + b"\0" * 100, b"\x80\x04\x95cos\nsystem\n", b"PK\x03\x04" + b"\0" * 50, b"a" * 10_000_000,
    b"\n" * 10_000_000, b"\x1f\x8b" * 1000, b"%PDF-1.7",
]  # fmt: skip
TEMPLATES = [
    "(" * 3000, "[" * 3000 + "]" * 3000, "not " * 1500 + "1", "1 + " * 1500 + "1", "9" * 5000, "9" * 5000 + " + 1",
    "1 / 0", "9.0 ** 400", "mask" + "[0]" * 2000, "a.__class__.__mro__", "{% include '/etc/passwd' %}",
    "{% for i in range(10**9) %}{{ i }}", "}} {{ 1", "x|map('dump')",
]  # fmt: skip
QUESTION = "ask: A?\nnumber: {{low: 0, high: 1}}\nexhibit: masks.kinds-of-masks\nanswer: {}\nfound: >-\n  {}"
CASES = (
    [block("exhibit masks.draw-your-own", one).encode("utf-8", "surrogatepass") for one in YAML]
    + [block(kind, one).encode() for kind in ("predict", "check", "do") for one in YAML[:12]]
    + [f"---\n{one}\n---\n## x\n".encode("utf-8", "surrogatepass") for one in YAML[:20]]
    + [one.encode() for one in TEXTS]
    + [block("predict", QUESTION.format(f">-\n  {one}", "x")).encode() for one in TEMPLATES]
    + [block("predict", QUESTION.format("1", "{{ " + one + " }}")).encode() for one in TEMPLATES]
    + BYTES
)


def told(path: Path) -> None:
    """Check that the file is quickly read as a lesson, or refused with clear messages and existing line numbers."""
    with at_most(SECONDS):
        try:
            found: Lesson | None = catalog.check_lesson_file(path)
            problems: tuple[LessonProblem, ...] = ()
        except LessonRefused as refused:
            found, problems = None, refused.problems
    n_line = path.read_bytes().count(b"\n") + path.read_bytes().count(b"\r") + 2
    for one in problems:
        assert 1 <= one.line <= n_line, (one, n_line)
        assert one.message and "Traceback" not in one.message and "object at 0x" not in one.message
    assert problems if found is None else found.steps


@pytest.mark.parametrize("case", range(len(CASES)))
def test_hand_made(case: int, tmp_path: Path) -> None:
    path = tmp_path / "one.md"
    path.write_bytes(CASES[case])
    told(path)


def test_nothing_is_executed(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    for tag in ("object/apply:os.system", "object/new:os.system", "object/apply:subprocess.run"):
        path = tmp_path / "one.md"
        path.write_text(block("exhibit masks.draw-your-own", f"set: !!python/{tag} ['touch {marker}']"))
        told(path)
        path.write_text(f"---\ntitle: !!python/{tag} ['touch {marker}']\n---\n## x\n")
        told(path)
    assert not marker.exists()


SIGNS = ["---\n", "## ", "```", "```do\n", "```predict\n", ": ", "- ", "&a ", "*a ", "!!x ", "|\n", "\ufeff", "9" * 50]
PIECES = st.one_of(st.text(max_size=30), st.sampled_from([*SIGNS, *"{}[]\n\t'\"#$\0"]))


@pytest.mark.full
@settings(
    max_examples=20_000 if IS_FULL else 350,
    derandomize=not IS_FULL,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 60), PIECES), min_size=1, max_size=6))
def test_mutated(tmp_path: Path, cuts: list[tuple[int, int, str]]) -> None:
    text = GOOD
    for at, length, piece in cuts:
        text = text[:at] + piece + text[at + length :]
    path = tmp_path / "one.md"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    told(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are Unix's")
def test_odd_things_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, outside = tmp_path / "lessons", tmp_path / "secret.md"
    folder.mkdir()
    outside.write_text("a secret")
    monkeypatch.setenv("GLASSFORMER_LESSONS", str(folder))
    (folder / "30-mine.md").write_text(GOOD)
    (folder / "31-again-mine.md").write_text(GOOD)
    (folder / "32-mine.md").write_text(GOOD)  # the same name without its number
    (folder / "05-masks.md").write_text(GOOD)  # the name of a lesson of the house
    (folder / "33-linked.md").symlink_to(folder / "30-mine.md")
    (folder / "34-outside.md").symlink_to(outside)
    (folder / "35-loop.md").symlink_to(folder / "35-loop.md")
    (folder / "36-gone.md").symlink_to(folder / "nothing")
    (folder / "37-folder.md").mkdir()
    os.mkfifo(folder / "38-pipe.md")
    (folder / "README.md").write_text("About the folder.")
    (folder / ".39-hidden.md").write_text("x")
    (folder / "notes.txt").write_text("x")
    (folder / "40 odd\nname\u202e.md").write_text(GOOD)
    (folder / "41-<script>.md").write_text(GOOD)
    with open(os.fsencode(folder) + b"/42-\xff.md", "wb") as file:
        file.write(GOOD.encode())
    found = {one.file: one for one in catalog.lesson_files().values() if not one.is_own}
    good = {name for name, one in found.items() if one.lesson is not None}
    assert good == {"30-mine.md", "31-again-mine.md", "33-linked.md"}
    assert len(found) == 13 and all(one.problems for name, one in found.items() if name not in good)
    assert "has this name already" in found["05-masks.md"].problems[0].message
    assert catalog.lesson_files()["masks"].is_own
    assert "secret" not in repr(found)
    assert all("folder" in found[name].problems[0].message for name in ("34-outside.md", "37-folder.md", "38-pipe.md"))


def test_a_changed_file_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_LESSONS", str(tmp_path))
    path = tmp_path / "30-mine.md"
    path.write_text(GOOD)
    assert catalog.lesson_files()["mine"].lesson is not None
    path.write_text(GOOD.replace("minutes: 10", "minutes: x"))
    assert catalog.lesson_files()["mine"].problems
    monkeypatch.setenv("GLASSFORMER_LESSONS", str(tmp_path / "nowhere"))
    assert "mine" not in catalog.lesson_files()
