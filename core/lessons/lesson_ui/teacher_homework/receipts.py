"""Checking receipts: signatures, deadlines, every answer against the computation, and a repetition of every run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

import streamlit as st

from core.data.csv_export import csv_text
from core.data.localization.labels import module_labels
from core.lessons.format import catalog
from core.lessons.format.forms import answer_text
from core.lessons.format.lesson import Lesson
from core.lessons.homework.assignment import Assignment, assignment_in_link, moment_text
from core.lessons.homework.marking import MarkedQuestion, mark_receipt
from core.lessons.homework.receipt import (
    CHANGED_AFTER_SIGNING,
    MOST_BYTES,
    SIGNED_ELSEWHERE,
    SIGNED_HERE,
    Receipt,
    ReceiptRefused,
    SignatureVerdict,
    parse_receipt,
)
from core.lessons.lesson_ui.teacher_homework import training_run_verification
from core.lessons.lesson_ui.teacher_homework.training_run_verification import rerun_verdict
from core.ui import state
from core.ui.frame import errors
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown

LABELS = module_labels(__name__)

MOST_FILES = 200
RERUN_REFRESH_SECONDS = 2.0
VERDICTS = "\n".join(f"- {LABELS[f'about.{verdict}']}" for verdict in get_args(SignatureVerdict))
ReceiptTable = dict[str, list[str | int]]


def show_receipt_checker() -> None:
    """Draw the file upload, the table, and one of the receipts."""
    with st.container(border=True, key=page_element_key("homework", "receipts")):
        st.subheader(LABELS["heading"], anchor=False)
        own = _own_link()
        files = st.file_uploader(
            LABELS["receipts"], accept_multiple_files=True, max_upload_size=1, label_visibility="collapsed"
        )
        found: list[Receipt] = []
        for file in files[:MOST_FILES]:
            try:
                found.append(parse_receipt(file.read(MOST_BYTES + 1)))
            except ReceiptRefused as refusal:
                st.warning(f"{escape_markdown(file.name)}: {refusal}", icon=":material/block:")
            except OSError as error:
                st.error(LABELS("cant_check", error=escape_markdown(error)), icon=":material/block:")
                return
        if len(files) > MOST_FILES:
            st.warning(LABELS("most_files", most=MOST_FILES), icon=":material/info:")
        if not found:
            st.caption(LABELS["no_files"])
            return
        state.set_session_slot("receipts.paced", training_run_verification.is_training_rerun_active())
        st.fragment(
            _draw, run_every=RERUN_REFRESH_SECONDS if training_run_verification.is_training_rerun_active() else None
        )(found, own)


def _own_link() -> Assignment | None:
    link = st.text_input(LABELS["link"], placeholder=LABELS["link.placeholder"], max_chars=2000)
    own = assignment_in_link(link or "")
    if link and own is None:
        st.warning(LABELS["not_a_link"], icon=":material/block:")
    return own


@errors.panel_guard()
def _draw(found: Sequence[Receipt], own: Assignment | None) -> None:
    training_run_verification.store_finished_reruns()
    if state.session_slot("receipts.paced", bool) != training_run_verification.is_training_rerun_active():
        st.rerun()  # the page sets whether this fragment is refreshed regularly
    marked: list[tuple[Receipt, list[MarkedQuestion]]] = []
    with st.spinner(LABELS["computing"]):
        for one in found:
            try:
                marked.append((one, mark_receipt(one)))
            except ValueError as refusal:
                st.warning(f"{escape_markdown(one.name)}: {refusal}", icon=":material/block:")
    if not marked:
        return
    import pandas as pd

    known = [one for one, _ in marked]
    due = _receipt_deadlines(known, own)
    for warning in _receipt_warnings(known, due, has_link=own is not None):
        st.warning(escape_markdown(warning), icon=":material/info:")
    rows = _receipt_table(marked, due, st.context.timezone)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=page_element_key("receipts", "table"))
    st.caption(VERDICTS)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            LABELS["table"], lambda: csv_text(rows).encode(), "homework.csv", "text/csv",
            icon=":material/download:", on_click="ignore", key=page_element_key("receipts", "csv"),
        )  # fmt: skip
        training_run_verification.show_rerun_button([run for one in known for run in one.runs])
    names = [f"{one.name}, {one.given.lesson}" for one in known]
    chosen = st.selectbox(
        LABELS["one"], range(len(marked)), format_func=names.__getitem__, key=page_element_key("receipts", "one")
    )
    if chosen is not None and chosen < len(marked):
        _one(*marked[chosen])


def _one(one: Receipt, questions: Sequence[MarkedQuestion]) -> None:
    """Draw every answer of a receipt next to the right one, and the state of every run."""
    import pandas as pd

    rows = _answer_table(one, catalog.catalog_lessons()[one.given.lesson], questions)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=page_element_key("receipts", "answers"))
    for run in one.runs:
        what = str(run.spec.get("experiment", "studio"))[:60]
        st.caption(
            LABELS(
                "trained",
                what=escape_markdown(what),
                seed=run.seed,
                verdict=escape_markdown(training_run_verification.rerun_verdict(run)),
            )
        )


def _receipt_deadlines(found: Sequence[Receipt], own: Assignment | None) -> dict[str, int]:
    """Return the deadline of each lesson for checking receipts, in Unix seconds.

    It is the one in the teacher's own link or, without a link, the one that most receipts name (of several, the
    earliest).
    """
    kept: dict[str, int] = {}
    for lesson in {one.given.lesson for one in found}:
        named = Counter(
            one.given.due for one in found if one.given.lesson == lesson and one.signature != CHANGED_AFTER_SIGNING
        )
        if own is not None and own.lesson == lesson:
            kept[lesson] = own.due
        elif named:
            kept[lesson] = min(due for due, n in named.items() if n == max(named.values()))
    return kept


def _receipt_table(
    marked: Sequence[tuple[Receipt, Sequence[MarkedQuestion]]], due: Mapping[str, int], zone: str | None
) -> ReceiptTable:
    """Return a table with one row per receipt. `due`: see `_receipt_deadlines`; `zone`: the teacher's time zone."""
    rows: list[dict[str, str | int]] = []
    for one, questions in marked:
        first = Counter(question.verdict for question in questions)
        trainings = Counter(rerun_verdict(run) for run in one.runs)
        deadline = one.given.due_in_words(zone)
        rows.append(
            {
                LABELS["column.name"]: one.name,
                LABELS["column.signature"]: LABELS[f"signature.{one.signature}"],
                LABELS["column.in_time"]: _in_time(one, due),
                LABELS["column.answered"]: LABELS(
                    "answered", n=first["right"] + first["wrong"] + first["answered"], of=len(questions)
                ),
                LABELS["column.right"]: first["right"],
                LABELS["column.shown"]: first["shown"],
                LABELS["column.unreadable"]: first["unreadable"],
                LABELS["column.trainings"]: ", ".join(f"{n} {what}" for what, n in trainings.items()) or LABELS["none"],
                LABELS["column.lesson"]: one.given.lesson,
                LABELS["column.deadline"]: (
                    LABELS("other_deadline", deadline=deadline) if _has_other(one, due) else deadline
                ),
                LABELS["column.saved"]: moment_text(one.made, zone),
                LABELS["column.server"]: {
                    SIGNED_HERE: LABELS["this_server"],
                    SIGNED_ELSEWHERE: _key_fingerprint(one.server),
                    CHANGED_AFTER_SIGNING: "–",
                }[one.signature],
            }
        )
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _receipt_warnings(found: Sequence[Receipt], due: Mapping[str, int], *, has_link: bool) -> list[str]:
    """Return warnings for the teacher. `has_link`: whether the teacher has entered a link to check against."""
    said = []
    if changed := _names(one for one in found if one.signature == CHANGED_AFTER_SIGNING):
        said.append(LABELS("changed", changed=changed))
    if other := _names(one for one in found if _has_other(one, due)):
        said.append(LABELS("not_the_deadline.link" if has_link else "not_the_deadline", names=other))
    foreign = [one for one in found if one.signature == SIGNED_ELSEWHERE]
    per_server = Counter(one.server for one in foreign)
    if len(found) > 1 and (alone := _names(one for one in foreign if per_server[one.server] == 1)):
        said.append(LABELS("alone", alone=alone))
    return said


