"""Check receipts: signatures, deadlines, every answer against the computation, every training once more."""

from collections.abc import Sequence

import streamlit as st

from core.data.csv_table import csv_text
from core.lessons.format import shelf
from core.lessons.homework.assignment import Assignment, linked
from core.lessons.homework.marking import Marked, mark
from core.lessons.homework.receipt import MOST_BYTES, Receipt, ReceiptRefused, from_bytes
from core.lessons.page.teaching import table, trainings
from core.ui import state
from core.ui.frame import errors
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown

MOST_FILES = 200
LOOK_SECONDS = 2.0
VERDICTS = """
- **signed here**: this server wrote the receipt, and nobody changed it. You can rely on its times.
- **signed by another server, recomputed**: nobody changed it since that server signed it. The answers and trainings
  were checked here; for the deadline and the times you have only that server's word.
- **changed after signing**: somebody edited the file.
"""


def panel() -> None:
    """The files, the table, and one of the receipts."""
    with st.container(border=True, key=frame_key("homework", "receipts")):
        st.subheader("Check receipts", anchor=False)
        own = _own_link()
        files = st.file_uploader(
            "Receipts", type="json", accept_multiple_files=True, max_upload_size=1, label_visibility="collapsed"
        )
        found: list[Receipt] = []
        for file in files[:MOST_FILES]:
            try:
                found.append(from_bytes(file.read(MOST_BYTES + 1)))
            except ReceiptRefused as refusal:
                st.warning(f"{escape_markdown(file.name)}: {refusal}", icon=":material/block:")
            except OSError as error:
                st.error(f"Receipts can't be checked now. {escape_markdown(error)}", icon=":material/block:")
                return
        if len(files) > MOST_FILES:
            st.warning(f"Only the first {MOST_FILES} files are read.", icon=":material/info:")
        if not found:
            st.caption("Drop all files of a class at once. Nothing of them is kept.")
            return
        state.put("receipts.paced", trainings.is_training())
        st.fragment(_draw, run_every=LOOK_SECONDS if trainings.is_training() else None)(found, own)


def _own_link() -> Assignment | None:
    link = st.text_input("Link of your homework", placeholder="Paste it here to check the deadline", max_chars=2000)
    own = linked(link or "")
    if link and own is None:
        st.warning("This isn't a homework link. Copy the one that you sent to your learners.", icon=":material/block:")
    return own


@errors.panel_guard()
def _draw(found: Sequence[Receipt], own: Assignment | None) -> None:
    trainings.collect()
    if state.slot("receipts.paced", bool) != trainings.is_training():
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

    known = [one for one, _ in marked]
    due = table.deadlines(known, own)
    for warning in table.warnings(known, due, has_link=own is not None):
        st.warning(escape_markdown(warning), icon=":material/info:")
    rows = table.table(marked, due, st.context.timezone)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=frame_key("receipts", "table"))
    st.caption(VERDICTS)
    with st.container(horizontal=True, gap="small"):
        st.download_button("Table (CSV)", lambda: csv_text(rows).encode(), "homework.csv", "text/csv",
                           icon=":material/download:", on_click="ignore", key=frame_key("receipts", "csv"))  # fmt: skip
        trainings.again([run for one in known for run in one.runs])
    names = [f"{one.name}, {one.given.lesson}" for one in known]
    chosen = st.selectbox(
        "Look at one", range(len(marked)), format_func=names.__getitem__, key=frame_key("receipts", "one")
    )
    if chosen is not None and chosen < len(marked):
        _one(*marked[chosen])


def _one(one: Receipt, questions: Sequence[Marked]) -> None:
    """Every answer of a receipt beside the right one, and every training."""
    import pandas as pd

    rows = table.answers(one, shelf.lessons()[one.given.lesson], questions)
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=frame_key("receipts", "answers"))
    for run in one.runs:
        what = str(run.spec.get("experiment", "studio"))[:60]
        st.caption(f"Trained {escape_markdown(what)}, seed {run.seed}: {escape_markdown(trainings.state_of(run))}.")
