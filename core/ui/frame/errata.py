"""The exhibits "Slips in the notes", on errata of the lecture notes: each as printed, next to its correction."""

import streamlit as st

from core.data.localization import numbers, quantities
from core.data.localization.labels import module_labels
from core.inspect.lecture_errata import LectureErrataRun
from core.ui.frame import depth, layout
from core.ui.widgets import tensors

LABELS = module_labels(__name__)


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
        (LABELS("as_printed", note=note, line=line), LABELS["corrected"]),
        (chosen.note, chosen.right),
        (found.wrong, found.right),
        strict=True,
    ):
        with side:
            st.markdown(f"**{title}**")
            if depth.depth_at_least("numbers") or not {"$", "`"} & set(text):
                st.markdown(text)
            if values.size == 1:
                st.metric(f"{short}: {found.columns[0]}", numbers.format_number(values.item(), ",.4g"))
                continue
            tensors.matrix(
                values,
                rows=found.rows,
                columns=found.columns,
                key=f"{name}-slip-{ran.place}-{short}",
                kind=chosen.kind,
                row_title=LABELS["row"],
                column_title=LABELS["column"],
                value_title=LABELS["value"],
                label=short,
                takeaway=LABELS("takeaway", title=title, n_row=len(found.rows), n_column=len(found.columns)),
                height=320,
            )
    is_large = found.difference >= 1000
    difference = (
        quantities.format_count(found.difference) if is_large else numbers.format_number(found.difference, ".3g")
    )
    st.markdown(LABELS("difference", finding=found.said, difference=difference, unit=found.unit))