def _answer_table(receipt: Receipt, lesson: Lesson, questions: Sequence[MarkedQuestion]) -> ReceiptTable:
    """Return a table of a receipt's answers next to the right ones."""
    columns = ("step", "first_answer", "tries", "right_answer", "verdict")
    rows: ReceiptTable = {LABELS[f"column.{name}"]: [] for name in columns}
    for question in questions:
        said = question.said
        first = None if said is None or said.first is None else said.first
        is_readable = first is not None and question.verdict != "unreadable"
        row: tuple[str | int, ...] = (
            lesson.steps[int(question.place.partition(".")[0]) - 1].title,
            answer_text(question.form, first) if is_readable else "–",
            said.n_try if said else 0,
            "–" if question.right is None else answer_text(question.form, question.right),
            LABELS[f"verdict.{question.verdict}"],
        )
        for name, value in zip(rows, row, strict=True):
            rows[name].append(value)
    return rows


def _key_fingerprint(server: str) -> str:
    """Return the beginning of a server's public key, in groups of four digits."""
    return " ".join(server[i : i + 4] for i in range(0, 16, 4))


def _has_other(one: Receipt, due: Mapping[str, int]) -> bool:
    return one.given.due != due.get(one.given.lesson, one.given.due)


def _in_time(one: Receipt, due: Mapping[str, int]) -> str:
    if one.signature == CHANGED_AFTER_SIGNING:
        return LABELS["in_time.unknown"]
    found = "yes" if one.made <= due.get(one.given.lesson, one.given.due) else "late"
    return LABELS[f"in_time.{found}" if one.signature == SIGNED_HERE else f"in_time.{found}.elsewhere"]


def _names(some: Iterable[Receipt]) -> str:
    return ", ".join(one.name for one in some)
