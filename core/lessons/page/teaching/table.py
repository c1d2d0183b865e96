"""The table of receipts, what it warns of, and the answers of one receipt."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.lessons.format.forms import shown
from core.lessons.format.lesson import Lesson
from core.lessons.homework.assignment import Assignment, in_words
from core.lessons.homework.marking import Marked
from core.lessons.homework.receipt import CHANGED, ELSEWHERE, HERE, Receipt
from core.lessons.page.teaching.trainings import state_of

Table = dict[str, list[Any]]


def deadlines(found: Sequence[Receipt], own: Assignment | None) -> dict[str, int]:
    """The deadline of each lesson that receipts are checked against, Unix seconds.

    It is that of the teacher's own link; where there is none, the one that most receipts name, of several the earliest.
    """
    kept: dict[str, int] = {}
    for lesson in {one.given.lesson for one in found}:
        named = Counter(one.given.due for one in found if one.given.lesson == lesson and one.signature != CHANGED)
        if own is not None and own.lesson == lesson:
            kept[lesson] = own.due
        elif named:
            kept[lesson] = min(due for due, n in named.items() if n == max(named.values()))
    return kept


def table(marked: Sequence[tuple[Receipt, Sequence[Marked]]], due: Mapping[str, int], zone: str | None) -> Table:
    """One row for each receipt. `due`: see `deadlines`; `zone`: that of the teacher's clock."""
    rows = []
    for one, questions in marked:
        first = Counter(question.verdict for question in questions)
        trainings = Counter(state_of(run) for run in one.runs)
        other = ", another deadline" if _has_other(one, due) else ""
        rows.append(
            {
                "Name": one.name,
                "Signature": one.signature,
                "In time": _in_time(one, due),
                "Answered": f"{first['right'] + first['wrong'] + first['answered']} of {len(questions)}",
                "Right at first": first["right"],
                "Only shown": first["shown"],
                "Unreadable": first["no answer to this question"],
                "Trainings": ", ".join(f"{n} {what}" for what, n in trainings.items()) or "none",
                "Lesson": one.given.lesson,
                "Deadline": one.given.due_in_words(zone) + other,
                "Saved": in_words(one.made, zone),
                "Server": {HERE: "this one", ELSEWHERE: fingerprint(one.server), CHANGED: "–"}[one.signature],
            }
        )
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def warnings(found: Sequence[Receipt], due: Mapping[str, int], *, has_link: bool) -> list[str]:
    """What a teacher has to look at, as plain sentences. `has_link`: whether the teacher gave a link to check by."""
    said = []
    if changed := _names(one for one in found if one.signature == CHANGED):
        said.append(f"These receipts were changed after signing: {changed}. Ask for them again.")
    if other := _names(one for one in found if _has_other(one, due)):
        usual, then = "that most receipts have", " Paste your link above to check against yours."
        if has_link:
            usual, then = "in your link", ""
        said.append(
            f"Not the deadline {usual}: {other}. Anybody can make a homework link with a deadline of their own.{then}"
        )
    foreign = [one for one in found if one.signature == ELSEWHERE]
    per_server = Counter(one.server for one in foreign)
    if len(found) > 1 and (alone := _names(one for one in foreign if per_server[one.server] == 1)):
        said.append(
            f"No other receipt is from the same server: {alone}. It may be the learner's own computer, or the file may "
            "be made up and signed by whoever wrote it."
        )
    return said


def answers(receipt: Receipt, lesson: Lesson, questions: Sequence[Marked]) -> Table:
    """Every answer of a receipt beside the right one."""
    rows: Table = {"Step": [], "First answer": [], "Tries": [], "Right answer": [], "Verdict": []}
    for question in questions:
        said = question.said
        first = None if said is None or said.first is None else said.first
        is_readable = first is not None and question.verdict != "no answer to this question"
        row = (
            lesson.steps[int(question.place.partition(".")[0]) - 1].title,
            shown(question.form, first) if is_readable else "–",
            said.n_try if said else 0,
            "–" if question.right is None else shown(question.form, question.right),
            question.verdict,
        )
        for name, value in zip(rows, row, strict=True):
            rows[name].append(value)
    return rows


def fingerprint(server: str) -> str:
    """The beginning of a server's public key, in groups of four digits."""
    return " ".join(server[i : i + 4] for i in range(0, 16, 4))


def _has_other(one: Receipt, due: Mapping[str, int]) -> bool:
    return one.given.due != due.get(one.given.lesson, one.given.due)


def _in_time(one: Receipt, due: Mapping[str, int]) -> str:
    if one.signature == CHANGED:
        return "unknown"
    found = "yes" if one.made <= due.get(one.given.lesson, one.given.due) else "late"
    return found if one.signature == HERE else f"{found}, by its own clock"


def _names(some: Any) -> str:
    return ", ".join(one.name for one in some)
