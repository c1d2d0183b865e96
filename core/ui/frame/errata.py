"""The exhibits "Slips in the notes", on errata of the lecture notes: each as printed, next to its correction."""

import streamlit as st

from core.inspect.lecture_errata import LectureErrataRun
from core.ui import numbers
from core.ui.frame import depth, layout
from core.ui.widgets import tensors


def show_erratum(ran: LectureErrataRun, name: str) -> None:
    """Draw both versions of the chosen erratum.

    Args:
        name: a name that differs in each room.
    """
    chosen, found = ran.slips[ran.place], ran.result
    note, line = chosen.where.split(":")
    for side, short, title, text, values in zip(
        layout.two_columns(f"{name}-slip"),
        chosen.titles,
        (f"As in lecture note {note} (line {line})", "As it should be"),
        (chosen.note, chosen.right),
        (found.wrong, found.right),
        strict=True,
    ):
        with side:
            st.markdown(f"**{title}**")
            if depth.depth_at_least("numbers") or not {"$", "`"} & set(text):
                st.markdown(text)
            if values.size == 1:
                st.metric(f"{short}: {found.columns[0]}", f"{values.item():,.4g}")
                continue
            tensors.matrix(
                values,
                rows=found.rows,
                columns=found.columns,
                key=f"{name}-slip-{ran.place}-{short}",
                kind=chosen.kind,
                row_title="row",
                column_title="column",
                value_title="value",
                label=short,
                takeaway=f"{title}: {len(found.rows)} × {len(found.columns)} numbers.",
                height=320,
            )
    difference = numbers.format_count(found.difference) if found.difference >= 1000 else f"{found.difference:.3g}"
    st.markdown(f"{found.said} **Difference: {difference}** ({found.unit}).")
