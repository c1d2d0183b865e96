"""The family table: what each of the three reads, how it is trained, what it is good for, and where its rooms are."""

from collections.abc import Mapping

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from core.cache import memoize
from core.models.bert import BERT
from core.models.gpt import GPT
from core.models.t5 import T5
from core.rooms.families.compute.families import FAMILIES, Family
from core.rooms.families.compute.family_shapes import LINES, FamilyShapes, shapes, table
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit

ENCODER_DECODER = "pages/families/encoder_decoder.py"
ENCODER = "pages/families/encoder.py"
MASKS = "pages/attention/masks.py"


# Where a model of this family does it: use -> page.
USES = {
    "chat and stories: write on": "pages/generate/next_token.py",
    "strategies of writing": "pages/generate/strategies.py",
    "sentiment of a text": ENCODER,
    "named entities": ENCODER,
    "translation": ENCODER_DECODER,
    "summaries": ENCODER_DECODER,
    "questions and answers": ENCODER_DECODER,
}
# Pages about each family, by its key.
ROOMS = {
    "decoder": {
        "Decoder": "pages/families/decoder.py",
        "Masks": MASKS,
        "Training studio": "pages/train/studio.py",
        "The cache": "pages/generate/cache.py",
    },
    "encoder": {
        "Encoder": ENCODER,
        "Embeddings": "pages/attention/embeddings.py",
        "Heads at work": "pages/attention/work.py",
    },
    "encoder_decoder": {
        "Encoder-decoder": ENCODER_DECODER,
        "Sequence to sequence": "pages/before/seq2seq.py",
        "Beam search": "pages/generate/beam.py",
    },
}
EVERYWHERE = {"Sizes": "pages/families/sizes.py", "Pretrained": "pages/families/pretrained.py"}


@memoize(1)
def measured() -> Mapping[str, FamilyShapes]:
    """What goes in and comes out of a tiny model of each family."""
    return shapes()


@exhibit(
    title="Three families in one table",
    look_for="the line “Mask” in each card: nearly everything else follows from who may read whom.",
    try_this=[
        (
            "Follow a link, and come back.",
            "Each use opens the room where a model of this family does just that.",
        ),
        (
            "Compare the shapes that go in and come out.",
            "Three tiny models were run just now. Only the encoder's class head has one row for a whole text.",
            "numbers",
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
    return Shown(numbers=lambda: table(found), script=_script)


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.families.compute import family_shapes

        # The words are an author's; the shapes are those of three tiny models, run now.
        print_table(family_shapes.table(family_shapes.shapes()))
        """
    )


def _card(family: Family, shape: FamilyShapes) -> None:
    st.markdown(f"**{family.name}**")
    cells = "\n\n".join(f":small[**{title}**]  \n{getattr(family, row)}" for row, title in LINES.items())
    st.markdown(cells)
    if depth.at_least("numbers"):
        st.markdown(f":small[**Shapes, measured**]  \n{shape.goes_in} → {shape.comes_out}")
        st.markdown(f":small[**Often called**]  \n{family.letters}")
    st.markdown(f":small[**Examples**]  \n{family.examples}")
    st.markdown(":small[**Good for**]")
    for use in family.good:
        link(USES[use], use)
    st.markdown(":small[**Rooms**]")
    for label, page in ROOMS[family.key].items():
        link(page, label)


def link(page: str, label: str) -> None:
    """A link to a page. Outside the app's navigation, as in a notebook, there are no pages: then its name alone."""
    try:
        st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")
    except StreamlitPageNotFoundError:
        st.markdown(label)
