"""The family table: what each of the three reads, how it is trained, what it is good for, and where its rooms are."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result
from core.models import registry
from core.models.bert import BERT, BERTConfig
from core.models.gpt import GPT, GPTConfig
from core.models.t5 import T5, T5Config

LABELS = module_labels(__name__)

N_READ, N_WRITTEN, N_WORD, N_LABEL = 7, 4, 30, 2
ENCODER_PAGE, ENCODER_DECODER_PAGE = "pages/families/encoder.py", "pages/families/encoder_decoder.py"
SHARED_PAGES = {
    LABELS["shared.sizes"]: "pages/families/sizes.py",
    LABELS["shared.pretrained"]: "pages/families/pretrained.py",
}
CODE = (GPT.forward, BERT.forward, T5.forward)


class FamilyRow(NamedTuple):
    """One family, with a text for each cell of the table."""

    name: str  # display name
    reads: str  # reads, mask, trained: its input, its attention mask, its training objective
    mask: str
    trained: str
    letters: str  # the lecture notes' name for its task, and a comment on it
    examples: str  # models of this kind
    uses: Mapping[str, str]  # what it is good for -> the page where such a model does it
    rooms: Mapping[str, str]  # pages about it


FAMILY_ROWS = {
    "decoder": FamilyRow(
        name=LABELS["room.decoder"],
        reads=LABELS["decoder.reads"],
        mask=LABELS["decoder.mask"],
        trained=LABELS["decoder.trained"],
        letters=LABELS["decoder.letters"],
        examples=LABELS["decoder.examples"],
        uses={
            LABELS["decoder.use.chat"]: "pages/generate/next_token.py",
            LABELS["decoder.use.strategies"]: "pages/generate/strategies.py",
        },
        rooms={
            LABELS["room.decoder"]: "pages/families/decoder.py",
            LABELS["room.masks"]: "pages/attention/masks.py",
            LABELS["room.studio"]: "pages/train/studio.py",
            LABELS["room.cache"]: "pages/generate/cache.py",
        },
    ),
    "encoder": FamilyRow(
        name=LABELS["room.encoder"],
        reads=LABELS["encoder.reads"],
        mask=LABELS["encoder.mask"],
        trained=LABELS["encoder.trained"],
        letters=LABELS["encoder.letters"],
        examples=LABELS["encoder.examples"],
        uses={LABELS["encoder.use.sentiment"]: ENCODER_PAGE, LABELS["encoder.use.entities"]: ENCODER_PAGE},
        rooms={
            LABELS["room.encoder"]: ENCODER_PAGE,
            LABELS["room.embeddings"]: "pages/attention/embeddings.py",
            LABELS["room.heads_at_work"]: "pages/attention/work.py",
        },
    ),
    "encoder_decoder": FamilyRow(
        name=LABELS["room.encoder_decoder"],
        reads=LABELS["encoder_decoder.reads"],
        mask=LABELS["encoder_decoder.mask"],
        trained=LABELS["encoder_decoder.trained"],
        letters=LABELS["encoder_decoder.letters"],
        examples=LABELS["encoder_decoder.examples"],
        uses=dict.fromkeys(
            (
                LABELS["encoder_decoder.use.translation"],
                LABELS["encoder_decoder.use.summaries"],
                LABELS["encoder_decoder.use.questions"],
            ),
            ENCODER_DECODER_PAGE,
        ),
        rooms={
            LABELS["room.encoder_decoder"]: ENCODER_DECODER_PAGE,
            LABELS["room.seq2seq"]: "pages/before/seq2seq.py",
            LABELS["room.beam"]: "pages/generate/beam.py",
        },
    ),
}


class Inputs(Base):
    """No inputs."""


class FamilyShapes(Result):
    """The inputs and outputs of a tiny model of each family, as text with the numbers of a real forward pass."""

    goes_in: Mapping[str, str]  # goes_in, comes_out: family -> such as "7 tokens", "7 rows of 30 scores"
    comes_out: Mapping[str, str]

    def table(self) -> dict[str, list[str]]:
        families = FAMILY_ROWS.values()
        return {
            LABELS["family"]: [one.name for one in families],
            LABELS["reads"]: [one.reads for one in families],
            LABELS["mask"]: [one.mask for one in families],
            LABELS["trained_by"]: [one.trained.replace("**", "") for one in families],
            LABELS["goes_in"]: [self.goes_in[key] for key in FAMILY_ROWS],
            LABELS["comes_out"]: [self.comes_out[key] for key in FAMILY_ROWS],
            LABELS["good_for"]: ["; ".join(one.uses) for one in families],
            LABELS["examples"]: [one.examples.replace("**", "") for one in families],
        }


@torch.no_grad()
def compute(inputs: Inputs) -> FamilyShapes:
    """Run a tiny, untrained model of each family once, on 7 tokens of a vocabulary of 30."""
    ids, answer = torch.zeros((1, N_READ), dtype=torch.long), torch.zeros((1, N_WRITTEN), dtype=torch.long)
    sizes: dict[str, Any] = {"vocab_size": N_WORD, "n_layer": 1, "n_head": 2, "d_model": 16}
    gpt = registry.build(GPTConfig(**sizes))(ids)[0]
    heads = ("sequence", "tokens")
    whole, each = (registry.build(BERTConfig(**sizes, head=head, n_label=N_LABEL))(ids)[0] for head in heads)
    t5 = registry.build(T5Config(**sizes))(ids, answer)[0]
    read = LABELS("n_token", n=N_READ)
    return FamilyShapes(
        goes_in={
            "decoder": read,
            "encoder": read,
            "encoder_decoder": LABELS("read_and_written", n_read=N_READ, n_written=N_WRITTEN),
        },
        comes_out={
            "decoder": _next_token_rows(gpt),
            "encoder": LABELS("encoder_scores", n=len(whole), n_row=each.shape[0], n_column=each.shape[1]),
            "encoder_decoder": _next_token_rows(t5),
        },
    )


def _next_token_rows(scores: torch.Tensor) -> str:
    return LABELS("next_token_rows", n_row=scores.shape[0], n_column=scores.shape[1])


def draw(result: FamilyShapes, inputs: Inputs) -> None:
    """Draw a card for each family."""
    st = ui.st
    for place, (key, family) in zip(st.columns(len(FAMILY_ROWS), gap="small"), FAMILY_ROWS.items(), strict=True):
        with place, st.container(border=True, height="stretch", key=f"room-family-{key}"):
            st.markdown(ui.section_text("card", family=family, key=key))
            _links(family.uses)
            if ui.depth_at_least("numbers"):
                st.markdown(LABELS["rooms_heading"])
                _links(family.rooms)
    if ui.depth_at_least("numbers"):
        with st.container(horizontal=True, gap="medium"):
            st.caption(LABELS["all_three"], width="content")
            _links(SHARED_PAGES)


def _links(pages: Mapping[str, str]) -> None:
    """Draw links to pages, or only their names outside the app's navigation, as in a notebook."""
    from streamlit.errors import StreamlitPageNotFoundError

    for label, page in pages.items():
        try:
            ui.st.page_link(page, label=label, icon=":material/arrow_forward:", icon_position="right")
        except StreamlitPageNotFoundError:
            ui.st.markdown(label)
