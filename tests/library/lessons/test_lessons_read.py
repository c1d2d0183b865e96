"""The format of lessons: the parse of a good file, and the problems of a wrong one, line by line."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from core.lessons import __main__ as command
from core.lessons.computed_answers import ComputedAnswer, compute_answer
from core.lessons.format import catalog, name_checks, plain_yaml
from core.lessons.format.lesson import (
    CheckQuestion,
    ChoiceForm,
    CodeExcerpt,
    CurveAnswerForm,
    ExhibitPart,
    ExhibitTask,
    LessonRefused,
    NumberForm,
    PredictQuestion,
    Prose,
)
from core.lessons.format.parser import parse_lesson
from core.lessons.lesson_ui.conditions import lesson_condition_problem, trainable_names
from core.rooms import all_exhibits

ROOT = Path(__file__).parents[3]
HEAD = "---\ntitle: T\nabout: A.\nminutes: 5\ntrains: a GPT\n---\n"
STEP = HEAD + "## One\n\n"  # a block that follows begins in line 9


def example() -> str:
    """Return the complete example of the README for authors."""
    text = (ROOT / "assets" / "lessons" / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^`````markdown\n(.*?)^`````$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def problems(text: str) -> list[tuple[int, str]]:
    """Return the messages of `check` about a text."""
    with pytest.raises(LessonRefused) as refused:
        catalog._check_lesson_text(text, "one")
    return [(one.line, one.message) for one in refused.value.problems]


def test_the_example_for_teachers_is_a_lesson_with_every_kind_of_part() -> None:
    lesson = catalog._check_lesson_text(example(), "example")
    assert lesson.title == "What does it look at?" and lesson.minutes == 10 and lesson.needs == ("masks",)
    kinds = {type(part) for step in lesson.steps for part in step.parts}
    assert kinds == {Prose, PredictQuestion, ExhibitPart, ExhibitTask, CheckQuestion, CodeExcerpt}
    assert not name_checks.unknown_prerequisites(lesson, catalog.lesson_files())
    guess = next(part for part in lesson.steps[0].parts if isinstance(part, PredictQuestion))
    assert guess.form == NumberForm(low=1, high=25, unit="cells")
    came = compute_answer(guess)
    assert isinstance(came, ComputedAnswer) and came.value == 15  # what its prose says
    deeper = [part.depth for step in lesson.steps for part in step.parts if isinstance(part, Prose)]
    assert {"story", "numbers"} == set(deeper)


def test_every_lesson_of_the_house_is_one_and_names_only_what_there_is() -> None:
    found = catalog.lesson_files()
    assert {one.file: one.problems for one in found.values() if one.lesson is None} == {}
    for lesson in catalog.catalog_lessons().values():
        assert not name_checks.unknown_prerequisites(lesson, found)
        dos = [part for step in lesson.steps for part in step.parts if isinstance(part, ExhibitTask)]
        assert found[lesson.slug].course == "short" or any("trained " in one.when for one in dos), lesson.slug
        order = list(found)
        assert all(order.index(need) < order.index(lesson.slug) for need in lesson.needs), lesson.slug


def test_parts_keep_their_order_and_prose_keeps_its_code() -> None:
    lesson = parse_lesson(
        STEP + "Before.\n\n```python\nx = 1\n```\n\nMore.\n\n```exhibit masks.draw-your-own\n"
        "set: {off: ['1', '2'], on: no}\nlock: [layer]\n```\n\nA rule:\n---\n\n## Two\n",
        "one",
    )
    prose, piece, rule = lesson.steps[0].parts
    assert isinstance(prose, Prose) and "x = 1" in prose.text and prose.text.startswith("Before.")
    assert (
        isinstance(piece, ExhibitPart) and piece.values == {"off": ["1", "2"], "on": "no"} and piece.lock == ("layer",)
    )
    assert isinstance(rule, Prose) and len(lesson.steps) == 2  # a rule of dashes makes no heading of the text above
    assert piece.line == 17


def test_forms_of_answers() -> None:
    block = "```predict\nask: A?\n{}\nright: {}\n```\n"
    for form, right, expected in (
        ("options: {a: 1, b: two}", "a", ChoiceForm(options={"a": "1", "b": "two"})),
        ("number: {low: -1, high: 1e3, unit: '%'}", "0.5", NumberForm(low=-1, high=1000, unit="%")),
        ("curve: {x: [1, 2, 4], low: 0, high: 1, x_title: step}", "[0, 1, 0.5]", None),
    ):
        (part,) = parse_lesson(STEP + block.format(form, right), "one").steps[0].parts
        assert isinstance(part, PredictQuestion)
        assert part.form == (expected or CurveAnswerForm(x=(1, 2, 4), low=0, high=1, x_title="step", y_title=""))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with a head"),
        ("# Masks\n", 1, "begins with a head"),
        (HEAD, 7, "no step"),
        (HEAD + "Text first.\n## One\n", 7, "before the first step"),
        (HEAD + "##\ntext\n", 7, "no title"),
        (HEAD.replace("minutes: 5", "minutes: true") + "## One\n", 4, "whole number"),
        (HEAD.replace("minutes: 5", "minutes: 2 hours") + "## One\n", 4, "whole number"),
        (HEAD.replace("title: T\n", "") + "## One\n", 1, "needs a title"),
        (HEAD.replace("title: T", "titel: T") + "## One\n", 2, "has no field 'titel'"),
        (HEAD.replace("title: T", "title: a: b") + "## One\n", 2, "colon within a text"),
        (HEAD.replace("title: T", "title: T\ntitle: U") + "## One\n", 3, "occurs twice"),
        (HEAD.replace("trains: a GPT", "trains: a GPT\nneeds: masks") + "## One\n", 6, "a list of texts"),
        (HEAD.replace("trains: a GPT", "trains: a GPT\nsources:\n  - Raffel: T5") + "## One\n", 6, "colon"),
        (STEP + "```predict\nask: A?\n```\n", 9, "either answer"),
        (STEP + "```predict\nask: A?\noptions: {a: x}\nright: a\n```\n", 11, "1 options"),
        (STEP + "```predict\nask: A?\noptions: {a: x, b: y}\nright: c\n```\n", 12, "none of the options"),
        (STEP + "```predict\nask: A?\nnumber: {low: 3, high: 3}\nright: 3\n```\n", 11, "low below high"),
        (STEP + "```predict\nask: A?\nnumber: {low: .nan, high: .inf}\nright: 3\n```\n", 11, "low below high"),
        (STEP + "```predict\nask: A?\ncurve: {x: [2, 1], low: 0, high: 1}\nright: [0, 0]\n```\n", 11, "rising"),
        (STEP + "```check\nask: A?\noptions: {a: x, b: y}\nright: a\nwy: {}\n```\n", 13, "has no field 'wy'"),
        (STEP + "```exhibit\n```\n", 9, "Name the exhibit"),
        (STEP + "```exhibit masks.drw-your-own\n```\n", 9, "draw-your-own"),
        (STEP + "```exhibit masks.draw-your-own\nset: [1]\n```\n", 10, "form {name: value}"),
        (STEP + "```exhibit masks.draw-your-own\nlock: layer\n```\n", 10, "is a list"),
        (STEP + "```exhibit masks.draw-your-own\nset: {'Größe': 1}\n```\n", 10, "isn't the name of a control"),
        (STEP + "```exhibit masks.draw-your-own\nset: {layer: 1\n```\n", 11, "bracket"),
        (STEP + "```exhibit masks.draw-your-own\n```\n```exhibit masks.draw-your-own\n```\n", 9, "occurs twice"),
        (STEP + "```exibit masks.draw-your-own\n```\n", 9, "Did you mean exhibit?"),
        (STEP + "```exhibit masks.draw-your-own\n", 9, "not closed"),
        (STEP + "```do\nsay: Move.\nwhen: changed head\n```\n", 9, "below the exhibit"),
        (STEP + "```do\nsay: Train.\nwhen: trained nothing\n```\n", 9, "no experiment 'nothing'"),
        (STEP + "```code core.nn.masks:causl\n```\n", 9, "no code"),
        (STEP + "```code os:system\n```\n", 9, "Name the code"),
        (STEP + "```deeper deep\n```\n", 9, "deeper needs one of"),
        (STEP + "![x](https://example.com/x.png)\n", 9, "loads none"),
        (STEP + "![x][r]\n\n[r]: //example.com/x.png\n", 9, "loads none"),
        (STEP + "```deeper formula\n![x](//example.com/x.png)\n```\n", 10, "loads none"),
        (STEP + "```do\nsay: ![x](//example.com/x.png)\nwhen: changed head\n```\n", 10, "loads none"),
        (STEP + '```do\nsay: "\\x21[x](//example.com/x.png)"\nwhen: changed head\n```\n', 10, "loads none"),
        (HEAD.replace("trains: a GPT", "trains: a GPT\nsources: ['![x](//a.b)']") + "## One\n", 6, "loads none"),
        (STEP + "```exhibit masks.draw-your-own\nset: &a {b: *a}\n```\n", 10, "& or *"),
        (STEP + "```exhibit masks.draw-your-own\nset: !!python/object:os.system {}\n```\n", 10, "tag"),
    ],
)
def test_problems_are_reported_with_their_lines(text: str, line: int, said: str) -> None:
    told = problems(text)
    assert any(at == line and said in message for at, message in told), told


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("head = 3", None), ("changed head and trained induction", None), ("clicked heads.grid", None),
        ("trained studio", None), ("text = rock and roll", "isn't a condition"), ("", "isn't a condition"),
        ("head == 3", "isn't a condition"), ("Head = 3", "isn't a condition"), ("head < three", "only numbers"),
        ("trained gpt5", "no experiment"), ("__import__('os')", "isn't a condition"),
        ("a = 1 and " * 100, "at most 300"),
    ],
)  # fmt: skip
def test_conditions(when: str, said: str | None) -> None:
    found = lesson_condition_problem(when)
    assert found is None if said is None else said in (found or "")


def test_every_training_of_an_exhibit_is_an_experiment() -> None:
    from core.train.experiment import EXPERIMENTS

    assert trainable_names() - {"studio"} <= set(EXPERIMENTS)


def test_yaml_is_plain() -> None:
    text = "a: yes\nb: 2020-01-02\nc: 1e-3\nd: true\ne: 0x10\n<<: x\n"
    assert plain_yaml.load_yaml(text)[0] == {"a": "yes", "b": "2020-01-02", "c": 0.001, "d": True, "e": 16, "<<": "x"}
    # “true” was once recognized by its first letters.
    assert plain_yaml.load_yaml("a: True story\nb: 1e5 tokens\n")[0] == {"a": "True story", "b": "1e5 tokens"}


def test_exhibits_are_listed_with_titles_and_controls() -> None:
    for name, entry in all_exhibits().items():
        found = command._exhibit_names(entry)
        assert found.title != entry.location.split(":")[1] and found.results, name
    kinds = command._exhibit_names(all_exhibits()["masks.kinds-of-masks"])
    assert "mask_how" in kinds.controls and {"given", "how"} <= {*kinds.inputs}
    assert {"mask", "weights", "all_scores"} <= {*kinds.results}


def test_code_is_found_by_its_text_alone() -> None:
    assert name_checks._is_defined("core.nn.masks:causal") and name_checks._is_defined(
        "core.nn.attention:MultiHeadAttention.forward"
    )
    assert not name_checks._is_defined("core.nn.masks:nothing") and not name_checks._is_defined("core.nothing:x")


def test_the_command_checks_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, wrong = tmp_path / "01-good.md", tmp_path / "02-wrong.md"
    good.write_text(example())
    wrong.write_text(HEAD + "## One\n```do\nsay: x\n```\n")
    assert command.main(["check", str(good)]) == 0
    assert "ok: What does it look at?, 3 steps, 2 questions" in capsys.readouterr().out
    assert command.main(["check", str(good), str(wrong), str(tmp_path / "none.md")]) == 1
    said = capsys.readouterr().out
    assert "02-wrong.md, line 8: when is missing: a text." in said and "none.md: the file cannot be read" in said
    good.write_text(example().replace("[masks]", "[maks]"))
    assert command.main(["check", str(good)]) == 1
    assert "there is no lesson 'maks'. Did you mean masks?" in capsys.readouterr().out


def test_the_command_lists_what_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in [*all_exhibits(), *trainable_names()])
    assert re.search(r"results: .*\bmask, .*row_sums, ", said)


def test_an_exhibit_that_isnt_drawn_in_time_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a busy machine the command ended with a traceback."""
    lesson = tmp_path / "mine.md"
    lesson.write_text(HEAD + "## One\n```exhibit masks.kinds-of-masks\n```\n")

    def never(*_: object, **__: object) -> None:
        raise RuntimeError("AppTest script run timed out after 600(s)")

    monkeypatch.setattr("streamlit.testing.v1.AppTest.run", never)
    assert command.main(["check", str(lesson)]) == 1
    assert "mine.md, line 8: masks.kinds-of-masks: it wasn't drawn in time." in capsys.readouterr().out


def test_the_command_draws_what_the_lesson_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An impossible value is found by drawing the control; an unknown name may be meant, so it's a question."""
    lesson = tmp_path / "mine.md"
    step = "## One\n```exhibit masks.kinds-of-masks\nset: {mask_how: maybe}\n```\n"
    lesson.write_text(HEAD + step)
    assert command.main(["check", str(lesson)]) == 1
    assert "mine.md, line 8: masks.kinds-of-masks: " in (said := capsys.readouterr().out) and "maybe" in said
    lesson.write_text(HEAD + step.replace("set: {mask_how: maybe}", "hide: [mask_reads, mask_hwo]"))
    assert command.main(["check", str(lesson)]) == 0
    said = capsys.readouterr().out
    assert "is that meant? hide: masks.kinds-of-masks shows no control 'mask_hwo'" in said
    assert "Did you mean mask_how" in said and "'mask_reads'" not in said


def test_a_lesson_is_read_without_torch() -> None:
    code = (
        "import sys; from pathlib import Path; from core.lessons.format import catalog; "
        "catalog.check_lesson_file(Path('assets/lessons/05-masks.md')); sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
