"""What was renamed: their tensors beside our parameters."""

import re

import streamlit as st

from core.cache import MAX_MODELS, memoize
from core.inspect.model_key import ModelKey
from core.models import pretrained
from core.models.imports import tensor_plan
from core.models.imports.weights_file import ImportRefused
from core.rooms.pretrained.compute import tensor_names as names
from core.rooms.pretrained.compute.tensor_names import Renamed
from core.rooms.pretrained.shelf import Chosen
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown

MOST_ROWS = 60  # of the table on the page; the numbers have all


@memoize(MAX_MODELS)
def renamed(key: ModelKey) -> tuple[Renamed, ...]:
    """Every tensor of the model's files, and what it became; empty where the files cannot be read any more."""
    try:
        return names.renamed(key.folder)
    except (ImportRefused, ValueError, OSError):
        return ()


@exhibit(
    title="What was renamed",
    look_for="how little it takes. Every model of a family has the same **tensors** (tables of numbers); only their "
    "names differ, and here and there how their numbers are laid out.",
    try_this=[
        (
            "Open someone else's model under “Open a model”, and choose it.",
            "Now you see how many of its tensors only get another name here, and how many are laid out anew.",
        ),
        (
            "Open a GPT-2 under “Open a model”, by its files or by its name, and look for attn.c_attn here.",
            "One tensor holds queries, keys and values side by side, and it's stored transposed. Here it becomes three "
            "matrices, so that you can see each of them.",
            "numbers",
        ),
        (
            "Open Numbers.",
            "Every tensor has its line: its name in the file, its shape, and which of our parameters it became.",
            "numbers",
        ),
    ],
    code=(names.renamed, tensor_plan.places, tensor_plan.convert, pretrained.load),
)
def what_was_renamed(chosen: Chosen) -> Shown | None:
    """The table, one line for tensors that differ only in the number of their block."""
    rows = renamed(chosen.key)
    if not rows:
        st.info("The model's files can no longer be read.")
        return None
    if all(row.ours == (row.theirs,) for row in rows):
        st.markdown(
            f"Nothing: Glassformer wrote this model itself, so all **{len(rows)}** tensors have our names already."
        )
    else:
        turned, unread = sum(row.is_turned for row in rows), sum(not row.ours for row in rows)
        st.markdown(
            f"The files have **{len(rows)}** tensors. **{turned}** of them are laid out anew (transposed, cut in "
            f"three, scaled), **{unread}** are not read, and the others only get another name."
        )
    if depth.at_least("numbers"):
        _draw(_grouped(rows))
    return Shown(numbers=lambda: names.renamed_table(rows), script=lambda: _script(chosen.key))


def _draw(table: list[str]) -> None:
    lines = ["| in the file | shape | times | here |", "|:--|:--|--:|:--|"]
    st.markdown("\n".join([*lines, *table[:MOST_ROWS]]))
    more = f" The first {MOST_ROWS} of {len(table)} lines; Numbers has all." if len(table) > MOST_ROWS else ""
    st.caption(f"`*` is the number of a block.{more}")


def _grouped(rows: tuple[Renamed, ...]) -> list[str]:
    """Lines of a Markdown table; tensors of one name and shape in several blocks are one line."""
    times: dict[tuple[str, tuple[int, ...], tuple[str, ...], bool], int] = {}
    for row in rows:
        key = (_starred(row.theirs), row.shape, tuple(map(_starred, row.ours)), row.is_turned)
        times[key] = times.get(key, 0) + 1
    return [
        f"| {_breakable(theirs[:120])} | {_shape(shape)} | {n} | {_here(ours, turned)} |"
        for (theirs, shape, ours, turned), n in times.items()
    ]


def _here(ours: tuple[str, ...], is_turned: bool) -> str:
    if not ours:
        return "*not read*"
    return ", ".join(map(_breakable, ours)) + (" *(laid out anew)*" if is_turned else "")


def _breakable(name: str) -> str:
    """A name for Markdown that a narrow screen may break after a dot or a dash below."""
    return re.sub(r"(\\[._])", "\\1\u200b", escape_markdown(name))


def _starred(name: str) -> str:
    return re.sub(r"(?<=\.)\d+(?=\.)", "*", name, count=1)


def _shape(shape: tuple[int, ...]) -> str:
    return " × ".join(f"{size:,}" for size in shape) or "one number"


def _script(key: ModelKey) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.pretrained.compute.tensor_names import renamed, renamed_table

        $folder

        # Read from the headers of the files alone; the weights themselves stay where they are.
        print_table(renamed_table(renamed(FOLDER)))
        """,
        folder=scripts.folder(key),
    )
