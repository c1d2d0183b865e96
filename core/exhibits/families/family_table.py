"""The family table: what each of the three reads, how it is trained, what it is good for, and where its rooms are."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from core.inspect.family_shapes import FamilyShapes, shapes
from core.models.bert import BERT
from core.models.gpt import GPT
from core.models.t5 import T5
from core.ui.cache import kept
from core.ui.frame import Shown, exhibit

ENCODER_DECODER = "pages/families/encoder_decoder.py"
ENCODER = "pages/families/encoder.py"
MASKS = "pages/attention/masks.py"


@dataclass(frozen=True)
class Family:
    """A column of the table. `links`: what is opened -> the page.

    Attributes:
        name, key: what it is called, here and in `core.inspect.family_shapes`.
        reads, mask, trained, gives: a cell each; the names of the rows are in `ROWS`.
        letters: what the lecture notes call its task, and what is to be said about that.
        examples: models of this kind.
        good: uses -> page.
        rooms: pages about it.
    """

    name: str
    key: str
    reads: str
    mask: str
    trained: str
    letters: str
    examples: str
    good: Mapping[str, str]
    rooms: Mapping[str, str]


FAMILIES = (
    Family(
        "Decoder",
        "decoder",
        "one text, from left to right: prompt and answer together",
        "causal: each token reads itself and what is before it",
        "guessing the next token, at every position of any text",
        "`vec2seq`. That fits a picture that gets a caption. A GPT is no such thing: it reads a sequence "
        "and gives, at each place, a distribution over the next token.",
        "GPT, GPT-2, GPT-3, CTRL, Transformer-XL; ImageGPT for pictures",
        {
            "chat and stories: write on": "pages/generate/next_token.py",
            "strategies of writing": "pages/generate/strategies.py",
        },
        {
            "Decoder": "pages/families/decoder.py",
            "Masks": MASKS,
            "Training studio": "pages/train/studio.py",
            "The cache": "pages/generate/cache.py",
        },
    ),
    Family(
        "Encoder",
        "encoder",
        "a whole text at once, in both directions",
        "none: each token reads the whole text",
        "filling gaps: 15 % of the tokens are chosen and asked for; then fine-tuned for a task",
        "`seq2vec`: one vector for the text, from `<class>`. It also gives one vector for each token, "
        "which is what entities need. It is not made to write.",
        "BERT, RoBERTa, DistilBERT, ALBERT, ELECTRA; ViT for pictures",
        {
            "sentiment of a text": ENCODER,
            "named entities": ENCODER,
        },
        {"Encoder": ENCODER, "Embeddings": "pages/attention/embeddings.py", "Heads at work": "pages/attention/work.py"},
    ),
    Family(
        "Encoder-decoder",
        "encoder_decoder",
        "a source in both directions, and its own answer from left to right",
        "none over the source, causal over the answer, none between them",
        "writing a target for a source, with teacher forcing; T5 also by filling in spans that were taken out",
        "`seq2seq`, and rightly. The two sequences may have different lengths.",
        "the transformer of 2017, T5, BART, mBART, Marian",
        {
            "translation": ENCODER_DECODER,
            "summaries": ENCODER_DECODER,
            "questions and answers": ENCODER_DECODER,
        },
        {
            "Encoder-decoder": ENCODER_DECODER,
            "Sequence to sequence": "pages/before/seq2seq.py",
            "Beam search": "pages/generate/beam.py",
        },
    ),
)
ROWS = {"reads": "It reads", "mask": "Mask", "trained": "Trained by"}
EVERYWHERE = {"Sizes": "pages/families/sizes.py", "Pretrained": "pages/families/pretrained.py"}


@kept(1)
def measured() -> Mapping[str, FamilyShapes]:
    """What goes in and comes out of a tiny model of each family."""
    return shapes()


@exhibit(
    title="Three families in one table",
    look_for="the line “Mask” in each card: nearly everything else follows from who may read whom.",
    try_this=[
        (
            "Follow a link, and come back.",
            "Each use opens the room where a model of this family does it.",
        ),
        (
            "Compare the shapes that go in and come out.",
            "They are those of three tiny models, run just now. Only the encoder's class head gives one row for a "
            "whole text.",
        ),
    ],
    code=(GPT.forward, BERT.forward, T5.forward),
)
def family_table() -> Shown:
    """A card for each family, whose links lead to the rooms."""
    found = measured()
    for place, family in zip(st.columns(len(FAMILIES), gap="small"), FAMILIES, strict=True):
        with place, st.container(border=True, height="stretch", key=f"room-family-{family.key}"):
            _card(family, found[family.key])
    with st.container(horizontal=True, gap="medium"):
        st.caption("All three:", width="content")
        for label, page in EVERYWHERE.items():
            link(page, label)
    return Shown(
        numbers={
            "family": [family.name for family in FAMILIES],
            **{title: [getattr(family, row) for family in FAMILIES] for row, title in ROWS.items()},
            "goes in": [found[family.key].goes_in for family in FAMILIES],
            "comes out": [found[family.key].comes_out for family in FAMILIES],
            "good for": ["; ".join(family.good) for family in FAMILIES],
            "examples": [family.examples for family in FAMILIES],
        }
    )


def _card(family: Family, shape: FamilyShapes) -> None:
    st.markdown(f"**{family.name}**")
    cells = "\n\n".join(f":small[**{title}**]  \n{getattr(family, row)}" for row, title in ROWS.items())
    st.markdown(cells)
    st.markdown(f":small[**Shapes, measured**]  \n{shape.goes_in} → {shape.comes_out}")
    st.markdown(f":small[**Often written**]  \n{family.letters}")
    st.markdown(f":small[**Examples**]  \n{family.examples}")
    st.markdown(":small[**Good for**]")
    for label, page in family.good.items():
        link(page, label)
    st.markdown(":small[**Rooms**]")
    for label, page in family.rooms.items():
        link(page, label)


def link(page: str, label: str) -> None:
    """A link to a page. Outside the app's navigation, as in a notebook, there are no pages: then its name alone."""
    try:
        st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")
    except StreamlitPageNotFoundError:
        st.markdown(label)
