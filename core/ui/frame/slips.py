"""What the exhibits "Slips in the notes" share: one slip at a time, as written beside as it is right."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.inspect.slips import slips as measured
from core.inspect.slips.slips import Ran, Slip
from core.ui import numbers
from core.ui.controls import controls
from core.ui.frame import depth, layout
from core.ui.frame.exhibit import Shown, Try
from core.ui.widgets import widgets

TRY: tuple[Try, ...] = (
    (
        "Cover the right side. Would you have noticed?",
        "A wrong formula seldom stops a program: the shapes fit, and numbers look like numbers. A sum, a count or "
        "someone else's code gives it away.",
    ),
    ("Open **Code** below.", "One function has both versions, a few lines each.", "numbers"),
)
TRY_SEED: Try = ("Change the seed.", "Other numbers are drawn, and the finding stays.")
LOOK_FOR = "the difference between the two pictures. Both are computed here and now."


def draw(slips: Sequence[Slip], given: tuple[Any, ...], name: str, **footer: Any) -> Shown:
    """Choose a slip and see both versions.

    Args:
        slips: of this room.
        given: what each of them is run with.
        name: of the control, `<name>_slip`; new for each room.
        footer: goes to `Shown`.
    """
    labels = {i: slip.name for i, slip in enumerate(slips)}
    chosen = controls.select(f"{name}_slip", "Slip", list(labels), 0, labels=labels) if len(slips) > 1 else 0
    ran = measured.ran(slips, *given, place=chosen)
    slip(ran, name)
    return Shown(numbers=ran.table, arrays=ran.arrays(), **footer)


def slip(ran: Ran, name: str) -> None:
    """Draw both versions of the chosen one.

    Args:
        name: new for each room.
    """
    chosen, found = ran.slips[ran.place], ran.found
    note, line = chosen.where.split(":")
    for side, short, title, text, values in zip(
        layout.pair(f"{name}-slip"),
        chosen.titles,
        (f"As in lecture note {note} (line {line})", "As it should be"),
        (chosen.note, chosen.right),
        (found.wrong, found.right),
        strict=True,
    ):
        with side:
            st.markdown(f"**{title}**")
            if depth.at_least("formula") or not {"$", "`"} & set(text):
                st.markdown(text)
            if values.size == 1:
                st.metric(f"{short}: {found.columns[0]}", f"{values.item():,.4g}")
                continue
            widgets.matrix(
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
    difference = numbers.short(found.difference) if found.difference >= 1000 else f"{found.difference:.3g}"
    st.markdown(f"{found.said} **Difference: {difference}** ({found.unit}).")
