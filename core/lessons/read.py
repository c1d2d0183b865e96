"""From a Markdown file to a lesson, or to a list of what is wrong with it, each with its line.

A second-level heading begins a step. Everything that is not prose is a fenced block whose first word says what it is;
its body is YAML, except for `deeper`, whose body is Markdown:

    ```exhibit masks.draw-your-own        ```predict               ```do
    set: {mask: causal}                   ask: How many …?         say: Close a cell.
    lock: [layer]                         number: {low: 0, …}      when: changed mask
    ```                                   answer: masks.open       ```
                                          with: {n: 6}
    ```check                              because: …               ```deeper formula
    ask: …                                ```                      $$ … $$
    options: {a: …, b: …}                                          ```
    right: a                              ```code core.nn.masks:causal
    ```                                   ```
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import frontmatter
import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.lessons.lesson import (
    Check,
    Choice,
    Code,
    Curve,
    Do,
    Lesson,
    Number,
    Part,
    Piece,
    Predict,
    Prose,
    Step,
)
from core.ui.depth import DEPTHS

MAX_BYTES = 200_000  # a lesson is a text that somebody reads in twenty minutes
MAX_STEPS = 40
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Problem:
    """What is wrong, in plain words, and in which line of the file (from 1)."""

    line: int
    message: str


class LessonRefused(ValueError):
    """A file that is no lesson; `problems` says all that is wrong with it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"line {one.line}: {one.message}" for one in problems))
        self.problems = tuple(problems)


def slug_of(file_name: str) -> str:
    """The lesson's name: "03-masks.md" gives "masks"."""
    return re.sub(r"^\d+-", "", file_name.removesuffix(".md").lower())


def read(text: str, slug: str) -> Lesson:
    """Read a lesson.

    Raises:
        LessonRefused: with everything that is wrong, by line. Names of exhibits and answers are checked by
            `core.lessons.shelf`, which knows them.
    """
    return _Reader(text, slug).lesson()


