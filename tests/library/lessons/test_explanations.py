"""The marks in explanations: what is refused, and what it says to do."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.lessons import __main__ as command
from core.lessons.format.explanation_evidence_labels import (
    DEFINITION,
    EXPLANATION,
    MARKS,
    MEASURED,
    _mark_problems,
    _split_marks,
    explanation_problems,
)
from core.lessons.format.parser import parse_lesson
from tests.library.lessons.test_lessons_read import HEAD, STEP, example

SOURCES = ("Dong et al. (2021) say so.", "It's old (Shannon, 1948).", "See [this](https://a.org/b).",
           "We haven't tested that.", "We haven’t tested that.", "In Hu et al. (2021a), too.",
           "It's known (Kim and Lee, 2019; Ito, 2020).")  # fmt: skip
CHECK = "```check\nask: A?\noptions: {{a: x, b: y}}\nright: a\nbecause: {}\n```\n"


@pytest.mark.parametrize(
    ("because", "said"),
    [
        ("It averages.", "begin with a mark"),
        ("It averages. **Measured:** so it is.", "begin with a mark"),
        ("**Explanation:** it averages.", "isn't a mark"),
        ("**measured:** it averages.", "isn't a mark"),
        ("**Measured**: it averages.", "begin with a mark"),
        ("**Measured:** ", "write a sentence"),
        ("**Measured:** it falls, **By definition:** so it does.", "begins a sentence"),
        ("**Our explanation:** it averages.", "name a source"),
        ("**Our explanation:** it averages 2021 rows.", "name a source"),
        ("**Our explanation:** it averages (in 2021).", "name a source"),
        ("**Our explanation:** it averages. **Measured:** so say Dong et al. (2021).", "name a source"),
    ],
)
def test_what_is_refused(because: str, said: str) -> None:
    assert said in " ".join(_mark_problems(because))


@given(st.lists(st.tuples(st.sampled_from(MARKS), st.sampled_from(SOURCES)), max_size=6))
def test_marks_in_any_order_with_a_source_are_fine(pieces: list[tuple[str, str]]) -> None:
    because = " ".join(f"**{mark}:** {text}" for mark, text in pieces)
    assert _mark_problems(because) == []
    assert _split_marks(because) == pieces


@given(st.text(alphabet="ab .*:M", max_size=20))
def test_no_text_is_without_a_mark(text: str) -> None:
    """This catches a sentence that slips through, whatever it looks like."""
    assert bool(_mark_problems(text)) == bool(text.strip())


@pytest.mark.parametrize("mark", [MEASURED, EXPLANATION, DEFINITION])
def test_the_line_is_that_of_the_question(mark: str) -> None:
    lesson = parse_lesson(
        STEP + CHECK.format(f'"**{mark}:** so it is (Ito, 2020)."') + CHECK.format("So it is."), "one"
    )
    assert [one.line for one in explanation_problems(lesson)] == [15]


def test_the_command_refuses_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "20-mine.md"
    file.write_text(HEAD + "## One\n\n" + CHECK.format("So it is."), encoding="utf-8")
    assert command.main(["check", str(file)]) == 1
    assert "line 9: because: begin with a mark" in capsys.readouterr().out


def test_the_example_for_teachers_has_its_marks() -> None:
    assert explanation_problems(parse_lesson(example(), "example")) == []
