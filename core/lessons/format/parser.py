"""The parser of lessons: it turns a Markdown file into a lesson, or into a list of problems with their lines.

A second-level heading begins a step. Everything that is not prose is a fenced block whose first word is its kind; its
body is YAML, except for `parse_deeper_block`, whose body is Markdown:

    ```exhibit masks.draw-your-own        ```predict               ```do
    set: {mask: causal}                   ask: How many …?         say: Close a cell.
    lock: [layer]                         number: {low: 0, …}      when: changed mask
    ```                                   answer: masks.open       ```
                                          with: {n: 6}
    ```check                              because: …               ```deeper formula
    ask: …                                ```                      $$ … $$
    options: {a: …, b: …}                                          ```
    right: a                              ```code core.nn.masks:causal
    why: {b: …}                           ```
    ```

assets/lessons/README.md explains the format to authors.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.data.localization.labels import module_labels
from core.lessons.format import plain_yaml
from core.lessons.format.blocks import BLOCK_PARSERS, FencedBlock, parse_deeper_block
from core.lessons.format.lesson import (
    ExhibitPart,
    ExhibitTask,
    Lesson,
    LessonPart,
    LessonProblem,
    LessonRefused,
    LessonStep,
    PredictQuestion,
    Prose,
)
from core.lessons.format.plain_yaml import IMAGE, NO_IMAGE, YamlRefused

LABELS = module_labels(__name__)

HEAD_FIELDS = ("title", "about", "minutes", "needs", "trains", "sources")
MAX_TITLE = 80  # characters that fit on two lines of a card
MAX_MINUTES = 120
ReportProblem = Callable[[int, str], None]
MAX_BYTES = 80_000  # a lesson is read in about twenty minutes; those that ship have a fifth of this
MAX_STEPS = 40
MAX_BLOCKS = 150
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _split_head(text: str, report: ReportProblem) -> tuple[dict[str, Any], str, int]:
    """Return the head's values, the body, and the line of the file in which the body begins (from 0).

    Problems with the head are reported by line; missing values are empty.

    Raises LessonRefused if there is no readable head.
    """
    lines = text.split("\n")
    ends = [i for i, line in enumerate(lines[:200]) if line.rstrip() == "---"]
    if len(ends) < 2 or ends[0] != 0:
        raise LessonRefused([LessonProblem(1, LABELS["no_head"])])
    first = ends[1] + 1
    try:
        given, named = plain_yaml.load_yaml("\n".join(lines[1 : ends[1]]))
    except YamlRefused as refused:
        raise LessonRefused([LessonProblem(2 + refused.line, refused.message)]) from None
    if not isinstance(given, dict):
        raise LessonRefused([LessonProblem(2, LABELS["head_lines"])])
    head = _Head(given, {name: line + 2 for name, line in named.items()}, 1, report)
    return head.checked(), "\n".join(lines[first:]), first


class _Head(FencedBlock):
    """The values of a head, with a check for each."""

    def checked(self) -> dict[str, object]:
        for name in self.values:
            if name not in HEAD_FIELDS:
                self.problem(LABELS("no_head_field", name=repr(name), known=", ".join(HEAD_FIELDS)), name)
        return {
            "title": self.line_of("title", MAX_TITLE),
            "about": self.line_of("about", 400),
            "minutes": self.minutes(),
            "needs": self.texts("needs"),
            "trains": self.line_of("trains", 200),
            "sources": self.texts("sources"),
        }

    def line_of(self, name: str, most: int) -> str:
        value = self.values.get(name)
        if not isinstance(value, str) or not value.strip():
            self.problem(LABELS("head_text", name=name), name)
            return ""
        if len(value) > most:
            self.problem(LABELS("head_too_long", name=name, length=len(value), most=most), name)
        return " ".join(value.split())

    def minutes(self) -> int:
        value = self.values.get("minutes")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_MINUTES:
            self.problem(LABELS("head_minutes", most=MAX_MINUTES), "minutes")
            return 1
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.values.get(name)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.problem(LABELS("head_list", name=name), name)
            return ()
        for i, one in enumerate(value, 1):
            if not isinstance(one, str) or not one.strip():
                self.problem(LABELS("head_entry", name=name, i=i), name)
        return tuple(str(one).strip() for one in value)


def lesson_slug(file_name: str) -> str:
    """Return the lesson's slug from its file's name: "03-masks.md" gives "masks"."""
    return re.sub(r"^\d+-", "", file_name.removesuffix(".md").lower())


def parse_lesson(text: str, slug: str) -> Lesson:
    """Read a lesson.

    Names of exhibits and answers are not checked here but by `core.lessons.format.name_checks`.

    Raises LessonRefused with all problems, by line.
    """
    return _Reader(text, slug).lesson()


class _Reader:
    """One pass through a file, collecting problems as it goes."""

    def __init__(self, text: str, slug: str) -> None:
        self.text, self.slug = text.replace("\r\n", "\n").replace("\r", "\n"), slug
        self.problems: list[LessonProblem] = []
        self.n_block = 0

    def lesson(self) -> Lesson:
        if len(self.text.encode("utf-8", "replace")) > MAX_BYTES:
            raise LessonRefused([LessonProblem(1, LABELS("too_large", most=MAX_BYTES))])
        if _SLUG.fullmatch(self.slug) is None:
            self.problem(1, LABELS("file_name", slug=repr(self.slug[:60])))
        for i, line in enumerate(self.text.split("\n"), 1):
            if IMAGE in line:
                self.problem(i, NO_IMAGE)
        about, body, first = _split_head(self.text, self.problem)
        steps = tuple(self._steps(body, first))
        if self.problems:
            raise LessonRefused(self.problems)
        return Lesson(slug=self.slug, steps=steps, **about)

    def problem(self, line: int, message: str) -> None:
        self.problems.append(LessonProblem(line, message))

    def _steps(self, body: str, first: int) -> list[LessonStep]:
        """Parse the steps of the body, which begins at line `first` of the file (from 0)."""
        # Headings by underlining are disabled, so a line of dashes is only a rule.
        tokens = MarkdownIt("commonmark").disable(["lheading", "inline"]).parse(body)
        lines = body.split("\n")
        steps: list[LessonStep] = []
        title, parts, start, at = "", [], 0, first + 1  # type: str, list[LessonPart], int, int
        for i, token in enumerate(tokens):
            if token.map is None or token.level:
                continue
            if token.type == "heading_open" and token.tag == "h2":
                self._prose(lines[start : token.map[0]], parts)
                self._finish(title, parts, steps, at)
                title, parts, start, at = tokens[i + 1].content, [], token.map[1], first + token.map[0] + 1
                if not title:
                    self.problem(at, LABELS["no_title"])
            elif token.type == "fence":
                part = self._block(token, first + token.map[0] + 1, lines)
                if part is not None:
                    self._prose(lines[start : token.map[0]], parts)
                    parts.append(part)
                    start = token.map[1]
        self._prose(lines[start:], parts)
        self._finish(title, parts, steps, at)
        if not steps:
            self.problem(first + 1, LABELS["no_step"])
        if len(steps) > MAX_STEPS:
            self.problem(first + 1, LABELS("too_many_steps", n_steps=len(steps), most=MAX_STEPS))
        return steps

    def _prose(self, lines: Sequence[str], parts: list[LessonPart]) -> None:
        text = "\n".join(lines).strip()
        if text:
            parts.append(Prose(text=text))

    def _finish(self, title: str, parts: list[LessonPart], steps: list[LessonStep], line: int) -> None:
        if not title:
            if parts and not steps:
                self.problem(line, LABELS["text_before_steps"])
            return
        names = [part.name for part in parts if isinstance(part, ExhibitPart)]
        for i, part in enumerate(parts):
            if isinstance(part, ExhibitPart) and names.count(part.name) > 1:
                self.problem(part.line, LABELS("exhibit_twice", name=part.name))
            is_loose = isinstance(part, ExhibitTask) and not any(isinstance(one, ExhibitPart) for one in parts[:i])
            if isinstance(part, ExhibitTask) and is_loose and re.match(r"trained\s", part.when) is None:
                self.problem(part.line, LABELS["task_without_exhibit"])
        steps.append(LessonStep(title=title, parts=tuple(_asked_of(part, parts, i) for i, part in enumerate(parts))))

    def _block(self, token: Token, line: int, lines: Sequence[str]) -> LessonPart | None:
        """Parse a fenced block; None for a block of code in some language, which is prose."""
        kind, _, rest = token.info.strip().partition(" ")
        if not _is_closed(token, lines):
            self.problem(line, LABELS["block_not_closed"])
            return None
        self.n_block += 1
        if self.n_block > MAX_BLOCKS:
            if self.n_block == MAX_BLOCKS + 1:
                self.problem(line, LABELS("too_many_blocks", most=MAX_BLOCKS))
            return None
        if kind == "deeper":
            return parse_deeper_block(FencedBlock({}, {}, line, self.problem), rest.strip(), token.content)
        if kind not in BLOCK_PARSERS:
            if near := difflib.get_close_matches(kind[:20], [*BLOCK_PARSERS, "deeper"], 1, cutoff=0.75):
                self.problem(line, LABELS("no_block", kind=repr(kind[:20]), near=near[0]))
            return None
        try:
            given, named = plain_yaml.load_yaml(token.content)
        except YamlRefused as refused:
            self.problem(line + 1 + refused.line, refused.message)
            return None
        if given is not None and not isinstance(given, dict):
            self.problem(line, LABELS("block_lines", kind=repr(kind)))
            return None
        block = FencedBlock(given or {}, {name: line + 1 + at for name, at in named.items()}, line, self.problem)
        part = BLOCK_PARSERS[kind](block, rest.strip())
        block.close(kind)
        return part


def _asked_of(part: LessonPart, parts: Sequence[LessonPart], i: int) -> LessonPart:
    """Give a question without an exhibit the next exhibit of its step, or else the last one before it."""
    if not isinstance(part, PredictQuestion) or part.exhibit or part.compute:
        return part
    shown = [one.name for one in (*parts[i:], *reversed(parts[:i])) if isinstance(one, ExhibitPart)]
    return replace(part, exhibit=shown[0] if shown else "")


def _is_closed(token: Token, lines: Sequence[str]) -> bool:
    """Return whether a fenced block has a closing line; without one it extends to the end of the file."""
    first, end = token.map or (0, 0)
    last = lines[end - 1].strip()
    return end - first >= 2 and len(last) >= len(token.markup) and set(last) == {token.markup[0]}