class _Reader:
    """One pass through a file, collecting problems as it goes."""

    def __init__(self, text: str, slug: str) -> None:
        self.text, self.slug = text.replace("\r\n", "\n"), slug
        self.problems: list[Problem] = []

    def lesson(self) -> Lesson:
        if len(self.text.encode("utf-8", "replace")) > MAX_BYTES:
            raise LessonRefused([Problem(1, f"The file is larger than {MAX_BYTES:,} bytes.")])
        if _SLUG.fullmatch(self.slug) is None:
            self.problem(1, f"The file's name gives {self.slug!r}; use lower-case letters, digits and dashes.")
        about, body, first = self._front()
        steps = self._steps(body, first)
        lesson = Lesson(
            slug=self.slug,
            title=self._words(about, "title"),
            about=self._words(about, "about"),
            minutes=self._minutes(about),
            needs=self._list(about, "needs"),
            trains=self._words(about, "trains"),
            sources=self._list(about, "sources"),
            steps=tuple(steps),
        )
        if self.problems:
            raise LessonRefused(sorted(self.problems, key=lambda one: one.line))
        return lesson

    def problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(line, message))

    # The head

    def _front(self) -> tuple[Mapping[str, Any], str, int]:
        """The head, the body, and the line of the file in which the body begins (from 0)."""
        try:
            about, body = frontmatter.parse(self.text)
        except yaml.YAMLError as error:
            raise LessonRefused([Problem(1 + _yaml_line(error), f"The head is no YAML: {_short(error)}")]) from None
        if not about:
            self.problem(1, "The file begins with a head between two lines of ---: title, about, minutes, trains.")
        for name in about:
            if name not in {"title", "about", "minutes", "needs", "trains", "sources"}:
                self.problem(self._line_of(str(name)), f"The head knows no {name!r}.")
        start = self.text.find(body) if body else len(self.text)
        return about, body, self.text.count("\n", 0, max(start, 0))

    def _line_of(self, name: str) -> int:
        lines = self.text.split("\n")
        return next((i for i, line in enumerate(lines, 1) if line.startswith(f"{name}:")), 1)

    def _words(self, about: Mapping[str, Any], name: str) -> str:
        value = about.get(name)
        if not isinstance(value, str) or not value.strip():
            self.problem(self._line_of(name), f"The head needs a {name}: a text.")
            return ""
        return value.strip()

    def _minutes(self, about: Mapping[str, Any]) -> int:
        value = about.get("minutes")
        if not isinstance(value, int) or not 1 <= value <= 120:
            self.problem(self._line_of("minutes"), "The head needs minutes: a whole number from 1 to 120.")
            return 1
        return value

    def _list(self, about: Mapping[str, Any], name: str) -> tuple[str, ...]:
        value = about.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.problem(self._line_of(name), f"{name} is a list of texts.")
            return ()
        return tuple(value)

    # The steps

    def _steps(self, body: str, first: int) -> list[Step]:
        tokens = MarkdownIt("commonmark").parse(body)
        lines = body.split("\n")
        steps: list[Step] = []
        title, parts, start = "", [], 0  # type: str, list[Part], int

        def close(end: int) -> None:
            self._prose(lines[start:end], parts)

        for i, token in enumerate(tokens):
            if token.map is None or token.level:
                continue
            if token.type == "heading_open" and token.tag == "h2":
                close(token.map[0])
                self._finish(title, parts, steps, first + 1)
                title, parts, start = tokens[i + 1].content, [], token.map[1]
            elif token.type == "fence":
                part = self._block(token, first + token.map[0] + 1)
                if part is not None:
                    close(token.map[0])
                    parts.append(part)
                    start = token.map[1]
        close(len(lines))
        self._finish(title, parts, steps, first + 1)
        if not steps:
            self.problem(first + 1, "There is no step: a line that begins with ## starts one.")
        if len(steps) > MAX_STEPS:
            self.problem(first + 1, f"{len(steps)} steps are more than the {MAX_STEPS} of one lesson.")
        return steps

    def _prose(self, lines: Sequence[str], parts: list[Part]) -> None:
        text = "\n".join(lines).strip()
        if text:
            parts.append(Prose(text=text))

    def _finish(self, title: str, parts: list[Part], steps: list[Step], line: int) -> None:
        if title:
            steps.append(Step(title=title, parts=tuple(parts)))
        elif parts:
            self.problem(line, "Text before the first step: begin with a line that starts with ##.")

    # The blocks

    def _block(self, token: Token, line: int) -> Part | None:
        """What a fenced block says; None for a block of code in some language, which is prose."""
        kind, _, rest = token.info.strip().partition(" ")
        make = _BLOCKS.get(kind)
        if make is None:
            return None
        if kind == "deeper":
            return _deeper(_Block(self, {}, line), rest.strip(), token.content)
        try:
            given = yaml.safe_load(token.content)
        except yaml.YAMLError as error:
            self.problem(line + 1 + _yaml_line(error), f"This block is no YAML: {_short(error)}")
            return None
        if given is not None and not isinstance(given, dict):
            self.problem(line, f"A block {kind!r} holds lines of the form name: value.")
            return None
        block = _Block(self, given or {}, line)
        part = make(block, rest.strip())
        block.close(kind)
        return part


class _Block:
    """The values of a block, taken out one by one; what nobody takes is a problem."""

    def __init__(self, reader: _Reader, values: dict[Any, Any], line: int) -> None:
        self.reader, self.values, self.line = reader, dict(values), line

    def problem(self, message: str) -> None:
        self.reader.problem(self.line, message)

    def words(self, name: str, default: str | None = None) -> str:
        value = self.values.pop(name, default)
        if not isinstance(value, str):
            self.problem(f"{name} is missing: a text." if value is None else f"{name} is no text; put it in quotes.")
            return ""
        return value.strip()

    def mapping(self, name: str) -> dict[str, Any]:
        value = self.values.pop(name, None) or {}
        if not isinstance(value, dict):
            self.problem(f"{name} is of the form {{name: value}}.")
            return {}
        return {str(key): one for key, one in value.items()}

    def names(self, name: str) -> tuple[str, ...]:
        value = self.values.pop(name, None) or []
        if not isinstance(value, list):
            self.problem(f"{name} is a list: [one, two].")
            return ()
        return tuple(map(str, value))

    def options(self) -> dict[str, str]:
        options = {key: str(text) for key, text in self.mapping("options").items()}
        if not 2 <= len(options) <= 6:
            self.problem(f"{len(options)} options; a question has two to six.")
        return options

    def close(self, kind: str) -> None:
        for name in self.values:
            self.problem(f"A block {kind!r} knows no {name!r}.")


