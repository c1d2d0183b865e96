"""Open a model: an upload, a folder of this machine, or a download by name. Refused in plain words, nothing lost."""

import streamlit as st

from core.models import pretrained
from core.rooms.pretrained import open_forms
from core.rooms.pretrained.compute.readable import READABLE, readable_table
from core.rooms.pretrained.yours import yours
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit

WAYS = {"upload": "Upload files", "folder": "A folder on this machine", "hub": "Download by name"}


@exhibit(
    title="Open a model",
    look_for="the three things a model needs: config.json, which says how large it is; model.safetensors, its weights; "
    "and the tokenizer's files, which say what its tokens are.",
    try_this=[
        (
            "Download one of your runs in the training studio, unpack it, and upload the files here.",
            "It comes back as an opened model with the same weights, and every room that suits its family can show it.",
        ),
        (
            "Upload only config.json.",
            "It's refused, and you're told what is missing. Your files stay chosen, so you only add the rest.",
        ),
    ],
    code=(pretrained.load,),
)
def open_a_model() -> Shown:
    """The three ways, what is read, and the learner's own models."""
    way = controls.segmented("way", "Where is the model?", list(WAYS), "upload", labels=WAYS)
    {"upload": open_forms.upload, "folder": open_forms.folder, "hub": open_forms.download}[way]()
    open_forms.tell()
    yours()
    with st.expander("What can be opened", expanded=True, icon=":material/menu_book:"):
        st.markdown(_table())
        st.caption("An **encoder-decoder** has an encoder that reads and a decoder that writes.")
    return Shown(
        numbers=readable_table(),
        script=scripts.script(
            """
            from core.data.csv_table import print_table
            from core.rooms.pretrained.compute.readable import readable_table

            # Every family that `core.models.pretrained.load("path/to/the/folder")` reads.
            print_table(readable_table())
            """
        ),
    )


def _table() -> str:
    lines = ["| family | type | such as |", "|:--|:--|:--|"]
    rows = (f"| **{one.name}**, {one.family} | `{one.type}` | {one.such_as} |" for one in READABLE)
    return "\n".join([*lines, *rows])
