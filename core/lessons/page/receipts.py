"""Verify receipts: every answer against the computation, every training once more, in one table."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.data.csv_table import csv_text
from core.jobs.runs import RunNotFound
from core.lessons.format import shelf
from core.lessons.format.forms import shown
from core.lessons.homework.assignment import in_words
from core.lessons.homework.marking import Marked, compared, mark, numbers_of, of_curve
from core.lessons.homework.receipt import MOST_BYTES, Receipt, ReceiptRefused, Trained, from_bytes
from core.ui import state
from core.ui.frame import errors
from core.ui.frame.element_keys import frame_key
from core.ui.server.identity.owner import owner_id
from core.ui.text import escape_markdown, plural
from core.ui.training.runs import store, training_is_off

MOST_FILES = 200
LOOK_SECONDS = 2.0
_RUNS = "receipts.runs"  # of a training -> the run that trains it again, or the numbers that it came to, or why not


def panel() -> None:
    """The files, the table, and what one of them says."""
    with st.container(border=True, key=frame_key("homework", "receipts")):
        st.subheader("Check receipts", anchor=False)
        files = st.file_uploader(
            "Receipts", type="json", accept_multiple_files=True, max_upload_size=1, label_visibility="collapsed"
        )
        found: list[Receipt] = []
        for file in files[:MOST_FILES]:
            try:
                found.append(from_bytes(file.read(MOST_BYTES + 1)))
            except ReceiptRefused as refusal:
                st.warning(f"{escape_markdown(file.name)}: {refusal}", icon=":material/block:")
        if len(files) > MOST_FILES:
            st.warning(f"Only the first {MOST_FILES} files are read.", icon=":material/info:")
        if not found:
            st.caption("Drop all files of a class at once. Nothing of them is kept.")
            return
        state.put("receipts.paced", _is_training())
        st.fragment(_draw, run_every=LOOK_SECONDS if _is_training() else None)(found)


@errors.panel_guard()
def _draw(found: Sequence[Receipt]) -> None:
    _collect()
    if state.slot("receipts.paced", bool) != _is_training():
        st.rerun()  # the page sets whether this is looked at again and again
    marked: list[tuple[Receipt, list[Marked]]] = []
    with st.spinner("Computing the answers …"):
        for one in found:
            try:
                marked.append((one, mark(one)))
            except ValueError as refusal:
                st.warning(f"{escape_markdown(one.name)}: {refusal}", icon=":material/block:")
    if not marked:
        return
    import pandas as pd

    table = _table(marked)
    st.dataframe(pd.DataFrame(table), hide_index=True, key=frame_key("receipts", "table"))
    with st.container(horizontal=True, gap="small"):
        st.download_button("Table (CSV)", lambda: csv_text(table).encode(), "homework.csv", "text/csv",
                           icon=":material/download:", on_click="ignore", key=frame_key("receipts", "csv"))  # fmt: skip
        _again([run for one, _ in marked for run in one.runs])
    names = [f"{one.name}, {one.given.lesson}" for one, _ in marked]
    chosen = st.selectbox(
        "Look at one", range(len(marked)), format_func=names.__getitem__, key=frame_key("receipts", "one")
    )
    if chosen is not None and chosen < len(marked):
        _one(*marked[chosen])


def _table(marked: Sequence[tuple[Receipt, list[Marked]]]) -> dict[str, list[Any]]:
    rows = []
    for one, questions in marked:
        first = Counter(question.verdict for question in questions)
        verified = Counter(_state_of(run) for run in one.runs)
        rows.append(
            {
                "Name": one.name,
                "Lesson": one.given.lesson,
                "Made": in_words(one.made, st.context.timezone),
                "In time": "yes" if one.made <= one.given.due else "late",
                "Times are": "this server's" if one.is_ours else "the learner's word",
                "Answered": f"{len(questions) - first['open'] - first['shown']} of {len(questions)}",
                "Right at first": first["right"],
                "Only shown": first["shown"],
                "Changed by hand": first["no answer to this question"],
                "Trainings": ", ".join(f"{n} {what}" for what, n in verified.items()) or "none",
            }
        )
    return {name: [row[name] for row in rows] for name in rows[0]}


def _one(one: Receipt, questions: Sequence[Marked]) -> None:
    """Every answer of a receipt beside what came."""
    steps = shelf.lessons()[one.given.lesson].steps
    table: dict[str, list[Any]] = {"Step": [], "First answer": [], "Tries": [], "It is": [], "Verdict": []}
    for question in questions:
        said = question.said
        first = None if said is None or said.first is None else said.first
        is_told = first is not None and question.verdict != "no answer to this question"
        row = (
            steps[int(question.place.partition(".")[0]) - 1].title,
            shown(question.form, first) if is_told else "–",
            said.n_try if said else 0,
            "–" if question.right is None else shown(question.form, question.right),
            question.verdict,
        )
        for name, value in zip(table, row, strict=True):
            table[name].append(value)
    import pandas as pd

    st.dataframe(pd.DataFrame(table), hide_index=True, key=frame_key("receipts", "answers"))
    for run in one.runs:
        what = str(run.spec.get("experiment", "studio"))
        st.caption(f"Trained {escape_markdown(what)}, seed {run.seed}: {_state_of(run)}.")


def _key(run: Trained) -> str:
    return json.dumps([run.spec, run.seed], sort_keys=True)


def _known() -> dict[str, Any]:
    found: dict[str, Any] = state.slot(_RUNS, dict)
    return found


def _state_of(run: Trained) -> str:
    """Whether a training gives these numbers again, as far as it is known."""
    if run.step < run.n_step:
        return "not finished"
    known = _known().get(_key(run))
    if known is None:
        return "not verified yet"
    if isinstance(known, str):
        return "is trained again" if known.startswith(_owner()) else known
    return {"the same": "verified", "nearly the same": "nearly the same"}.get(
        compared(run.numbers, known), "came out otherwise"
    )


def _owner() -> str:
    """Whose the runs are that verify: no browser's, so that they stand in no room as somebody's own."""
    return f"homework-{owner_id()}"


def _again(runs: Sequence[Trained]) -> None:
    """The button that trains once more what is not verified yet."""
    left = {_key(run): run for run in runs if run.step >= run.n_step and _key(run) not in _known()}
    if left and not training_is_off():
        label = f"Train {plural(len(left), 'run')} again"
        st.button(
            label,
            icon=":material/replay:",
            key=frame_key("receipts", "again"),
            on_click=_begin,
            args=(list(left.values()),),
        )


def _begin(runs: Sequence[Trained]) -> None:
    for run in runs:
        try:
            run_id = store().create(_owner(), dict(run.spec), run.seed)
        except ValueError as refusal:
            _known()[_key(run)] = f"can't be trained here: {refusal}"
        else:
            _known()[_key(run)] = f"{_owner()} {run_id}"


def _is_training() -> bool:
    return any(isinstance(one, str) and one.startswith(_owner()) for one in _known().values())


def _collect() -> None:
    """Take the numbers of trainings that have ended, and delete these."""
    for key, known in list(_known().items()):
        if not (isinstance(known, str) and known.startswith(_owner())):
            continue
        run_id = known.partition(" ")[2]
        try:
            run = store().get(run_id)
            if run.active:
                continue
            _known()[key] = _numbers(run_id) if run.state == "finished" else f"can't be trained here: {run.message}"
            store().delete(run_id, _owner())
        except RunNotFound:
            del _known()[key]


def _numbers(run_id: str) -> dict[str, float]:
    from core.train.experiment import unpack

    run = store().get(run_id)
    if "experiment" in run.recipe:
        return numbers_of(unpack(store().record_path(run_id).read_bytes())[0])
    return of_curve(store().val_losses(run_id))