def _exhibit(block: _Block, name: str) -> Piece:
    if not name:
        block.problem("Name the exhibit: ```exhibit masks.draw-your-own")
    return Piece(
        name=name, values=block.mapping("set"), lock=block.names("lock"), hide=block.names("hide"), line=block.line
    )


def _predict(block: _Block, _rest: str) -> Predict:
    answer = block.words("answer", "") or None
    right = block.values.pop("right", None)
    if (answer is None) == (right is None):
        block.problem("A prediction has either answer: (computed) or right: (written down by the author).")
    form = _form(block)
    if right is not None and isinstance(form, Choice) and str(right) not in form.options:
        block.problem(f"right: {right!r} is none of the options.")
    return Predict(
        ask=block.words("ask"),
        form=form,
        answer=answer,
        given=block.mapping("with"),
        right=str(right) if isinstance(form, Choice) and right is not None else right,
        because=block.words("because", ""),
        line=block.line,
    )


def _form(block: _Block) -> Choice | Number | Curve:
    named = [name for name in ("options", "number", "curve") if name in block.values]
    if len(named) != 1:
        block.problem("A prediction has one of options:, number: and curve:.")
        return Choice(options={})
    if named[0] == "options":
        return Choice(options=block.options())
    values = block.mapping(named[0])
    try:
        low, high = float(values.pop("low")), float(values.pop("high"))
        if not low < high:
            raise ValueError
        if named[0] == "number":
            return Number(low=low, high=high, unit=str(values.pop("unit", "")))
        x = tuple(float(one) for one in values.pop("x"))
        if not 2 <= len(x) <= 40 or list(x) != sorted(set(x)):
            raise ValueError
        return Curve(
            x=x,
            low=low,
            high=high,
            x_title=str(values.pop("x_title", "")),
            y_title=str(values.pop("y_title", "")),
        )
    except (KeyError, TypeError, ValueError):
        also = ", and x: 2 to 40 rising numbers" if named[0] == "curve" else ""
        block.problem(f"{named[0]} needs low and high, low below high{also}.")
        return Choice(options={})
    finally:
        for name in values:
            if name not in {"low", "high", "x"}:
                block.problem(f"{named[0]} knows no {name!r}.")


def _check(block: _Block, _rest: str) -> Check:
    options, right = block.options(), str(block.values.pop("right", ""))
    if right not in options:
        block.problem(f"right: {right!r} is none of the options.")
    return Check(
        ask=block.words("ask"), options=options, right=right, because=block.words("because", ""), line=block.line
    )


def _do(block: _Block, _rest: str) -> Do:
    return Do(say=block.words("say"), when=block.words("when"), line=block.line)


def _code(block: _Block, place: str) -> Code:
    if re.fullmatch(r"core(\.\w+)+:\w+(\.\w+)?", place) is None:
        block.problem("Name the code: ```code core.nn.masks:causal")
    return Code(place=place)


def _deeper(block: _Block, depth: str, text: str) -> Prose:
    for known in DEPTHS:
        if depth == known:
            return Prose(text=text.strip(), depth=known)
    block.problem(f"deeper needs one of {', '.join(DEPTHS)}.")
    return Prose(text=text)


_BLOCKS: Mapping[str, Callable[..., Part]] = {
    "exhibit": _exhibit,
    "predict": _predict,
    "check": _check,
    "do": _do,
    "code": _code,
    "deeper": _deeper,
}


def _yaml_line(error: yaml.YAMLError) -> int:
    mark = getattr(error, "problem_mark", None)
    return int(mark.line) if mark is not None else 0


def _short(error: yaml.YAMLError) -> str:
    return str(getattr(error, "problem", None) or "it cannot be read")
