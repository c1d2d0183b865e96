"""Open a model: an upload, a folder of this machine, or a download by name. Refused in plain words, nothing lost."""

import streamlit as st

from core.exhibits.pretrained import open_forms
from core.exhibits.pretrained.yours import yours
from core.models import pretrained
from core.ui import controls
from core.ui.frame import Shown, exhibit

WAYS = {"upload": "Upload files", "folder": "A folder on this machine", "hub": "Download by name"}
# What is read, by the model's own name for itself in its config.json.
READ = (
    ("GPT-2", "gpt2", "decoder", "gpt2, distilgpt2, and their kind"),
    ("BERT", "bert", "encoder", "bert-base-uncased; with a head for words, for a whole text, or for each token"),
    ("DistilBERT", "distilbert", "encoder", "distilbert-base-uncased"),
    ("RoBERTa", "roberta", "encoder", "roberta-base, distilroberta-base"),
    ("T5, T5 v1.1", "t5", "encoder-decoder", "t5-small, flan-t5-small"),
    ("ViT", "vit", "encoder of pictures", "its facts only"),
    ("ImageGPT", "imagegpt", "decoder of pictures", "its facts only"),
    ("Glassformer’s own", "any", "all families", "a run's folder, as the training studio downloads it"),
)


@exhibit(
    title="Open a model",
    look_for="three things: a config.json, which says how large it is; the weights, model.safetensors; and the "
    "tokenizer's files, which say what its tokens are.",
    try_this=[
        (
            "Take one of your runs home from the training studio (Download), unpack it, and upload the files here.",
            "It comes back as an opened model with the same weights, and can be looked at in every room that suits "
            "its family.",
        ),
        (
            "Upload the config.json alone.",
            "It is refused, in words that say what is missing. What you have chosen stays, so that you only add the "
            "rest.",
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
    return Shown(
        numbers={name: [row[i] for row in READ] for i, name in enumerate(("name", "type", "family", "such as"))}
    )


def _table() -> str:
    lines = ["| family | type | such as |", "|:--|:--|:--|"]
    rows = (f"| **{name}**, {family} | `{kind}` | {such} |" for name, kind, family, such in READ)
    return "\n".join([*lines, *rows])
